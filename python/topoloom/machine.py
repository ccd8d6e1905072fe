"""Where an application runs."""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from topoloom import _native
from topoloom._arguments import check_names, describes
from topoloom._call import Call, tell
from topoloom._native import TopoloomError
from topoloom.results import Picture, Record, captioned, counted

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from topoloom import _options

# Under this name, machines that were imported are kept until they are saved.
IMPORTED = "imported.json"


class Machine:
    """A machine: nodes with slots for ranks, links between them, and how messages travel.

    >>> machine = Machine("torus:4x4x4")
    >>> machine
    Machine torus:4x4x4: 64 nodes, 64 slots, 384 links, dimension-order
    >>> machine.distance(0, 21)
    3
    """

    _inner: _native.Machine

    def __init__(self, source: Union[str, os.PathLike[str], Machine]) -> None:
        if isinstance(source, Machine):
            self._inner = source._inner
            return
        if not isinstance(source, (str, os.PathLike)):
            raise TopoloomError(
                f"machine: expected a specification such as torus:4x4x4 or a file, found {type(source).__name__}"
            )
        self._inner, warned = _native.Machine.load(os.fspath(source))
        tell(warned)

    @classmethod
    def _of_content(cls, content: bytes) -> Machine:
        machine = cls.__new__(cls)
        machine._inner, _ = _native.Machine.load(IMPORTED, [(IMPORTED, content)])
        return machine

    @classmethod
    @describes("machine", "import")
    def from_files(
        cls, *files: Union[str, os.PathLike[str]], **options: Unpack[_options.MachineImportOptions]
    ) -> Machine:
        """A cluster from files: hwloc XML, Slurm's topology.conf, ibnetdiscover, lists of hosts and many more."""
        return cls._joined(Call("machine", "import").operand(*files), options)

    @classmethod
    def from_hosts(
        cls,
        hosts: Union[str, Sequence[str]],
        *,
        slots: Optional[int] = None,
        node: Union[str, os.PathLike[str], None] = None,
        **options: Any,
    ) -> Machine:
        """A cluster of hosts, such as ["n01", "n02"] or "n[01-16]". `node` is the hwloc XML of one of them.

        `slots` says how many ranks each host takes: by default 1, or the cores of `node`. Without a network, all
        hosts are equally far from each other.
        """
        from tempfile import TemporaryDirectory

        check_names("from_hosts", options, {*inspect.signature(cls.from_files).parameters} - {"files", "hosts"})
        if not isinstance(hosts, str):
            wrong = [host for host in hosts if not isinstance(host, str)]
            twice = [host for host in hosts if list(hosts).count(host) > 1]
            if wrong or twice or not hosts:
                found = wrong[0] if wrong else f"{twice[0]} twice" if twice else "none"
                raise TopoloomError(f"hosts: expected names of different hosts, found {found}")
        listed = hosts if isinstance(hosts, str) else ",".join(hosts)
        if node is not None:
            if slots is not None:
                options["slots"] = slots
            return cls.from_files(node, hosts=listed, **options)
        with TemporaryDirectory(prefix="topoloom-") as folder:
            path = os.path.join(folder, "hosts")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join([hosts] if isinstance(hosts, str) else hosts) + "\n")
            return cls.from_files(path, slots=1 if slots is None else slots, **options)

    @classmethod
    @describes("machine", "detect")
    def detect(cls, **options: Unpack[_options.MachineDetectOptions]) -> Machine:
        """The node that this process runs on."""
        return cls._joined(Call("machine", "detect"), options)

    @classmethod
    def _joined(cls, call: Call, options: Any) -> Machine:
        answer = call.give(options).run()
        assert answer.machine is not None
        return cls._of_content(bytes(answer.machine))

    @classmethod
    @describes("machine", "measure")
    def measure(
        cls, command: Optional[Sequence[str]] = None, **options: Unpack[_options.MachineMeasureOptions]
    ) -> Record:
        """Measures what messages cost at each level, with threads here or with an MPI job on all hosts."""
        call = Call("machine", "measure").give(dict(options))
        return Record((call if command is None else call.job(command)).json(), "measured")

    @property
    def name(self) -> str:
        """The specification or file that it is from."""
        return self._inner.name

    @property
    def specification(self) -> str:
        """Its specification, as mapping files name it."""
        return self._inner.specification

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self._inner.num_nodes

    @property
    def slots(self) -> int:
        """The number of slots, each of which takes a rank."""
        return self._inner.num_slots

    @property
    def links(self) -> int:
        """The number of links."""
        return self._inner.num_links

    @property
    def routing(self) -> str:
        """How messages travel."""
        return self._inner.routing

    @property
    def hosts(self) -> Optional[list[str]]:
        """The names of its hosts, if it has any."""
        return self._inner.hosts

    def distance(self, a: Any, b: Any) -> Any:
        """The distance from node a to node b; of arrays, the distance of each pair."""
        if any(hasattr(one, "__len__") and not isinstance(one, str) for one in (a, b)):
            import numpy

            try:
                first, second = numpy.broadcast_arrays(numpy.asarray(a), numpy.asarray(b))
            except ValueError as error:
                raise TopoloomError(f"distance: {error}") from None
            flat = self._inner.distances(numpy.ravel(first), numpy.ravel(second))
            return flat.reshape(first.shape)
        return self._inner.distance(_node("a", a), _node("b", b))

    def node_name(self, node: int) -> str:
        """The name of a node: its coordinates, or its host and core."""
        return self._inner.node_name(_node("node", node))

    @describes("machine", "show")
    def summary(self, **options: Unpack[_options.MachineShowOptions]) -> Record:
        """What is known of it."""
        return Record(Call("machine", "show").operand(self).give(dict(options)).json(), "machine")

    @describes("machine", "routes")
    def routes(self, **options: Unpack[_options.MachineRoutesOptions]) -> Record:
        """What the routing of a network does to its links, beside other routings."""
        return Record(Call("machine", "routes").operand(self).give(dict(options)).json(), "routes")

    @describes("machine", "export")
    def export(
        self,
        format: str,
        path: Union[str, os.PathLike[str], None] = None,
        **options: Unpack[_options.MachineExportOptions],
    ) -> str:
        """The machine for another program, such as simgrid; also written to a file if a path is given."""
        call = Call("machine", "export").operand(self).give({**options, "format": format, "output": path})
        printed = call.run().printed
        if path is not None:
            with open(path, encoding="utf-8") as file:
                return file.read()
        return printed

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a described machine to a file for `--machine FILE`, or the specification of any other."""
        self._inner.save(os.fspath(path))

    def plot(self, **options: Any) -> Picture:
        """The machine as a picture."""
        from topoloom.commands import plot

        return plot("machine", machine=self, **options)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Machine):
            return NotImplemented
        return self.name == other.name and self._inner.contents() == other._inner.contents()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        hosts = [] if self.hosts is None else [counted(len(self.hosts), "host")]
        parts = [*hosts, counted(self.nodes, "node"), counted(self.slots, "slot"), counted(self.links, "link")]
        return f"Machine {self.name}: {', '.join(parts)}, {self.routing}"

    def _repr_png_(self) -> Optional[bytes]:
        try:
            return self.plot()._repr_png_()
        except TopoloomError:
            return None

    def _repr_html_(self) -> Optional[str]:
        return captioned(self, self._repr_png_())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.name, self._inner.contents())


def _restored(kind: type[Machine], name: str, files: Any) -> Machine:
    machine = kind.__new__(kind)
    machine._inner, _ = _native.Machine.load(name, files)
    return machine


def _node(name: str, node: Any) -> int:
    if isinstance(node, bool) or not hasattr(node, "__index__") or node < 0 or node >= 1 << 32:
        raise TopoloomError(f"{name}: expected the number of a node, found {node!r}")
    return int(node)
