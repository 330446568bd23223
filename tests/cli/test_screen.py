"""Progress as people see it."""

from __future__ import annotations

import io

from rich.console import Console

from stoker.cli.progress import Item, Progress, State
from stoker.cli.screen import lines, table

NET = Item("net", "OS::Neutron::Net", state=State.DONE, status="CREATE_COMPLETE", begun=1, ended=2)
PORT = Item("port", "OS::Neutron::Port", ("net",), State.WORKING, "CREATE_IN_PROGRESS", begun=2)
SERVER = Item("server", "OS::Nova::Server", ("port", "net"))
GRAPH = Progress("CREATE", {item.name: item for item in (NET, PORT, SERVER)})


def shown(progress: Progress) -> list[str]:
    console = Console(file=io.StringIO(), width=100)
    console.print(table(progress, 3.5))
    assert isinstance(console.file, io.StringIO)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_the_table_has_a_row_for_each_with_state_time_and_what_it_waits_for() -> None:
    assert shown(GRAPH) == [
        "✔ net OS::Neutron::Net 1.0 s CREATE_COMPLETE",
        "● port OS::Neutron::Port 1.5 s CREATE_IN_PROGRESS",
        "· server OS::Nova::Server waits for port",
    ]


def test_many_names_are_cut_short() -> None:
    needs = tuple("abcde")
    items = {name: Item(name, "T") for name in needs} | {"z": Item("z", "T", needs)}
    assert shown(Progress("CREATE", items))[-1] == "· z T waits for a, b, c and 2 more"


def test_a_failure_tells_its_reason() -> None:
    failed = Item("a", "T", (), State.FAILED, "CREATE_FAILED", "no [room] left", 1, 2)
    assert shown(Progress("CREATE", {"a": failed})) == ["✘ a T 1.0 s CREATE_FAILED: no [room] left"]


def test_a_line_is_printed_for_each_that_moved_and_for_no_other() -> None:
    before = Progress("CREATE", {"net": NET, "port": Item("port", PORT.type), "server": SERVER})
    (line,) = lines(before, GRAPH, 2.5)
    assert line.split() == ["●", "port", "OS::Neutron::Port", "0.5", "s", "CREATE_IN_PROGRESS"]
    assert lines(GRAPH, GRAPH, 9.0) == []


def test_at_first_what_waits_is_not_printed() -> None:
    assert [line.split()[1] for line in lines(Progress("CREATE", {}), GRAPH, 3.0)] == [
        "net",
        "port",
    ]
