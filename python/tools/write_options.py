#!/usr/bin/env python3
"""Writes topoloom/_options.pyi: the keyword arguments of every function, for type checkers.

    python/tools/write_options.py            write the file
    python/tools/write_options.py --check    exit code 1 if it is not up to date

The program itself tells what its commands take, so this needs the built module.
"""

from __future__ import annotations

import inspect
import pathlib
import sys

import topoloom
from topoloom import _arguments, commands

FILE = pathlib.Path(__file__).resolve().parents[1] / "topoloom" / "_options.pyi"
OBJECTS = {"traffic", "trace", "machine", "mapping", "strategy", "objective", "groups", "keep"}
TIMES = {"time_limit", "launch_timeout", "limit"}

HEADER = """# Written by python/tools/write_options.py from what the program knows of its commands. Do not edit.
import datetime
import os
from typing import Any, Callable, Optional, Sequence, TypedDict, Union

Value = Union[str, int, float, os.PathLike[str]]
Values = Union[Value, Sequence[Value]]
Time = Union[str, float, datetime.timedelta]
Progress = Union[bool, Callable[[str, int, int, Optional[float]], Any]]
"""


def functions():
    """Every function that carries out a command, with the name of its options."""
    for name, function in vars(commands).items():
        if hasattr(function, "command"):
            yield camel(name.split("_")), function
    for kind in (topoloom.Traffic, topoloom.Machine, topoloom.Mapping):
        for member in vars(kind).values():
            function = getattr(member, "__func__", member)
            if hasattr(function, "command"):
                yield camel(function.command), function


def camel(words) -> str:
    return "".join(word.capitalize() for word in words) + "Options"


def text() -> str:
    blocks = [HEADER]
    for name, function in functions():
        taken = inspect.signature(function.__wrapped__).parameters.values()
        if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken):
            continue
        lines = [f"class {name}(TypedDict, total=False):"]
        known = _arguments.options(function.command)
        for one in inspect.signature(function).parameters.values():
            if one.kind is inspect.Parameter.KEYWORD_ONLY and one.name not in {other.name for other in taken}:
                lines.append(f"    {one.name}: {kind_of(one.name, known.get(one.name))}")
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def kind_of(name: str, option) -> str:
    if option is None:
        return "Progress"
    if name in OBJECTS:
        return "Any"
    if option["is_flag"]:
        return "bool"
    if name in TIMES:
        return "Time"
    return "Values" if option["is_many"] else "Value"


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        if FILE.read_text() != text():
            sys.exit(f"{FILE} is not up to date: run python/tools/write_options.py")
    else:
        FILE.write_text(text())
