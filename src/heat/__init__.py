"""The import names that a plugin for Heat expects; re-exports, no logic."""
