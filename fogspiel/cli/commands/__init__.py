"""One file per group of commands; each adds its own to the application and is found by itself."""
