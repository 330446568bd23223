"""Re-exports for plugins."""
