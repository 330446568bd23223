"""The paths that several nouns share; they begin at the project, behind ``/v1``."""

from __future__ import annotations

PROJECT = "/{project}"
STACKS = f"{PROJECT}/stacks"
STACK = f"{STACKS}/{{name}}/{{id}}"
RESOURCE = f"{STACK}/resources/{{resource}}"
