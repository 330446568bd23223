"""HOT, the native template language, read into the common syntax tree."""
