"""Stoker: an orchestrator for clouds that speak the OpenStack APIs."""

__version__ = "0.1.0"
