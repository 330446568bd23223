"""The package that modules of plugin directories are imported into."""
