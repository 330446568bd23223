"""Progress as people see it."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from stoker.cli.progress import Item, Progress, State
from stoker.cli.screen import elapsed, lines, picture, plain, standing
from tests.cli.rows import looked, row

NET = Item(
    ("net",), "OS::Neutron::Net", state=State.DONE, status="CREATE_COMPLETE", begun=1, ended=2
)
PORT = Item(
    ("port",), "OS::Neutron::Port", (("net",),), State.WORKING, "CREATE_IN_PROGRESS", begun=2
)
SERVER = Item(("server",), "OS::Nova::Server", (("port",), ("net",)))


def graph(*items: Item) -> Progress:
    return Progress("CREATE", {item.key: item for item in items})


GRAPH = graph(NET, PORT, SERVER)


def drawn(progress: Progress, width: int = 100, height: int = 30) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(picture(progress, "CREATE web", 3.5, (width, height)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def words(progress: Progress) -> list[str]:
    return [" ".join(line.split()) for line in drawn(progress)]


def test_a_picture_has_a_row_for_each_with_state_time_and_what_it_waits_for() -> None:
    head, *rows = words(GRAPH)
    assert head == f"CREATE web {'━' * 8}{'─' * 16} 1/3 3.5 s"
    assert rows == [
        "✔ net OS::Neutron::Net 1.0 s CREATE_COMPLETE",
        "● port OS::Neutron::Port 1.5 s CREATE_IN_PROGRESS",
        "· server OS::Nova::Server waits for port",
    ]


def test_what_was_too_quick_to_be_seen_has_a_time_that_it_took_less_than() -> None:
    quick = replace(NET, begun=None, idle=1.75)
    assert words(graph(quick))[1] == "✔ net OS::Neutron::Net <0.2 s CREATE_COMPLETE"
    assert words(graph(replace(quick, idle=2.0)))[1].split()[3] == "<0.1"


def test_a_reason_is_told_without_what_stands_beside_it_already() -> None:
    reasons = {
        "CloudError: resources.net: No more\n networks.": "No more networks.",
        "BadRequest: resources.group.resources[0]: x: y": "x: y",
        "ResourceFailure: resources.a.resources.b-1: Conflict: taken": "Conflict: taken",
        "ValueError: it is wrong": "ValueError: it is wrong",
        "It is wrong: really": "It is wrong: really",
    }
    assert {reason: plain(reason) for reason in reasons} == reasons


def test_lines_stand_one_below_the_other_whatever_the_names_are() -> None:
    long = replace(PORT, key=("a_name_that_is_rather_long",))
    before, after = graph(replace(NET, state=State.WAITING)), graph(NET, long)
    told = lines(before, after, 3.0)
    assert len({line.index("OS::") for line in told}) == 1
    assert len({line.index("CREATE_") for line in told}) == 1


def test_what_holds_others_ends_after_them_in_lines_and_begins_before() -> None:
    def state(key: tuple[str, ...], state: State) -> Item:
        return replace(NET, key=key, state=state, status=f"CREATE_{state.name}")

    names = (("a",), ("a", "x"), ("a", "y"), ("b",))
    waiting = graph(*(state(key, State.WAITING) for key in names))
    working = graph(*(state(key, State.WORKING) for key in names))
    done = graph(*(state(key, State.DONE) for key in names))
    assert [line.split()[1] for line in lines(waiting, working, 1.0)] == ["a", "a.x", "a.y", "b"]
    assert [line.split()[1] for line in lines(working, done, 1.0)] == ["a.x", "a.y", "a", "b"]


def test_nothing_yet_is_a_head_alone() -> None:
    assert words(graph()) == [f"CREATE web {'─' * 24} 0/0 3.5 s"]


def test_what_is_kept_is_counted_apart() -> None:
    head, row_of_kept, _ = words(graph(replace(NET, state=State.KEPT), replace(PORT, needs=())))
    assert head.endswith("0/1, 1 unchanged 3.5 s")
    assert row_of_kept.startswith("= net")


def test_what_is_nested_is_indented() -> None:
    middle, inner = Item(("net", "a"), "T"), Item(("net", "a", "b"), "T")
    shown = [line.rstrip() for line in drawn(graph(NET, middle, inner))]
    assert shown[2].startswith(" ·   a    T")
    assert shown[3].startswith(" ·     b  T")


def test_many_names_are_cut_short() -> None:
    needs = tuple((name,) for name in "abcde")
    items = [Item(key, "T") for key in needs]
    assert (
        words(graph(*items, Item(("z",), "T", needs)))[-1] == "· z T waits for a, b, c and 2 more"
    )


def test_a_failure_tells_its_reason_on_one_line() -> None:
    failed = Item(("a",), "T", (), State.FAILED, "CREATE_FAILED", "no\n[room] left", 1, 2)
    assert words(graph(failed))[1:] == ["✘ a T 1.0 s CREATE_FAILED: no [room] left"]


def test_the_reason_is_told_where_it_arose_alone() -> None:
    outer = Item(("a",), "T", (), State.FAILED, "CREATE_FAILED", "resources.b: no")
    inner = Item(("a", "b"), "T", (), State.FAILED, "CREATE_FAILED", "no")
    assert words(graph(outer, inner))[1:] == ["✘ a T CREATE_FAILED", "✘ b T CREATE_FAILED: no"]


def test_no_line_is_wider_than_the_screen() -> None:
    long = Item(("n" * 80,), "T" * 80, (), State.FAILED, "CREATE_FAILED", "why " * 50)
    for width in (40, 100):
        assert all(len(line) <= width for line in drawn(graph(long, NET), width))
        assert any("net" in line for line in drawn(graph(long, NET), width))


def test_a_narrow_screen_leaves_out_the_types() -> None:
    assert "OS::Neutron" not in "".join(drawn(GRAPH, width=60))


def test_a_picture_is_no_higher_than_the_screen_and_shows_what_matters() -> None:
    done = [Item((f"d{n:02}",), "T", state=State.DONE, ended=float(n)) for n in range(20)]
    failed = Item(("zz",), "T", state=State.FAILED, status="CREATE_FAILED")
    shown = drawn(graph(*done, PORT, failed), height=10)
    assert len(shown) <= 9
    text = "\n".join(shown)
    assert "zz" in text
    assert "port" in text
    assert "d19" in text  # the newest of what is done
    assert "d00" not in text
    assert shown[-1].strip() == "… and 16 done"


def test_of_what_is_over_the_stack_s_own_is_shown_before_what_is_in_others() -> None:
    group = replace(NET, key=("group",))
    inner = [replace(NET, key=("group", str(each)), ended=9) for each in range(20)]
    shown = drawn(graph(NET, group, *inner), height=10)
    assert [line.split()[1] for line in shown[1:3]] == ["group", "0"]
    assert any(line.split()[1] == "net" for line in shown)


def test_a_line_is_printed_for_each_that_moved_and_for_no_other() -> None:
    before = graph(NET, replace(PORT, state=State.WAITING, status=""), SERVER)
    (line,) = lines(before, GRAPH, 2.5)
    assert line.split() == ["●", "port", "OS::Neutron::Port", "0.5", "s", "CREATE_IN_PROGRESS"]
    assert lines(GRAPH, GRAPH, 9.0) == []


def test_at_first_what_waits_is_not_printed() -> None:
    assert [line.split()[1] for line in lines(graph(), GRAPH, 3.0)] == ["net", "port"]


def test_a_line_names_the_whole_path_and_a_template_s_file() -> None:
    listed = [row("g", "CREATE_IN_PROGRESS", nested="n"), row("0", "CREATE_COMPLETE", within="n")]
    listed[1]["resource_type"] = "file:///some/where/web.yaml"
    progress = looked("CREATE", listed)
    assert lines(graph(), progress, 1.0)[1].split()[1:3] == ["g.0", "web.yaml"]


def test_what_everything_waits_for_is_one_line() -> None:
    inner = replace(PORT, key=("port", "inner"), needs=())
    assert standing(graph(NET, PORT, inner), 4.0) == "  1/3 after 4.0 s: port.inner (2.0 s)"
    assert standing(graph(NET), 4.0).endswith("nothing")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, ""), (0.04, "0.0 s"), (59.94, "59.9 s"), (60.0, "1:00"), (3725.9, "1:02:05")],
)
def test_times_are_short(seconds: float | None, text: str) -> None:
    assert elapsed(seconds) == text
