"""Refinement with a cost of one's own."""

from __future__ import annotations

import datetime
import numbers
import time
from typing import Any, Callable, Optional

from topoloom._call import InterruptedWarning, warn
from topoloom._native import TopoloomError
from topoloom.machine import Machine
from topoloom.mapping import Mapping


def refine(
    mapping: Any,
    cost: Callable[[Any], float],
    *,
    machine: Any = None,
    swap: Optional[Callable[[Any, int, int], float]] = None,
    rounds: int = 10,
    seed: int = 1,
    time_limit: Optional[float] = None,
    progress: Any = False,
) -> Mapping:
    """Exchanges pairs of ranks as long as a cost in Python falls, and gives the best mapping.

    `cost` gets an array with the node of each rank. `swap(nodes, a, b)`, if given, says how much the cost changes
    when ranks a and b exchange nodes; without it, `cost` is called for every pair. Each round tries all pairs in a
    random order. This is for experiments: Python is called for each pair, which takes some thousand times as long as
    an objective of `topoloom list objectives`. Ctrl-C and `time_limit` (seconds) end it with the best so far.
    """
    import numpy

    from topoloom._progress import listener

    if not callable(cost) or not (swap is None or callable(swap)):
        raise TopoloomError("cost and swap: expected functions")
    for name, value in (("rounds", rounds), ("seed", seed)):
        if not isinstance(value, numbers.Integral):
            raise TopoloomError(f"{name}: expected a whole number, found {value!r}")
    start = mapping if isinstance(mapping, Mapping) else Mapping(mapping, machine=machine)
    known = start.machine if machine is None else Machine(machine)
    search = _Search(start, cost, swap, _seconds(time_limit))
    complete = True
    random = numpy.random.default_rng(seed)
    try:
        with listener(progress) as told:
            for number in range(rounds):
                if not search.round(random, f"round {number + 1}", told):
                    break
        complete = not search.is_late()
    except KeyboardInterrupt:
        complete = False
        warn("interrupted: this is the best so far", InterruptedWarning)
    if search.slots is not None and known is not None:
        result = Mapping(search.slots, slots=True, machine=known)
    else:
        result = Mapping(search.nodes, machine=known)
    result.traffic, result._name = start.traffic, "refined in Python"
    result._found = (search.best, complete)
    return result


class _Search:
    """The best placement so far, and what it costs."""

    def __init__(self, start: Mapping, cost: Any, swap: Any, time_limit: Optional[float]) -> None:
        import numpy

        self.nodes = start.nodes.astype(numpy.int64)
        slots = start._inner.slots
        self.slots = None if slots is None else slots.astype(numpy.int64)
        self._cost, self._swap = cost, swap
        self.best = _number("cost", cost(self.nodes.copy()))
        self._ends = None if time_limit is None else time.monotonic() + time_limit

    def is_late(self) -> bool:
        """Whether the time limit has passed."""
        return self._ends is not None and time.monotonic() > self._ends

    def round(self, random: Any, task: str, told: Any) -> bool:
        """Tries all pairs; false if nothing was gained, or time is up."""
        ranks = len(self.nodes)
        is_better = False
        for done, a in enumerate(random.permutation(ranks)):
            if told is not None:
                told(task, done, ranks, self.best)
            for b in random.permutation(ranks):
                if self.is_late():
                    return False
                if a < b and self.nodes[a] != self.nodes[b]:
                    is_better |= self._try(int(a), int(b))
        return is_better

    def _try(self, a: int, b: int) -> bool:
        if self._swap is not None:
            nodes = self.nodes.view()
            nodes.setflags(write=False)
            change = _number("swap", self._swap(nodes, a, b))
            if change < 0:
                self._exchange(a, b)
                self.best += change
            return change < 0
        # On a copy: Ctrl-C may come while the cost is computed.
        trial = self.nodes.copy()
        trial[[a, b]] = trial[[b, a]]
        new = _number("cost", self._cost(trial))
        if new < self.best:
            self._exchange(a, b)
            self.best = new
            return True
        return False

    def _exchange(self, a: int, b: int) -> None:
        self.nodes[[a, b]] = self.nodes[[b, a]]
        if self.slots is not None:
            self.slots[[a, b]] = self.slots[[b, a]]


def _seconds(limit: Any) -> Optional[float]:
    if limit is None:
        return None
    if isinstance(limit, numbers.Real) and float(limit) >= 0:
        return float(limit)
    if isinstance(limit, datetime.timedelta):
        return limit.total_seconds()
    raise TopoloomError(f"time_limit: expected seconds, found {limit!r}")


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TopoloomError(f"{name}: expected a function that gives a number, it gave {value!r}") from None
    if number != number:
        raise TopoloomError(f"{name}: expected a function that gives a number, it gave NaN")
    return number
