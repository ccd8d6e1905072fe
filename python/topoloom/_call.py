"""Carries out a command, with objects of Python in place of files."""

from __future__ import annotations

import functools
import json
import sys
import warnings
from typing import Any

from topoloom import _arguments, _native
from topoloom._arguments import PROGRESS
from topoloom._native import TopoloomError
from topoloom._progress import listener


class InterruptedWarning(UserWarning):
    """A search was interrupted, and its best result so far is used."""


class TopoloomWarning(UserWarning):
    """What the command line would print as a warning."""


class Call:
    """One command with its arguments, some of which may be objects in memory."""

    def __init__(self, *command: str) -> None:
        self.command = command
        self.operands: list[str] = []
        self.after: list[str] = []
        self._words: list[str] = list(command)
        self._progress: Any = False
        self._traffic: list[_native.Traffic] = []
        self._machines: list[_native.Machine] = []
        self._mappings: list[tuple[str, _native.Mapping]] = []
        self._objectives: list[tuple[str, Any]] = []

    def give(self, options: dict[str, Any]) -> Call:
        """Adds keyword arguments."""
        options = dict(options)
        self._progress = options.pop(PROGRESS, False)
        self._words += _arguments.words(self.command, options, self.text)[len(self.command) :]
        return self

    def operand(self, *values: Any) -> Call:
        """Adds arguments without a name."""
        self.operands += [self.text("argument", value) for value in values]
        return self

    def job(self, command: Any) -> Call:
        """Adds the command line of a job, which comes last."""
        if isinstance(command, str) or not hasattr(command, "__iter__"):
            raise TopoloomError(f'command: expected a list such as ["mpirun", "-n", "64", "./app"], found {command!r}')
        self.after = ["--", *(_arguments.plain("command", word) for word in command)]
        return self

    def text(self, name: str, value: Any) -> str:
        """The word for a value; objects in memory get names."""
        from topoloom.machine import Machine
        from topoloom.mapping import Mapping
        from topoloom.traffic import Traffic

        if name in ("traffic", "trace") and not isinstance(value, (str, Traffic)) and not hasattr(value, "__fspath__"):
            value = Traffic(value)
        if isinstance(value, Traffic):
            return self._add_traffic(value._inner)
        if isinstance(value, Machine):
            return self._add_machine(value._inner)
        if isinstance(value, Mapping):
            return self._add_mapping(value.name, value._inner)
        if name == "mapping" and _arguments.is_listed(value) or name == "strategy" and _arguments.are_numbers(value):
            mapping = Mapping(value)
            return self._add_mapping(mapping.name, mapping._inner)
        if name == "objective" and (hasattr(value, "__array__") or isinstance(value, (list, tuple))):
            return self._add_costs(value)
        return _arguments.plain(name, value)

    def run(self) -> _native.Answer:
        """Carries it out. Warnings become warnings of Python."""
        with listener(self._progress) as told:
            # Names may begin with a dash.
            operands = ["--", *self.operands] if self.operands else []
            answer = _native.call(
                [*self._words, *operands, *self.after],
                self._traffic,
                self._machines,
                self._mappings,
                self._objectives,
                told,
            )
        tell(answer.warnings)
        if answer.interrupted:
            warn("interrupted: this is the best so far", InterruptedWarning)
        return answer

    def json(self) -> Any:
        """Carries it out, and gives what it prints as JSON."""
        self._words.append("--json")
        return json.loads(self.run().printed)

    def _add_traffic(self, native: _native.Traffic) -> str:
        native = _unique(native, self._traffic)
        if native not in self._traffic:
            self._traffic.append(native)
        return native.name

    def _add_machine(self, native: _native.Machine) -> str:
        if native in self._machines:
            return native.name
        free = _free(native.name, [other.name for other in self._machines])
        if free != native.name and native.contents():
            # Two machines that were imported have the same name.
            files = [(free if name == native.name else name, content) for name, content in native.contents()]
            native = _native.Machine.load(free, files)[0]
        self._machines.append(native)
        return native.name

    def _add_mapping(self, name: str, native: _native.Mapping) -> str:
        name = name.replace(",", " ").replace("|", " ").replace(":", " ").strip() or "mapping"
        # A mapping does not take the name of a strategy.
        if name in _names_of_strategies():
            name = f"mapping {name}"
        taken = [other for other, mapping in self._mappings if mapping is not native]
        name = _free(name, taken)
        self._mappings.append((name, native))
        return name

    def _add_costs(self, value: Any) -> str:
        import numpy

        try:
            costs = numpy.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise TopoloomError("objective: expected a square array of costs between nodes") from None
        if costs.ndim != 2:
            raise TopoloomError(f"objective: expected a square array of costs, found {costs.ndim} dimensions")
        self._objectives.append(("cost-matrix:array", costs))
        return "cost-matrix:array"


@functools.lru_cache(maxsize=None)
def _names_of_strategies() -> frozenset[str]:
    answer = _native.call(["list", "strategies", "--json"], [], [], [], [])
    return frozenset({"all", "present", *(one["name"] for one in json.loads(answer.printed))})


def _free(name: str, taken: list[str]) -> str:
    number, free = 2, name
    while free in taken:
        free = f"{name} ({number})"
        number += 1
    return free


def _unique(native: _native.Traffic, others: list[_native.Traffic]) -> _native.Traffic:
    """The same traffic under a name that no other has; only arrays can share a name."""
    taken = [other.name for other in others if other is not native and not other.is_same(native)]
    free = _free(native.name, taken)
    return native if free == native.name else native.named(free)


def tell(texts: list[str]) -> None:
    """Warns of what the command line would warn of."""
    for text in texts:
        warn(text, TopoloomWarning)


def warn(text: str, kind: type[Warning]) -> None:
    """Warns at the line of the user, not at one of ours."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("topoloom."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)
