"""Orders of ranks: how each is asked for, and which rank a process of the launcher then has."""

import dataclasses
import pathlib
import threading


@dataclasses.dataclass
class Order:
    """`--order SPEC`, for a job of a known size."""

    name: str
    specification: str
    # The new rank of each process; nothing where only topoloom knows.
    ranks: list | None


# With `--quick`, programs run in one order only: one in which every process gets another rank.
QUICK = False

# A seed means the same order for every library. The first one that runs shows which.
_random, _lock = {}, threading.Lock()


def of_file(folder, name, ranks):
    path = pathlib.Path(folder) / f"{name}.order"
    path.write_text(" ".join(map(str, ranks)) + "\n")
    return Order(name, str(path), list(ranks))


def all_orders(size, folder):
    """The orders that every program runs with."""
    folder = pathlib.Path(folder)
    rotated = Order("rotate:1", "rotate:1", [(process + 1) % size for process in range(size)])
    if QUICK:
        return [rotated]
    return [
        of_file(folder, f"identity-{size}", range(size)),
        Order("reverse", "reverse", [size - 1 - process for process in range(size)]),
        rotated,
        Order("random:7", "random:7", None),
    ]


def differences(order, size, found):
    """What is wrong with `found`, {rank: process of the launcher}."""
    if sorted(found) != list(range(size)) or sorted(found.values()) != list(range(size)):
        return [f"{order.name}: ranks and processes are {found}"]
    ranks = [rank for rank, _ in sorted(found.items(), key=lambda pair: pair[1])]
    wanted = order.ranks
    if wanted is None:
        with _lock:
            wanted = _random.setdefault((order.specification, size), ranks)
    return [] if ranks == wanted else [f"{order.name}: processes have ranks {ranks} instead of {wanted}"]
