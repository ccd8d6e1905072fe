"""Which rank runs where."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence, Union

from topoloom import _native
from topoloom._arguments import describes
from topoloom._call import Call
from topoloom._native import TopoloomError
from topoloom.machine import Machine
from topoloom.results import LaunchFile, Picture, Record, captioned, counted
from topoloom.traffic import Traffic

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

    from topoloom import _options


class Mapping:
    """A placement: the slot, the node and, on a cluster, the host of each rank.

    It is found by :func:`topoloom.map`, read from a file, or made of an array with the node of each rank
    (or, with `slots=True`, the slot).
    """

    _inner: _native.Mapping
    #: What was placed, if it is known.
    traffic: Optional[Traffic] = None
    #: Where it was placed, if it is known.
    machine: Optional[Machine] = None
    #: What `topoloom map` reports, if a search found it.
    record: Optional[Record] = None
    #: The cost, and whether the search ran to its end, if :func:`topoloom.refine` found it.
    _found: Optional[tuple[float, bool]] = None

    def __init__(
        self,
        source: Any,
        *,
        slots: bool = False,
        traffic: Any = None,
        machine: Any = None,
        name: Optional[str] = None,
    ) -> None:
        self.traffic = None if traffic is None else Traffic(traffic)
        self.machine = None if machine is None else Machine(machine)
        self._name = name
        if isinstance(source, (str, os.PathLike)):
            self._inner = _native.Mapping.load(os.fspath(source))
            self._name = name or os.fspath(source)
            return
        if isinstance(source, Mapping):
            self._inner, self._name = source._inner, name or source._name
            self.traffic, self.machine = self.traffic or source.traffic, self.machine or source.machine
            self.record, self._found = source.record, source._found
            return
        if slots and self.machine is None:
            raise TopoloomError("machine: the machine is needed to know which node a slot belongs to")
        import numpy

        array = numpy.asarray(source)
        if array.size == 0:
            raise TopoloomError("mapping: expected at least one rank")
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise TopoloomError(
                f"mapping: expected the {'slot' if slots else 'node'} of each rank, found an array of "
                f"{array.dtype} with shape {array.shape}"
            )
        self._inner = _native.Mapping.of(array, slots, None if self.machine is None else self.machine._inner)

    @classmethod
    def _wrap(cls, native: _native.Mapping, traffic: Any, machine: Any, record: Optional[Record]) -> Mapping:
        mapping = cls.__new__(cls)
        mapping._inner, mapping._name = native, None
        mapping.traffic, mapping.machine, mapping.record = traffic, machine, record
        return mapping

    @property
    def name(self) -> str:
        """What tables call it."""
        return self._name or (f"mapping by {self.strategy}" if self.strategy else "mapping")

    @property
    def nodes(self) -> numpy.ndarray:
        """The node of each rank. The array cannot be changed; copy it to make another mapping."""
        return _fixed(self._inner.nodes)

    @property
    def slots(self) -> numpy.ndarray:
        """The slot of each rank, counted across the whole machine."""
        slots = self._inner.slots
        if slots is None:
            raise TopoloomError("the slots are not known: this mapping was made of nodes alone")
        return _fixed(slots)

    @property
    def hosts(self) -> Optional[list[str]]:
        """The host of each rank, if the machine knows its hosts."""
        return self._inner.hosts

    @property
    def strategy(self) -> Optional[str]:
        """The strategy that found it."""
        return self._inner.strategy

    @property
    def objective(self) -> Optional[str]:
        """What was minimised."""
        return self._inner.objective

    @property
    def seed(self) -> Optional[int]:
        """The seed of the search."""
        return self._inner.seed

    @property
    def cost(self) -> Optional[float]:
        """What it costs under its objective, if a search found it."""
        if self._found is not None:
            return self._found[0]
        return None if self.record is None else self.record.get("objective_cost")

    @property
    def complete(self) -> bool:
        """True if the search ran to its end: no limit and no Ctrl-C cut it short."""
        if self._found is not None:
            return self._found[1]
        return self.record is None or bool(self.record.get("complete", True))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes it to a file: JSON, or one node number per line if the name ends in .txt."""
        self._inner.save(os.fspath(path))

    @describes("apply", hides=["mapping", "format"])
    def apply(
        self, format: str, path: Union[str, os.PathLike[str], None] = None, **options: Unpack[_options.ApplyOptions]
    ) -> LaunchFile:
        """The file that makes a launcher start the job this way, and the command; written if a path is given."""
        answer = Call("apply").give({**options, "mapping": self, "format": format, "output": path}).run()
        if path is None:
            return LaunchFile(answer.printed, "".join(answer.notes), None)
        with open(path, encoding="utf-8") as file:
            return LaunchFile(file.read(), answer.printed.strip(), os.fspath(path))

    @describes("verify", hides=["mapping"])
    def verify(self, command: Sequence[str], **options: Unpack[_options.VerifyOptions]) -> Record:
        """Starts a job as a probe, and checks whether every rank is where this mapping puts it."""
        return Record(Call("verify").give({**options, "mapping": self}).job(command).json(), "verified")

    def plot(self, kind: str = "machine", **options: Any) -> Picture:
        """The machine with what its links carry, or another kind of picture."""
        from topoloom.commands import plot

        options = {"traffic": self._known("traffic"), "machine": self._known("machine"), **options}
        return plot(kind, strategy=[self], **options)

    def report(self, **options: Any) -> Any:
        """One page that shows why it is better."""
        from topoloom.commands import report

        return report(self._known("traffic"), self._known("machine"), mapping=self, **options)

    def score(self, **options: Any) -> Record:
        """How good it is."""
        from topoloom.commands import score

        return score(self._known("traffic"), self._known("machine"), self, **options)

    def check(self, **options: Any) -> Any:
        """Whether it is valid."""
        from topoloom.commands import check

        return check(self._known("traffic"), self._known("machine"), self, **options)

    def simulate(self, **options: Any) -> Record:
        """A simulated run."""
        from topoloom.commands import simulate

        return simulate(self._known("traffic"), self._known("machine"), self, **options)

    def _known(self, what: str) -> Any:
        value = getattr(self, what)
        if value is None:
            raise TopoloomError(f"{what}: this mapping does not know it; make it with Mapping(..., {what}=...)")
        return value

    def __len__(self) -> int:
        return self._inner.num_ranks

    def __getitem__(self, rank: Any) -> Any:
        return self.nodes[rank]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __array__(self, dtype: Any = None, copy: Any = None) -> numpy.ndarray:
        return self.nodes if dtype is None else self.nodes.astype(dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self._inner.json() == other._inner.json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        machine = self._inner.machine or (self.machine.name if self.machine else None)
        parts = [f"Mapping of {counted(len(self), 'rank')}" + (f" on {machine}" if machine else "")]
        if self.strategy:
            parts.append(f"by {self.strategy}")
        if self.cost is not None:
            parts.append(f"{self.objective or 'cost'} {self.cost:,.6g}")
        gain = None if self.record is None else self.record.get("gain")
        if gain and gain >= 0.0005:
            parts.append(f"{gain:.1%} below {self.record['baseline']}")  # type: ignore[index]
        if not self.complete:
            parts.append("cut short")
        return ", ".join(parts)

    def _repr_png_(self) -> Optional[bytes]:
        if self.traffic is None or self.machine is None:
            return None
        try:
            return self.plot()._repr_png_()
        except TopoloomError:
            return None

    def _repr_html_(self) -> Optional[str]:
        return captioned(self, self._repr_png_())

    def __reduce__(self) -> tuple[Any, ...]:
        known = (self.traffic, self.machine, self.record, self._found, self._name)
        return _restored, (type(self), self._inner.json(), *known)


def _restored(
    kind: type[Mapping], text: str, traffic: Any, machine: Any, record: Any, found: Any, name: Any
) -> Mapping:
    mapping = kind._wrap(_native.Mapping.parse("mapping.json", text.encode()), traffic, machine, record)
    mapping._found, mapping._name = found, name
    return mapping


def _fixed(array: numpy.ndarray) -> numpy.ndarray:
    array.setflags(write=False)
    return array
