"""Methods of solving The Resistance."""
