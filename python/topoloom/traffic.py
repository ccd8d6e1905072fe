"""What an application sends."""

from __future__ import annotations

import builtins
import numbers
import os
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, Union

from topoloom import _native
from topoloom._arguments import describes
from topoloom._call import Call, tell
from topoloom._native import TopoloomError
from topoloom.results import Picture, Record, captioned, counted

if TYPE_CHECKING:
    import networkx
    import numpy
    import numpy.typing
    import pandas
    import scipy.sparse
    from typing_extensions import Unpack

    from topoloom import _options

# Names of columns that an edge list may have.
SENDERS = ("from", "source", "sender", "src", "senders", "rank")
RECEIVERS = ("to", "target", "receiver", "dst", "receivers", "partner", "destination")
BYTES = ("bytes", "weight", "value", "size", "volume")
MESSAGES = ("messages", "count", "calls")


class Traffic:
    """What an application sends: for each pair of ranks, how many bytes and messages.

    The source may be a pattern, a file, an array, a sparse matrix, a table of flows or a graph:

    >>> Traffic("stencil:4x4,bytes=1000")
    Traffic of 16 ranks: 48 flows, 48,000 bytes, 48 messages (stencil:4x4,bytes=1000)
    >>> Traffic([[0, 5], [7, 0]]).bytes
    12.0
    """

    _inner: _native.Traffic
    #: The nodes of the graph that it was made from, in the order of ranks.
    labels: Optional[list[Any]] = None

    def __init__(self, source: Any, *, messages: Any = None, name: Optional[str] = None) -> None:
        made = _of(source, messages, name)
        self._inner, self.labels = made._inner, made.labels

    @classmethod
    def _wrap(cls, native: _native.Traffic) -> Traffic:
        traffic = cls.__new__(cls)
        traffic._inner = native
        return traffic

    @classmethod
    def load(cls, text: Union[str, os.PathLike[str]]) -> Traffic:
        """A pattern such as lu:class=C,ranks=64, or a file: a matrix, a table, a recording, a trace."""
        native, warned = _native.Traffic.load(os.fspath(text))
        tell(warned)
        return cls._wrap(native)

    @classmethod
    def from_numpy(cls, array: numpy.typing.ArrayLike, *, messages: Any = None, name: Optional[str] = None) -> Traffic:
        """A square array: the bytes from each rank (row) to each rank (column)."""
        matrix = _numbers("traffic", array)
        counts = None if messages is None else _numbers("messages", messages)
        if matrix.ndim != 2:
            raise TopoloomError(f"traffic: expected a square matrix, found an array of shape {matrix.shape}")
        return cls._wrap(_native.Traffic.from_dense(name or _array_name(matrix.shape[0]), matrix, counts))

    @classmethod
    def from_scipy(cls, matrix: Any, *, messages: Any = None, name: Optional[str] = None) -> Traffic:
        """A square sparse matrix of bytes, and perhaps one of messages.

        Compressed rows are read where they are, without another copy.
        """
        if len(matrix.shape) != 2:
            raise TopoloomError(f"traffic: expected a square matrix, found an array of shape {matrix.shape}")
        if messages is not None:
            return cls._of_two(matrix, messages, name)
        rows = matrix.tocsr()
        if rows.shape[0] != rows.shape[1]:
            raise TopoloomError(f"traffic: expected a square matrix, found {rows.shape[0]} x {rows.shape[1]}")
        data = _numbers("traffic", rows.data)
        name = name or _array_name(rows.shape[0])
        return cls._wrap(_native.Traffic.from_rows(name, rows.indptr, rows.indices, data))

    @classmethod
    def _of_two(cls, matrix: Any, messages: Any, name: Optional[str]) -> Traffic:
        """Two sparse matrices, whose entries may be for different pairs."""
        import numpy
        from scipy.sparse import coo_array

        sizes, counts = coo_array(matrix), coo_array(messages)
        if sizes.shape != counts.shape or sizes.shape[0] != sizes.shape[1]:
            raise TopoloomError(f"messages: expected a square matrix like the one of bytes, found {counts.shape}")
        none = numpy.zeros
        return cls.from_flows(
            numpy.concatenate([sizes.coords[0], counts.coords[0]]),
            numpy.concatenate([sizes.coords[1], counts.coords[1]]),
            numpy.concatenate([_numbers("traffic", sizes.data), none(counts.nnz)]),
            numpy.concatenate([none(sizes.nnz), _numbers("messages", counts.data)]),
            ranks=sizes.shape[0],
            name=name or _array_name(sizes.shape[0]),
        )

    @classmethod
    def from_flows(
        cls,
        senders: Any,
        receivers: Any,
        bytes: Any = None,
        messages: Any = None,
        *,
        ranks: Optional[int] = None,
        name: Optional[str] = None,
    ) -> Traffic:
        """Three or four columns: who sends, who receives, how many bytes, how many messages."""
        import numpy

        columns = [_numbers("senders", senders), _numbers("receivers", receivers)]
        columns.append(numpy.ones(len(columns[0])) if bytes is None else _numbers("bytes", bytes))
        counts = None if messages is None else _numbers("messages", messages)
        if ranks is not None and not (isinstance(ranks, numbers.Integral) and 0 <= ranks < 1 << 32):
            raise TopoloomError(f"ranks: expected a number of ranks, found {ranks!r}")
        native = _native.Traffic.from_flows(name or "flows", ranks, columns[0], columns[1], columns[2], counts)
        return cls._wrap(native if name else native.named(f"flows of {native.num_ranks} ranks"))

    @classmethod
    def from_pandas(
        cls,
        table: pandas.DataFrame,
        *,
        senders: Optional[str] = None,
        receivers: Optional[str] = None,
        bytes: Optional[str] = None,
        messages: Optional[str] = None,
        ranks: Optional[int] = None,
        name: Optional[str] = None,
    ) -> Traffic:
        """A table with one flow per row. Columns with usual names, such as source and target, are found."""
        sender = _column(table, senders, SENDERS, "senders")
        receiver = _column(table, receivers, RECEIVERS, "receivers")
        if sender is None or receiver is None:
            found = ", ".join(str(column) for column in table.columns)
            raise TopoloomError(
                "traffic: expected a table with the columns from and to (or give senders and receivers), "
                f"found {found or 'no columns'}"
            )
        size = _column(table, bytes, BYTES, "bytes")
        count = _column(table, messages, MESSAGES, "messages")
        others = len(table.columns) - 2 - (count is not None)
        if size is None and others > 0:
            found = ", ".join(str(column) for column in table.columns)
            raise TopoloomError(f"bytes: no column has a usual name; give bytes= with one of {found}")
        return cls.from_flows(
            sender.to_numpy(),
            receiver.to_numpy(),
            None if size is None else size.to_numpy(),
            None if count is None else count.to_numpy(),
            ranks=ranks,
            name=name,
        )

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.Graph,
        *,
        bytes: Optional[str] = None,
        messages: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Traffic:
        """A graph whose edges have bytes (or a weight, else 1). Without directions, both ends send as much.

        If the nodes are not 0, 1, 2 and so on, ranks follow their order in the graph, which `labels` keeps.
        """
        for attribute in (bytes, messages):
            if attribute and not any(attribute in about for _, _, about in graph.edges(data=True)):
                raise TopoloomError(f"traffic: no edge of the graph has {attribute!r}")
        nodes = list(graph.nodes())
        is_numbered = set(nodes) == set(range(len(nodes)))
        number = {node: node if is_numbered else place for place, node in enumerate(nodes)}
        senders, receivers, sizes, counts = [], [], [], []
        for a, b, about in graph.edges(data=True):
            size = about.get(bytes, 0) if bytes else next((about[key] for key in BYTES if key in about), 1)
            count = about.get(messages, 0) if messages else next((about[key] for key in MESSAGES if key in about), 1)
            ends = [(a, b)] if graph.is_directed() or a == b else [(a, b), (b, a)]
            for sender, receiver in ends:
                senders.append(number[sender])
                receivers.append(number[receiver])
                sizes.append(size)
                counts.append(count)
        name = name or f"graph of {len(nodes)} ranks"
        traffic = cls.from_flows(senders, receivers, sizes, counts, ranks=len(nodes), name=name)
        traffic.labels = None if is_numbered else nodes
        return traffic

    @property
    def name(self) -> str:
        """The pattern or file that it is from, or what it is called."""
        return self._inner.name

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self._inner.num_ranks

    @property
    def flows(self) -> int:
        """The number of ordered pairs of ranks that exchange anything point to point."""
        return self._inner.num_flows

    @property
    def collectives(self) -> int:
        """How many collective operations it has; :meth:`with_collectives` turns them into messages."""
        return self._inner.num_collectives

    @property
    def bytes(self) -> float:
        """All bytes of all flows, without collectives."""
        return self._inner.total("bytes")

    @property
    def messages(self) -> float:
        """All messages of all flows, without collectives."""
        return self._inner.total("messages")

    def with_collectives(self, mode: str = "algorithm") -> Traffic:
        """The same with collectives turned into messages: algorithm, direct, or none to leave them out."""
        traffic = self._wrap(self._inner.with_collectives(mode))
        traffic.labels = self.labels
        return traffic

    def to_scipy(self, weight: str = "bytes") -> scipy.sparse.csr_array:
        """A sparse matrix of the bytes (or messages) from each rank to each."""
        from scipy.sparse import csr_array

        start, receivers, values = self._inner.rows(weight)
        return csr_array((values, receivers, start), shape=(self.ranks, self.ranks))

    def to_numpy(self, weight: str = "bytes") -> numpy.ndarray:
        """A square array of the bytes (or messages) from each rank to each."""
        import numpy

        start, receivers, values = self._inner.rows(weight)
        matrix = numpy.zeros((self.ranks, self.ranks))
        matrix[numpy.repeat(numpy.arange(self.ranks), numpy.diff(start)), receivers] = values
        return matrix

    def to_pandas(self) -> pandas.DataFrame:
        """A table with one flow per row: from, to, bytes, messages."""
        import numpy
        import pandas

        start, receivers, sizes = self._inner.rows("bytes")
        counts = self._inner.rows("messages")[2]
        senders = numpy.repeat(numpy.arange(self.ranks), numpy.diff(start))
        return pandas.DataFrame({"from": senders, "to": receivers, "bytes": sizes, "messages": counts})

    def to_networkx(self) -> networkx.DiGraph:
        """A directed graph whose edges have bytes and messages."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(range(self.ranks) if self.labels is None else self.labels)
        label = (lambda rank: rank) if self.labels is None else self.labels.__getitem__
        for flow in self.to_pandas().itertuples(index=False):
            graph.add_edge(label(flow[0]), label(flow[1]), bytes=flow[2], messages=flow[3])
        return graph

    @describes("generate")
    def save(self, path: Union[str, os.PathLike[str]], **options: Unpack[_options.GenerateOptions]) -> None:
        """Writes it to a file, whose ending sets the format, such as traffic.mtx or traffic.csv."""
        Call("generate").operand(self).give({**options, "output": path}).run()

    @describes("traffic", "show", hides=["plot"])
    def summary(self, **options: Unpack[_options.TrafficShowOptions]) -> Record:
        """What is known of it: how much, between which ranks, with which structure; of a recording also where."""
        return Record(Call("traffic", "show").operand(self).give(dict(options)).json(), "summary")

    @describes("traffic", "groups")
    def groups(self, **options: Unpack[_options.TrafficGroupsOptions]) -> Any:
        """The groups of a training job, and what they send in a step."""
        return Call("traffic", "groups").operand(self).give(dict(options)).json()

    @describes("traffic", "scale")
    def scale(self, **options: Unpack[_options.TrafficScaleOptions]) -> Traffic:
        """The same with bytes, messages or both multiplied."""
        return self._edited("scale", [self], options)

    @describes("traffic", "filter")
    def filter(self, **options: Unpack[_options.TrafficFilterOptions]) -> Traffic:
        """Some of its ranks, its heavy flows, or its heaviest partners."""
        return self._edited("filter", [self], options)

    @describes("traffic", "symmetrize")
    def symmetrize(self, **options: Unpack[_options.TrafficSymmetrizeOptions]) -> Traffic:
        """The same with both directions of every pair alike."""
        return self._edited("symmetrize", [self], options)

    @describes("traffic", "coarsen")
    def coarsen(self, **options: Unpack[_options.TrafficCoarsenOptions]) -> Traffic:
        """Each group of ranks merged into one rank. `groups` may be an array with the group of each rank."""
        groups: Any = options.get("groups")
        if groups is not None and not isinstance(groups, (str, os.PathLike)):
            from topoloom.mapping import Mapping

            options = {**options, "groups": Mapping(groups)}
        return self._edited("coarsen", [self], options)

    @describes("traffic", "merge")
    def merge(self, *others: Any, **options: Unpack[_options.TrafficMergeOptions]) -> Traffic:
        """The sum with other traffic of the same ranks, or with `side_by_side=True` several jobs beside each other."""
        return self._edited("merge", [self, *(Traffic(one) for one in others)], options)

    def _edited(self, action: str, inputs: Sequence[Traffic], options: Any) -> Traffic:
        answer = Call("traffic", action).operand(*inputs).give({**options, "output": _native.IN_MEMORY}).run()
        assert answer.traffic is not None
        traffic = self._wrap(answer.traffic.named(f"{self.name}, {action}"))
        if traffic.ranks == self.ranks and action in ("scale", "symmetrize"):
            traffic.labels = self.labels
        return traffic

    def plot(self, **options: Any) -> Picture:
        """The matrix of the traffic as a picture."""
        from topoloom.commands import plot

        return plot("matrix", traffic=self, **options)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Traffic) and self._inner.is_same(other._inner)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = f", {counted(self.collectives, 'kind')} of collectives" if self.collectives else ""
        return (
            f"Traffic of {counted(self.ranks, 'rank')}: {counted(self.flows, 'flow')}, {self.bytes:,.0f} bytes, "
            f"{self.messages:,.0f} messages{more} ({self.name})"
        )

    def _repr_html_(self) -> Optional[str]:
        return captioned(self, self._repr_png_())

    def _repr_png_(self) -> Optional[builtins.bytes]:
        return None if self.ranks > 4096 else self.plot()._repr_png_()

    def __reduce__(self) -> tuple[Any, ...]:
        files = self._inner.contents()
        if self._inner.origin == "pattern" or files:
            return _restored, (type(self), self.name, None, files, self.labels)
        return _restored, (type(self), self.name, self._inner.state(), None, self.labels)


def _restored(kind: type[Traffic], name: str, state: Any, files: Any, labels: Any) -> Traffic:
    native = _native.Traffic.load(name, files)[0] if state is None else _native.Traffic.from_state(name, state)
    traffic = kind._wrap(native)
    traffic.labels = labels
    return traffic


def _of(source: Any, messages: Any, name: Optional[str]) -> Traffic:
    """Traffic of whatever a user has."""
    if name is not None and not isinstance(name, str):
        raise TopoloomError(f"name: expected a text, found {name!r}")
    if isinstance(source, Traffic) and messages is None:
        if name is None:
            return source
        traffic = Traffic._wrap(source._inner.named(name))
        traffic.labels = source.labels
        return traffic
    if isinstance(source, (str, os.PathLike)):
        if name is not None or messages is not None:
            raise TopoloomError("name and messages: a pattern or a file has its own")
        return Traffic.load(source)
    if hasattr(source, "tocsr"):
        return Traffic.from_scipy(source, messages=messages, name=name)
    if hasattr(source, "itertuples") and hasattr(source, "columns"):
        if _is_square_table(source):
            return Traffic.from_numpy(source.to_numpy(), messages=messages, name=name)
        _refuse_messages(messages)
        return Traffic.from_pandas(source, name=name)
    if hasattr(source, "adjacency") and hasattr(source, "is_directed"):
        _refuse_messages(messages)
        return Traffic.from_networkx(source, name=name)
    if hasattr(source, "__array__") or isinstance(source, (list, tuple)):
        return Traffic.from_numpy(source, messages=messages, name=name)
    raise TopoloomError(
        "traffic: expected a pattern, a file, an array, a sparse matrix, a table or a graph, "
        f"found {type(source).__name__}"
    )


def _refuse_messages(messages: Any) -> None:
    if messages is not None:
        raise TopoloomError("messages: expected only with a matrix; tables and graphs have them in a column")


def _is_square_table(table: Any) -> bool:
    """Whether a table is a matrix, whose rows and columns have the same names."""
    return len(table) == len(table.columns) and list(table.columns) == list(table.index)


def _column(table: Any, asked: Optional[str], usual: Iterable[str], what: str) -> Any:
    if asked is not None:
        if asked not in table.columns:
            found = ", ".join(str(column) for column in table.columns)
            raise TopoloomError(f"{what}: the table has no column {asked!r}, only {found}")
        return table[asked]
    return next((table[name] for name in usual if name in table.columns), None)


def _array_name(ranks: int) -> str:
    return f"array of {ranks} ranks"


def _numbers(name: str, array: Any) -> numpy.ndarray:
    """An array of numbers, the same one if it is that already."""
    import numpy

    if isinstance(array, numpy.ma.MaskedArray):
        # What is masked is not there.
        array = array.filled(0)
    try:
        result = numpy.asarray(array)
    except (TypeError, ValueError) as error:
        raise TopoloomError(f"{name}: expected numbers: {error}") from None
    if result.dtype.kind == "b":
        return result.view(numpy.uint8)
    if result.dtype.kind not in "iuf":
        raise TopoloomError(f"{name}: expected numbers, found an array of {result.dtype}")
    if not result.dtype.isnative or result.dtype.itemsize not in (1, 2, 4, 8) or result.dtype == numpy.float16:
        return result.astype(float)
    return result
