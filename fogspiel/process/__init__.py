"""Processes: programs asked line by line, pools of them, crews that do jobs, and their guard and heartbeat."""
