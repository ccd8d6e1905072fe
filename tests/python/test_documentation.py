"""What is written about the package is true."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import topoloom
from conftest import ROOT
from topoloom import _native

PAGE = ROOT / "docs" / "python.md"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_examples_of_the_page():
    pytest.importorskip("pandas")
    pytest.importorskip("networkx")
    numpy = pytest.importorskip("numpy")
    if int(numpy.__version__.split(".")[0]) < 2:
        pytest.skip("numbers are shown in another way by this numpy")
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=OPTIONS)
    assert found.attempted > 15 and found.failed == 0


def test_examples_of_the_code():
    attempted = 0
    for module in pkgutil.iter_modules(topoloom.__path__, "topoloom."):
        if module.name not in ("topoloom.__main__", "topoloom._native"):
            found = doctest.testmod(importlib.import_module(module.name), optionflags=OPTIONS)
            assert found.failed == 0
            attempted += found.attempted
    assert attempted >= 5


def leaves(command, words=()):
    """Every command that does something by itself."""
    inner = command["commands"]
    if not inner or words == ("arrange",):
        yield " ".join(words)
    for name, one in inner.items():
        yield from leaves(one, (*words, name))


def table():
    rows = re.findall(r"^\| `([a-z ]+)` \| (.*) \|$", PAGE.read_text(), re.M)
    return {command: re.findall(r"`([A-Za-z_.]+)`", functions) for command, functions in rows}


def resolved(name):
    found = importlib.import_module("topoloom")
    for word in name.removeprefix("topoloom.").split("."):
        found = getattr(found, word)
    return found


def test_every_command_has_a_function():
    commands = set(leaves(_native.commands()))
    documented = table()
    assert set(documented) == commands
    for command, functions in documented.items():
        if command in ("docs", "completions", "man"):
            continue
        assert functions, command
        of_command = [getattr(resolved(name), "command", None) for name in functions]
        assert tuple(command.split()) in of_command, f"none of {functions} carries out {command}"


def test_every_function_is_in_the_table():
    documented = {name for functions in table().values() for name in functions}
    for name in topoloom.__all__:
        one = getattr(topoloom, name)
        if inspect.isfunction(one) and name != "refine":
            assert f"topoloom.{name}" in documented
    for kind in (topoloom.Traffic, topoloom.Machine, topoloom.Mapping):
        for name, member in vars(kind).items():
            if hasattr(getattr(member, "__func__", member), "command"):
                assert f"{kind.__name__}.{name}" in documented


def test_every_option_of_a_command_is_a_keyword():
    left_out = {"json", "output", "csv", "html", "markdown", "svg", "plot", "figures", "recover"}
    for command, functions in table().items():
        for name in functions:
            function = resolved(name)
            if getattr(function, "command", None) != tuple(command.split()) or name.endswith(
                ("lower_bound", "recover")
            ):
                continue
            known = set(inspect.signature(function).parameters)
            from topoloom import _arguments

            missing = {option for option in _arguments.options(function.command) if option not in known} - left_out
            own = {"mapping", "format"} if name.startswith("Mapping.") else {"mapping", "reproducible"}
            assert missing <= own, (name, missing)


def test_types():
    pytest.importorskip("mypy")
    # The installed package is checked as its users see it, with a script that uses it.
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "topoloom"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert checked.returncode == 0, checked.stdout
    script = 'import topoloom\ntopoloom.map("ring:4", "mesh:4", seed=1)\ntopoloom.map("ring:4", "mesh:4", sed=1)\n'
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert checked.returncode == 1 and '"sed"' in checked.stdout and "found 1 error" in checked.stdout.lower(), (
        checked.stdout
    )


def test_options_for_type_checkers_are_up_to_date():
    writer = ROOT / "python" / "tools" / "write_options.py"
    checked = subprocess.run([sys.executable, str(writer), "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_lines_fit():
    for path in (ROOT / "python").rglob("*.py*"):
        if path.suffix in (".py", ".pyi"):
            assert all(len(line) <= 120 for line in path.read_text().splitlines()), path
