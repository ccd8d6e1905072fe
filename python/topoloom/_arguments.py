"""Keyword arguments as arguments of the command line, checked by what the program itself knows of its commands."""

from __future__ import annotations

import datetime
import decimal
import difflib
import functools
import inspect
import numbers
import os
from typing import Any, Callable, Iterable, TypeVar

from topoloom import _native
from topoloom._native import TopoloomError

_Function = TypeVar("_Function", bound=Callable[..., Any])

# What every function that carries out a command takes too.
PROGRESS = "progress"
# Options that are times: seconds, or a text such as 2m.
TIMES = ("time_limit", "launch_timeout", "limit")


@functools.lru_cache(maxsize=None)
def facts(command: tuple[str, ...]) -> dict[str, Any]:
    """What the program knows of a command, such as ("machine", "import")."""
    found = _commands()
    for word in command:
        found = found["commands"][word]
    return found


@functools.lru_cache(maxsize=None)
def _commands() -> dict[str, Any]:
    return _native.commands()


def keyword(name: str) -> str:
    """The name of an option as Python writes it."""
    name = name.replace("-", "_")
    return f"{name}_" if name in ("from", "import", "in", "is") else name


def options(command: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The options of a command by their names in Python."""
    return {keyword(option["name"]): option for option in facts(command)["arguments"] if not option["is_operand"]}


def check_names(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuses names that no option has, with the nearest one that exists."""
    known = sorted({*known} - {"self", "cls"})
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
            hint = f"; did you mean {near[0]!r}?" if near else f"; known arguments: {', '.join(known)}"
            raise TypeError(f"{function}() has no argument {name!r}{hint}")


def words(command: tuple[str, ...], given: dict[str, Any], text: Callable[[str, Any], str]) -> list[str]:
    """The words of a command line for keyword arguments; `text` turns a value into a word."""
    result = list(command)
    known = options(command)
    for name, value in given.items():
        if value is None:
            continue
        option = known[name]
        long = f"--{option['name']}"
        if option["is_flag"]:
            if not isinstance(value, bool):
                raise TopoloomError(f"{name}: expected True or False, found {value!r}")
            result += [long] if value else []
        elif option["is_many"] and is_listed(value):
            result += [f"{long}={text(name, one)}" for one in value]
        else:
            result.append(f"{long}={text(name, value)}")
    return result


def is_listed(value: Any) -> bool:
    """Whether a value is several, as a list or an array."""
    return isinstance(value, (list, tuple, range)) or getattr(value, "ndim", 0) == 1


def are_numbers(value: Any) -> bool:
    """Whether a value is a list or an array of whole numbers, such as the node of each rank."""
    if getattr(value, "ndim", 0) == 1:
        return bool(value.dtype.kind in "iu")
    return is_listed(value) and len(value) > 0 and all(isinstance(one, numbers.Integral) for one in value)


def plain(name: str, value: Any) -> str:
    """A number, a time, a path or a text as the command line takes it."""
    if isinstance(value, bool):
        raise TopoloomError(f"{name}: expected a value, found {value}")
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds():.9f}s"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        # Times are not read with an exponent.
        return f"{float(value):.9f}" if name in TIMES else repr(float(value))
    if is_listed(value):
        return ",".join(plain(name, one) for one in value)
    raise TopoloomError(f"{name}: expected a text or a number, found {type(value).__name__}")


def describes(*command: str, hides: Iterable[str] = ()) -> Callable[[_Function], _Function]:
    """Gives a function with `**options` the signature and the documentation of a command."""
    hidden = {*hides, "json", "output"}

    def decorate(function: _Function) -> _Function:
        known = {name: option for name, option in options(command).items() if name not in hidden}
        own = inspect.signature(function)
        kept = [one for one in own.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        names = {one.name for one in kept}
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False if option["is_flag"] else None)
            for name, option in known.items()
            if name not in names
        ]
        if PROGRESS not in names:
            added.append(inspect.Parameter(PROGRESS, inspect.Parameter.KEYWORD_ONLY, default=False))
        allowed = names | {one.name for one in added}

        @functools.wraps(function)
        def checked(*arguments: Any, **given: Any) -> Any:
            check_names(function.__name__, given, allowed)
            return function(*arguments, **given)

        checked.__signature__ = own.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
        checked.__doc__ = _documentation(function, {name: known[name] for name in known if name not in names})
        checked.command = command  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return decorate


def _documentation(function: Callable[..., Any], known: dict[str, dict[str, Any]]) -> str:
    lines = [inspect.cleandoc(function.__doc__ or ""), "", "Options:"]
    for name, option in sorted(known.items()):
        default = f" [default: {option['default']}]" if option["default"] else ""
        lines.append(f"    {name}: {' '.join(option['help'].split())}{default}")
    lines.append("    progress: True shows a progress bar (needs tqdm); a function gets task, done, total and best")
    return "\n".join(lines) + "\n"
