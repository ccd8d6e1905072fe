"""Topoloom decides which process of a parallel program should run where.

>>> import topoloom
>>> mapping = topoloom.map("lu:class=C,ranks=64", "torus:4x4x4")
>>> len(mapping.nodes), mapping.complete
(64, True)
"""

# `map` and `list` are not among the names of `from topoloom import *`: Python's own have the same.

from topoloom._call import InterruptedWarning, TopoloomWarning
from topoloom._native import InternalError, TopoloomError, __version__
from topoloom.commands import (
    advise,
    arrange,
    arrange_measure,
    arrange_platform,
    check,
    compare,
    lower_bound,
    plot,
    record,
    recover,
    report,
    reproduce,
    run,
    schedule,
    score,
    simulate,
    tune,
)
from topoloom.commands import list as list
from topoloom.commands import map as map
from topoloom.machine import Machine
from topoloom.mapping import Mapping
from topoloom.refinement import refine
from topoloom.results import Check, Comparison, LaunchFile, Picture, Record, Report, Rows
from topoloom.traffic import Traffic

__all__ = [
    "Check",
    "Comparison",
    "InternalError",
    "InterruptedWarning",
    "LaunchFile",
    "Machine",
    "Mapping",
    "Picture",
    "Record",
    "Report",
    "Rows",
    "TopoloomError",
    "TopoloomWarning",
    "Traffic",
    "__version__",
    "advise",
    "arrange",
    "arrange_measure",
    "arrange_platform",
    "check",
    "compare",
    "lower_bound",
    "plot",
    "record",
    "recover",
    "refine",
    "report",
    "reproduce",
    "run",
    "schedule",
    "score",
    "simulate",
    "tune",
]
