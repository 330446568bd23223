"""What is asked of stacks, as it reaches the use cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.errors import Invalid, Unavailable, UserError
from stoker.usecases.caller import Caller
from stoker.usecases.stacks import Action, CreateStack, Goal, StackRef, UpdateStack
from tests.engine.simulation.program import shape, template

if TYPE_CHECKING:
    from stoker.engine.usecases.stacks import StackUseCases
    from stoker.usecases.stacks import SnapshotView
    from tests.engine.simulation.program import Request, Shape
    from tests.engine.simulation.records import Row, Stack
    from tests.engine.simulation.watch import Watch

ANN = Caller("u1", "ann", "p1", "demo", frozenset({"member"}))
SIGNALLED = frozenset({"S::Hark", "S::Ear"})


class Asking:
    """Ann, who asks; ``wanted`` is what each stack was last asked to be, ``shapes`` all that she
    has ever asked for."""

    def __init__(self, stacks: StackUseCases, watch: Watch) -> None:
        self._stacks, self._watch = stacks, watch
        self.wanted: dict[str, Request] = {}
        self.shapes: set[Shape] = set()
        self._signals = 0

    def ask(self, request: Request) -> None:
        """Make a request; raises UserError where it is refused, Unavailable, CloudError."""
        try:
            self._ask(request)
        except Invalid as e:  # no program asks for what is not valid
            self._watch.tell([f"{request.ask} of {request.stack} is refused: {e}"])

    def signal(self, row: Row) -> None:
        """Send a signal of its own number, which is written down where it is accepted."""
        self._signals += 1
        number, stack = self._signals, self._watch.records.stacks[row.stack_id]
        try:
            self._stacks.signal(ANN, _ref(stack), row.name, {"n": number})
        except (UserError, Unavailable):
            return
        if number not in self._watch.signals:
            self._watch.tell([f"signal {number} to {row.name} was accepted, and is nowhere"])

    def named(self, name: str) -> Stack | None:
        """Return the living stack of a name."""
        return next((each for each in self._watch.records.roots() if each.name == name), None)

    def _ask(self, request: Request) -> None:
        if request.pieces:
            self.wanted[request.stack] = request
            self.shapes.add(shape(request.pieces))
        if request.ask == "create":
            goal = Goal(template(request.pieces, request.stack))
            what = CreateStack(request.stack, goal, disable_rollback=not request.undoes)
            self._stacks.create(ANN, what)
        elif (stack := self.named(request.stack)) is not None:
            self._ask_of(request, _ref(stack))

    def _ask_of(self, request: Request, ref: StackRef) -> None:
        match request.ask:
            case "update":
                goal = Goal(template(request.pieces, request.stack))
                if request.converges:
                    self._watch.converging()
                self._stacks.update(ANN, ref, UpdateStack(goal, observe=request.converges))
            case "delete":
                self._stacks.delete(ANN, ref)
            case "cancel":
                self._stacks.cancel(ANN, ref)
            case "undo":
                self._stacks.undo(ANN, ref)
            case "snapshot":
                self._stacks.snapshot(ANN, ref, None)
            case "restore" | "forget" | "clear":
                self._ask_of_snapshot(request.ask, ref)
            case action:
                self._stacks.act(ANN, ref, Action(action))

    def _ask_of_snapshot(self, ask: str, ref: StackRef) -> None:
        """Restore the newest snapshot, or forget the oldest, or all that have failed."""
        found: list[SnapshotView] = self._stacks.snapshots(ANN, ref)
        if ask == "clear":
            for each in found:
                if each.status == "FAILED":
                    self._stacks.forget_snapshot(ANN, ref, each.id)
        elif found and ask == "restore":
            self._stacks.restore(ANN, ref, found[-1].id)
        elif found:
            self._stacks.forget_snapshot(ANN, ref, found[0].id)


def _ref(stack: Stack) -> StackRef:
    return StackRef(stack.id, stack.name, ANN.project_id)
