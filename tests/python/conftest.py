"""What the tests of the Python package share.

pytest tests/python        with the package installed; TOPOLOOM=PATH names the program to compare with
"""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """Runs the program with some arguments; gives its exit code, standard output and standard error."""
    command = [os.environ["TOPOLOOM"]] if "TOPOLOOM" in os.environ else [sys.executable, "-m", "topoloom"]

    def run(*arguments, cwd=None):
        words = [*command, *(str(argument) for argument in arguments)]
        ended = subprocess.run(words, capture_output=True, text=True, cwd=cwd, timeout=300)
        return ended.returncode, ended.stdout, ended.stderr

    return run


@pytest.fixture(scope="session")
def examples():
    """The folder of examples of the project."""
    return ROOT / "examples"
