"""The commands of the program as functions."""

from __future__ import annotations

import builtins
import os
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from topoloom import _native
from topoloom._arguments import describes
from topoloom._call import Call
from topoloom.machine import Machine
from topoloom.mapping import Mapping
from topoloom.results import Check, Comparison, Picture, Record, Report, Rows
from topoloom.traffic import Traffic

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from topoloom import _options

#: Anything that stands for traffic: see :class:`Traffic`.
TrafficLike = Any
#: Anything that stands for a machine.
MachineLike = Union[str, "os.PathLike[str]", Machine]
#: A mapping, a file, a strategy, or an array with the node of each rank.
MappingLike = Any


@describes("map")
def map(traffic: TrafficLike, machine: Optional[MachineLike] = None, **options: Unpack[_options.MapOptions]) -> Mapping:
    """Finds a placement.

    For a recording, you may leave out the machine: Topoloom then uses the places where the ranks ran. Ctrl-C ends the
    search, and the best placement so far is returned with a warning. A second Ctrl-C raises KeyboardInterrupt.
    """
    traffic, machine = _traffic(traffic), _machine(machine)
    call = Call("map").give({**options, "traffic": traffic, "machine": machine, "json": True})
    answer = call.run()
    assert answer.mapping is not None
    return Mapping._wrap(answer.mapping, traffic, machine, _record(answer.printed, "map"))


@describes("score")
def score(
    traffic: TrafficLike,
    machine: Optional[MachineLike] = None,
    mapping: MappingLike = None,
    **options: Unpack[_options.ScoreOptions],
) -> Record:
    """How good a placement is: its cost, what links carry, how far it is from a lower bound."""
    given = {"traffic": _traffic(traffic), "machine": _machine(machine), "mapping": mapping}
    return Record(Call("score").give({**given, **options}).json(), "score")


@describes("score", hides=["mapping", "objective"])
def lower_bound(
    traffic: TrafficLike, machine: Optional[MachineLike] = None, **options: Unpack[_options.LowerBoundOptions]
) -> Optional[float]:
    """A proven lower bound of hop-bytes: no placement costs less. None if none could be computed in time."""
    given: Any = {"mapping": "in-order", **options}
    return score(traffic, machine, **given).get("lower_bound")


@describes("compare", hides=["html", "csv", "reproducible"])
def compare(
    traffic: TrafficLike,
    machine: Optional[MachineLike] = None,
    strategy: Any = None,
    **options: Unpack[_options.CompareOptions],
) -> Comparison:
    """Runs several strategies, best first. `strategy` is a list, which may also hold mappings."""
    given = {"traffic": _traffic(traffic), "machine": _machine(machine), "strategy": strategy}
    return Comparison(Call("compare").give({**given, **options}).json())


@describes("simulate")
def simulate(
    traffic: TrafficLike = None,
    machine: Optional[MachineLike] = None,
    mapping: MappingLike = None,
    **options: Unpack[_options.SimulateOptions],
) -> Record:
    """How fast a placement would run: what ranks do is replayed on a simulated network. An estimate."""
    given = {"traffic": _traffic(traffic), "machine": _machine(machine), "mapping": mapping}
    return Record(Call("simulate").give({**given, **options}).json(), "simulation")


@describes("report")
def report(
    traffic: TrafficLike,
    machine: Optional[MachineLike] = None,
    mapping: MappingLike = None,
    **options: Unpack[_options.ReportOptions],
) -> Report:
    """One page that shows why a placement is better."""
    given = {"traffic": _traffic(traffic), "machine": _machine(machine), "mapping": mapping}
    answer = Call("report").give({**given, **options, "output": _native.IN_MEMORY}).run()
    assert answer.page is not None
    return Report(answer.page)


@describes("plot")
def plot(kind: str, **options: Unpack[_options.PlotOptions]) -> Picture:
    """A picture: matrix, machine, bars, loads, curve or groups."""
    given: dict[str, Any] = {**options}
    if given.get("traffic") is not None:
        given["traffic"] = _traffic(given["traffic"])
    answer = Call("plot").operand(kind).give({**given, "output": _native.IN_MEMORY}).run()
    assert answer.picture is not None
    return Picture(*answer.picture)


@describes("advise")
def advise(traffic: TrafficLike = None, **options: Unpack[_options.AdviseOptions]) -> Record:
    """Which shape of partition, or which hosts of a cluster, to ask for."""
    return Record(Call("advise").give({**options, "traffic": _traffic(traffic)}).json(), "advice")


