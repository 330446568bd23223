"""Input that means harm, each read in a process that may take 2 s and 256 MiB and no more.

Run as a program it tells what came of each: the kernel ends whatever takes more.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable, Mapping
from typing import Any

from stoker.errors import Invalid
from stoker.lang.environment import read_environment
from stoker.lang.stack import Inputs, instantiate
from stoker.lang.template import read

SECONDS = 2
MEMORY = 256 * 2**20
DEEP = 10_000
VERSION = "2021-04-16"
BOMB = "\n".join(
    ["heat_template_version: 2021-04-16", "outputs:", "  a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
)
LOOP = "heat_template_version: 2021-04-16\noutputs: &a {o: {value: *a}}"
MERGES = "\n".join(
    ["heat_template_version: 2021-04-16", "outputs:", "  a0: &a0 {k: v}"]
    + [
        f"  a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}], k{n}: *a{n - 1}}}"
        for n in range(1, 12)
    ]
)  # fmt: skip


def made(value: Any, **inputs: Any) -> None:
    """Make a stack whose output is ``value``, and ask for that."""
    parameters = inputs.pop("declared", {})
    template = {"heat_template_version": VERSION, "outputs": {"o": {"value": value}}}
    instance = instantiate(
        read({**template, "parameters": parameters}), Inputs("s", "i", "p", **inputs)
    )
    problems = instance.outputs["o"].problems
    if problems:
        raise Invalid(problems)


def grown(form: Callable[[Any], Any], times: int) -> Any:
    value: Any = "x" * 1000
    for _ in range(times):
        value = form(value)
    return value


def replaced(value: Any) -> Any:
    return {"str_replace": {"template": "k" * 1000, "params": {"k": value}}}


def joined(value: Any) -> Any:
    repeated = {"repeat": {"for_each": {"%i%": [str(n) for n in range(1000)]}, "template": "%i%"}}
    return {"list_join": [value, repeated]}


def product(count: int, form: Any = "a") -> Any:
    lists = {f"%{name}%": [str(n) for n in range(30)] for name in range(count)}
    return {"repeat": {"for_each": lists, "template": form}}


def matched(pattern: str, value: str) -> None:
    constraint = {"type": "string", "constraints": [{"allowed_pattern": pattern}]}
    made(1, declared={"p": constraint}, parameters={"p": value})


def many(value: Any) -> None:
    outputs = {f"o{n}": {"value": value} for n in range(500)}
    parameters = {"p": {"type": "string", "default": "x" * 100_000}}
    template = {"heat_template_version": VERSION, "parameters": parameters, "outputs": outputs}
    made_of = instantiate(read(template), Inputs("s", "i", "p"))
    raise Invalid([problem for each in made_of.outputs.values() for problem in each.problems])


def nested(opening: str, closing: str, inner: str = "1") -> str:
    return opening * DEEP + inner + closing * DEEP


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


JSON = {"p": {"type": "json"}}
NUMBER = {"p": {"type": "number"}}
CASES: Mapping[str, tuple[Callable[[], object], str]] = {
    "a bomb of aliases": (lambda: read(BOMB), "aliases blow this up"),
    "a bomb of merges": (lambda: read(MERGES), "aliases blow this up"),
    "an anchor within itself": (lambda: read(LOOP), "names nothing that is complete"),
    "a bomb in an environment": (lambda: read_environment(BOMB[34:]), "aliases blow this up"),
    "str_replace without end": (lambda: made(grown(replaced, 4)), "too large"),
    "list_join without end": (lambda: made(grown(joined, 4)), "too large"),
    "repeat without end": (lambda: made(product(8)), "too large"),
    "many long texts": (
        lambda: many({"list_join": ["", [{"get_param": "p"}] * 80]}), "in all",
    ),
    "many long lists": (lambda: many(product(2, "y" * 5000)), "in all"),
    "repeat of a large form": (lambda: made(product(3, "y" * 100_000)), "too large"),
    "digest of a text without end": (
        lambda: made({"digest": ["sha256", grown(replaced, 4)]}), "too large",
    ),
    "a pattern that goes back and forth": (
        lambda: matched("(a+)+$", "a" * 5000 + "b"), "does not match the pattern",
    ),
    "a pattern with many alternatives": (
        lambda: matched("(a|aa|a?)*c", "a" * 5000), "does not match the pattern",
    ),
    "a pattern that is counted": (
        lambda: matched("((a{1,99}){1,99}){1,99}", "a" * 5000), "too large",
    ),
    "a pattern on a long text": (lambda: matched("(a*b?)*c", "ab" * 2_000_000), "takes too long"),
    "lists in lists": (
        lambda: read(f"heat_template_version: {VERSION}\noutputs: {nested('[', ']')}"), "nest",
    ),
    "maps in maps": (
        lambda: read(f"heat_template_version: {VERSION}\noutputs: {nested('{a: ', '}')}"), "nest",
    ),
    "JSON in JSON": (lambda: read('{"a":' + nested("[", "]") + "}"), "nest"),
    "an environment in depth": (
        lambda: read_environment(f"parameters: {nested('[', ']')}"), "nest",
    ),
    "a json parameter in depth": (
        lambda: made(1, declared=JSON, parameters={"p": nested("[", "]")}), "nest",
    ),
    "a json parameter that is deep already": (
        lambda: made(1, declared=JSON, parameters={"p": deep(900)}), "nest",
    ),
    "a json default in depth": (
        lambda: made(1, declared={"p": {"type": "json", "default": nested("[", "]")}}), "nest",
    ),
    "a pattern in depth": (lambda: matched(nested("(", ")", "a"), "a"), "too deep"),
    "a number of a million digits": (
        lambda: made(1, declared=NUMBER, parameters={"p": "9" * 1_000_000}), "not a",
    ),
    "a number of a million digits in YAML": (
        lambda: read(f"heat_template_version: {VERSION}\noutputs: {'9' * 1_000_000}"),
        "1000 digits",
    ),
    "a file beside the service": (
        lambda: made({"get_file": "../../../../etc/passwd"}), "did not come with the request",
    ),
    "a file by its address": (
        lambda: made({"get_file": "file:///etc/passwd"}), "did not come with the request",
    ),
}  # fmt: skip


def limited(case: Callable[[], object]) -> str:
    """Return what the case is refused with, or how it ended instead."""
    spent = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    resource.setrlimit(resource.RLIMIT_CPU, (spent + SECONDS, spent + SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        case()
    except Invalid as error:
        return "refused: " + error.problems[0].text[:300]
    except (MemoryError, RecursionError) as error:
        return type(error).__name__
    return "accepted"


def main() -> None:
    """Tell of each case, a line of JSON each, run in a process of its own."""
    for name, (case, _) in CASES.items():
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, limited(case).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as answer:
            said = answer.read().decode()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(json.dumps([name, said if status == 0 else f"ended by {-status}"]) + "\n")


if __name__ == "__main__":
    main()
