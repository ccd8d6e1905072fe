"""How far a command is, as tqdm shows it."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional

from topoloom._native import TopoloomError

Listener = Callable[[str, int, int, Optional[float]], Any]


@contextlib.contextmanager
def listener(progress: Any) -> Iterator[Optional[Listener]]:
    """What is told how far a command is: nothing, a function of the user, or a bar."""
    if progress is False or progress is None:
        yield None
    elif callable(progress):
        yield progress
    elif progress is True:
        with _bar() as bar:
            yield bar
    else:
        raise TopoloomError(f"progress: expected True, False or a function, found {progress!r}")


@contextlib.contextmanager
def _bar() -> Iterator[Listener]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise TopoloomError("progress: a bar needs tqdm (pip install tqdm); a function needs nothing") from None
    with tqdm(total=0, leave=False) as bar:

        def told(task: str, done: int, total: int, best: Optional[float]) -> None:
            bar.set_description_str(task, refresh=False)
            if best is not None:
                bar.set_postfix_str(f"best {best:,.6g}", refresh=False)
            bar.total, bar.n = total or None, done
            bar.refresh()

        yield told
