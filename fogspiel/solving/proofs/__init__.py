"""Certificates and their independent checkers."""