@describes("check")
def check(
    traffic: TrafficLike,
    machine: Optional[MachineLike] = None,
    mapping: MappingLike = None,
    **options: Unpack[_options.CheckOptions],
) -> Check:
    """Whether a mapping is valid: true or false, and why."""
    given = {"traffic": _traffic(traffic), "machine": _machine(machine), "mapping": mapping}
    answer = Call("check").give({**given, **options}).run()
    return Check(answer.code == 0, answer.printed)


@describes("arrange", hides=["svg", "mapping"])
def arrange(platform: Any, **options: Unpack[_options.ArrangeOptions]) -> Record:
    """Divides a matrix or a domain among processors of different speed, and arranges the parts for the network."""
    return Record(Call("arrange").give({**options, "platform": platform}).json(), "arrangement")


@describes("arrange", "platform")
def arrange_platform(platform: Any, **options: Unpack[_options.ArrangePlatformOptions]) -> Record:
    """What is known of a platform of clusters."""
    return Record(Call("arrange", "platform").operand(platform).give(dict(options)).json(), "platform")


@describes("arrange", "measure")
def arrange_measure(**options: Unpack[_options.ArrangeMeasureOptions]) -> str:
    """The speed of this machine at several sizes of a matrix multiplication, as a file for platforms."""
    return Call("arrange", "measure").give(dict(options)).run().printed


@describes("schedule")
def schedule(machine: MachineLike, **options: Unpack[_options.ScheduleOptions]) -> Any:
    """Simulates a stream of jobs on a machine: which wait, which nodes they get, how long they take."""
    return _any(Call("schedule").give({**options, "machine": _machine(machine)}).json(), "schedule")


@describes("record", hides=["recover"])
def record(
    command: Sequence[str],
    output: Union[str, os.PathLike[str]] = "traffic.rec",
    **options: Unpack[_options.RecordOptions],
) -> Traffic:
    """Runs an MPI job, records what it sends, and gives that as traffic."""
    Call("record").give({**options, "output": output}).job(command).run()
    return Traffic.load(output)


@describes("record", hides=["trace", "times", "scratch", "recover"])
def recover(folder: Union[str, os.PathLike[str]], output: Union[str, os.PathLike[str]] = "traffic.rec") -> Traffic:
    """A recording from the files that the ranks of a killed run left in a folder."""
    Call("record").give({"recover": folder, "output": output}).run()
    return Traffic.load(output)


@describes("run")
def run(
    command: Sequence[str], mapping: MappingLike = None, reorder: Any = None, **options: Unpack[_options.RunOptions]
) -> int:
    """Runs an MPI job whose ranks are given to other processes, and gives its exit code."""
    if isinstance(reorder, bool):
        reorder = "all" if reorder else None
    given = {**options, "mapping": mapping, "reorder": reorder}
    return Call("run").give(given).job(command).run().code


@describes("tune")
def tune(command: Sequence[str], **options: Unpack[_options.TuneOptions]) -> Record:
    """Records a job, finds a better placement, verifies it, and gives the new command."""
    return Record(Call("tune").give(dict(options)).job(command).json(), "tuned")


@describes("list", hides=["markdown"])
def list(kind: Optional[str] = None, **options: Unpack[_options.ListOptions]) -> Any:
    """What can be named: topologies, traffic, strategies, objectives, routings, formats and more."""
    call = Call("list") if kind is None else Call("list").operand(kind)
    return _any(call.give(dict(options)).json(), "list")


@describes("reproduce", hides=["figures"])
def reproduce(paper: str, **options: Unpack[_options.ReproduceOptions]) -> Any:
    """A paper's tables beside the published ones."""
    return _any(Call("reproduce").operand(paper).give(dict(options)).json(), "reproduced")


def _traffic(traffic: TrafficLike) -> Any:
    return None if traffic is None else Traffic(traffic)


def _machine(machine: Optional[MachineLike]) -> Optional[Machine]:
    return None if machine is None else Machine(machine)


def _record(text: str, kind: str) -> Record:
    import json

    return Record(json.loads(text), kind)


def _any(value: Any, kind: str) -> Any:
    if isinstance(value, dict):
        return Record(value, kind)
    return Rows(value) if isinstance(value, builtins.list) else value
