"""Kinds of run, one file each, discovered automatically: each file lists its kinds under KINDS."""
