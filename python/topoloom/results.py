"""What commands give back."""

from __future__ import annotations

import base64
import copy
import html
import os
from collections.abc import Mapping as MappingType
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from topoloom import _native
from topoloom._native import TopoloomError

if TYPE_CHECKING:
    import pandas


class Record(MappingType):  # type: ignore[type-arg]
    """What `--json` prints, with its fields also as attributes: `score.hop_bytes` is `score["hop_bytes"]`."""

    def __init__(self, fields: dict[str, Any], kind: str = "record") -> None:
        self._fields = fields
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no field {name!r}, only {', '.join(self._fields)}") from None

    def __getitem__(self, name: str) -> Any:
        value = self._fields[name]
        return Record(value, name) if isinstance(value, dict) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def to_dict(self) -> dict[str, Any]:
        """The fields as an ordinary dictionary, which is a copy."""
        return copy.deepcopy(self._fields)

    def __repr__(self) -> str:
        shown = [f"{name} {_cell(value)}" for name, value in self._fields.items() if _is_plain(value)]
        shown = shown or [*self._fields]
        more = ", ..." if len(shown) > 6 else ""
        return f"{self._kind}: {', '.join(shown[:6])}{more}"

    def _repr_html_(self) -> str:
        rows = [(name, _cell(value)) for name, value in self._fields.items() if _is_plain(value)]
        return _table(["", ""], rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._fields, self._kind)


class Comparison(Sequence):  # type: ignore[type-arg]
    """Strategies side by side, best first: a sequence of dictionaries, as `pandas.DataFrame` takes it."""

    #: The columns of the table that a notebook shows.
    SHOWN = ("strategy", "hop_bytes", "average_dilation", "max_dilation", "max_link_load", "gap", "seconds")

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def best(self) -> Record:
        """The first row."""
        return Record(self.rows[0], "best")

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a row per strategy; numbers in groups, such as statistics, have dotted names."""
        import pandas

        return pandas.json_normalize(self.rows)

    def __repr__(self) -> str:
        number = f"{len(self)} {'strategy' if len(self) == 1 else 'strategies'}"
        ran = [row for row in self.rows if "hop_bytes" in row]
        if not ran:
            return f"Comparison of {number}, none of which fits"
        best = ran[0]
        return f"Comparison of {number}: best {best['strategy']}, {best['objective']} {best['objective_cost']:,.6g}"

    def _repr_html_(self) -> str:
        columns = [name for name in self.SHOWN if any(name in row for row in self.rows)]
        titles = [name.replace("_", " ") for name in columns]
        rows = [
            [_cell(row.get(name, row.get("not_applicable", "") if name == columns[-1] else "")) for name in columns]
            for row in self.rows
        ]
        return _table(titles, rows)


class Picture:
    """A picture, as SVG and PNG. A notebook shows it."""

    def __init__(self, svg: str, png: bytes) -> None:
        self.svg, self.png = svg, png

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes it to a file whose name ends in .svg or .png."""
        path = os.fspath(path)
        ending = os.path.splitext(path)[1].lower()
        if ending not in (".svg", ".png"):
            raise TopoloomError(f"{path}: expected a name that ends in .svg or .png")
        _native.write_file(path, self.png if ending == ".png" else self.svg.encode())

    def __repr__(self) -> str:
        return f"Picture: {len(self.svg):,} bytes of SVG, {len(self.png):,} bytes of PNG"

    def _repr_png_(self) -> bytes:
        return self.png


class Report:
    """A page that shows why a placement is better. It loads nothing from the network."""

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page to a file."""
        _native.write_file(os.fspath(path), self.html.encode())

    def __repr__(self) -> str:
        return f"Report: a page of {len(self.html):,} bytes; save it, or show it in a notebook"

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 800px; border: 1px solid #ccc"></iframe>'


class LaunchFile:
    """What a launcher reads, and the command that starts the job."""

    def __init__(self, content: str, command: str, path: Optional[str]) -> None:
        self.content, self.command, self.path = content, command, path

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        where = f" in {self.path}" if self.path else ""
        command = self.command if len(self.command) <= 100 else f"{self.command[:97]}..."
        return f"LaunchFile of {counted(len(self.content.splitlines()), 'line')}{where}: {command}"


class Rows(list):  # type: ignore[type-arg]
    """A list of dictionaries, which a notebook shows as a table."""

    def __repr__(self) -> str:
        names = [str(row.get("name", "")) for row in self if isinstance(row, dict)]
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return f"{counted(len(self), 'row')}: {shown}" if any(names) else counted(len(self), "row")

    def _repr_html_(self) -> str:
        columns = [name for name, value in self[0].items() if _is_plain(value)] if self else []
        return _table(columns, [[_cell(row.get(name)) for name in columns] for row in self])


class Check:
    """Whether a mapping is valid, and what is wrong with it."""

    def __init__(self, valid: bool, text: str) -> None:
        self.valid, self.text = valid, text

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        return self.text.strip()


def counted(number: int, noun: str) -> str:
    """A number of things, such as 1 host or 2 hosts."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def captioned(thing: object, png: Optional[bytes]) -> Optional[str]:
    """A picture under the words that describe what it shows."""
    if png is None:
        return None
    source = base64.b64encode(png).decode()
    words = html.escape(repr(thing))
    return f'<figure><figcaption>{words}</figcaption><img src="data:image/png;base64,{source}" alt=""></figure>'


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.6g}"
    return "" if value is None else str(value)


def _side(cell: str) -> str:
    return "right" if cell[:1].isdigit() else "left"


def _table(titles: Sequence[str], rows: Any) -> str:
    head = "".join(f"<th>{html.escape(title)}</th>" for title in titles) if any(titles) else ""
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align: {_side(cell)}">{html.escape(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
