"""The functions of the template language: one file per family.

Rule: a function sees evaluated arguments and gives a value or raises Invalid; it never
waits, fetches or looks at a cloud.
"""

from stoker.lang.functions import (
    cfn,
    facade,
    files,
    hashing,
    lists,
    logic,
    maps,
    parameters,
    references,
    repeat,
    strings,
    urls,
    yaql,
)

__all__ = [
    "cfn",
    "facade",
    "files",
    "hashing",
    "lists",
    "logic",
    "maps",
    "parameters",
    "references",
    "repeat",
    "strings",
    "urls",
    "yaql",
]
