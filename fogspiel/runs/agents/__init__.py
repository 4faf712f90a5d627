"""Sources of agents that slices and plug-ins add: each file lists its own in SOURCES (see `runs/agent_parser`)."""
