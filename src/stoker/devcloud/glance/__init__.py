"""Glance v2."""
