"""The template language: text in, definitions with their unknowns out.

Nothing here reads a clock, a file or a socket; what needs a cloud comes out as a value.
"""
