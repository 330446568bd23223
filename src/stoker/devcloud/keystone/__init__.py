"""Keystone v3."""
