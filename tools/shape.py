"""Keep functions and files small enough to be read at one sitting.

The alarms: a file of more than 500 lines, a function of more than 30 statements, of a
complexity above 10 or with more than 7 parameters. What may exceed them stands in
``tools/shape-exceptions.txt`` with its reason, and that list may only shrink: an entry
that is no longer needed is an error too, and so are more entries than it declares.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "tools" / "shape-exceptions.txt"
FOLDERS = ("src", "tests", "tools", "benchmarks")
MOST_LINES = 500
RULES = {"C901": "complexity", "PLR0913": "parameters", "PLR0915": "statements"}


def main() -> int:
    """Print every alarm that no exception covers, and every idle exception."""
    most, allowed = exceptions(EXCEPTIONS.read_text(encoding="utf-8"))
    alarms = long_files(ROOT) | big_functions(ROOT)
    wrong = complaints(alarms, allowed, most)
    sys.stdout.writelines(f"{line}\n" for line in wrong)
    return 1 if wrong else 0


def complaints(alarms: dict[str, str], allowed: dict[str, str], most: int) -> list[str]:
    """Return what is wrong, given the alarms by name and the listed exceptions."""
    wrong = [text for name, text in sorted(alarms.items()) if name not in allowed]
    wrong += [
        f"{name}: no longer needed; remove it from the exceptions"
        for name in sorted(allowed)
        if name not in alarms
    ]
    wrong += [f"{name}: an exception needs a reason" for name in allowed if not allowed[name]]
    if len(allowed) != most:
        wrong.append(f"{len(allowed)} exceptions listed, but {most} declared")
    return wrong


def exceptions(text: str) -> tuple[int, dict[str, str]]:
    """Return the declared number of exceptions, and each one's reason by its name."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    head, _, number = lines[0].partition(":")
    if head != "exceptions":
        raise SystemExit(f"{EXCEPTIONS.name}: the first line must be 'exceptions: N'")
    pairs = (line.partition("--") for line in lines[1:])
    return int(number), {name.strip(): reason.strip() for name, _, reason in pairs}


def long_files(root: Path) -> dict[str, str]:
    """Return an alarm for each Python file with too many lines."""
    alarms = {}
    for path in (path for folder in FOLDERS for path in (root / folder).rglob("*.py")):
        lines = path.read_text(encoding="utf-8").count("\n")
        if lines > MOST_LINES:
            name = f"{path.relative_to(root)} lines"
            alarms[name] = f"{path.relative_to(root)}: {lines} lines (most {MOST_LINES})"
    return alarms


def big_functions(root: Path) -> dict[str, str]:
    """Return ruff's alarms about functions, those silenced in the source included."""
    return {alarm_name(root, found): alarm_text(root, found) for found in ruff(root)}


def ruff(root: Path) -> list[dict[str, Any]]:
    """Return what ruff finds by the rules about the size of functions."""
    folders = [folder for folder in FOLDERS if (root / folder).is_dir()]
    command = ["ruff", "check", "--ignore-noqa", "--exit-zero", "--output-format=json"]
    command += ["--quiet", f"--select={','.join(RULES)}", *folders]
    command[0] = str(Path(sys.executable).with_name("ruff"))
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def alarm_name(root: Path, found: dict[str, Any]) -> str:
    """Return the name by which an exception refers to an alarm: file, function, rule."""
    path = Path(found["filename"])
    line = path.read_text(encoding="utf-8").splitlines()[found["location"]["row"] - 1]
    function = line.split("def ", 1)[-1].split("(", 1)[0].strip()
    return f"{path.relative_to(root)} {function} {RULES[found['code']]}"


def alarm_text(root: Path, found: dict[str, Any]) -> str:
    """Return an alarm as a person reads it."""
    path = Path(found["filename"]).relative_to(root)
    return f"{path}:{found['location']['row']}: {found['message']} [{alarm_name(root, found)}]"


if __name__ == "__main__":
    sys.exit(main())
