"""Processes: external programs that communicate in lines, pools of them, crews for jobs, guard and heartbeat."""
