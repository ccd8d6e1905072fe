#!/usr/bin/env python3
"""Writes the archive beside this script with OTF2's own library (Debian: python3-otf2).

    cd tests/data/otf2-four-ranks && python3 make.py

Four ranks use what a trace of an MPI program may have. Sizes of collectives are as Score-P counts
them. A tick is half a nanosecond. All times are made up.
"""

import os
import shutil

import otf2
from otf2 import events
from otf2.enums import (
    CollectiveOp,
    GroupFlag,
    GroupType,
    MeasurementMode,
    Paradigm,
    RegionRole,
)

RANKS = 4
NO_ROOT = 0xFFFFFFFF
HERE = os.path.dirname(os.path.abspath(__file__))
NEW = os.path.join(HERE, "new")


def main():
    with otf2.writer.open(NEW, timer_resolution=2_000_000_000) as archive:
        write(archive)
    shutil.rmtree(os.path.join(HERE, "traces"), ignore_errors=True)
    for name in ["traces", "traces.def", "traces.otf2"]:
        os.rename(os.path.join(NEW, name), os.path.join(HERE, name))
    os.rmdir(NEW)


def write(archive):
    define = archive.definitions
    # Records of more than 254 bytes have their length in another way.
    node = define.system_tree_node("a long name " * 30)
    locations = []
    for rank in range(RANKS):
        group = define.location_group(f"MPI Rank {rank}", system_tree_parent=node)
        locations.append(define.location("Master thread", group=group))
    mpi = {"paradigm": Paradigm.MPI}
    define.group("", GroupType.COMM_LOCATIONS, members=locations, **mpi)

    def communicator(name, ranks, **flags):
        members = [locations[rank] for rank in ranks]
        group = define.group(name, GroupType.COMM_GROUP, members=members, **mpi, **flags)
        return define.comm(name, group)

    world = communicator("MPI_COMM_WORLD", range(RANKS))
    # Events name members of the first by their ranks in the world, of the second by their places.
    even = communicator("even", [0, 2], group_flags=GroupFlag.GLOBAL_MEMBERS)
    odd = communicator("odd", [3, 1])
    alone = define.comm("MPI_COMM_SELF", define.group("self", GroupType.COMM_SELF, members=[], **mpi))
    # One says whose it is, the other has but its name.
    calls = define.region("call", paradigm=Paradigm.MPI, region_role=RegionRole.POINT2POINT)
    named = define.region("MPI_Named", paradigm=Paradigm.UNKNOWN)
    work = define.region("main", paradigm=Paradigm.USER)
    for rank in range(RANKS):
        part, names = (even, [0, 2]) if rank % 2 == 0 else (odd, [0, 1])
        place = [0, 2].index(rank) if rank % 2 == 0 else [3, 1].index(rank)
        program = Program(archive.event_writer_from_location(locations[rank]), calls, named, work)
        program.run(rank, world, part, place, names, alone)


class Program:
    def __init__(self, writer, calls, named, work):
        self.writer, self.calls, self.named, self.work = writer, calls, named, work
        self.time = 1_000_000

    def after(self, ticks):
        self.time += ticks
        return self.time

    def put(self, event, ticks, *values):
        self.writer(event(self.after(ticks), *values))

    def collective(self, operation, communicator, root, sent, received):
        self.put(events.Enter, 1000, self.calls)
        self.put(events.MpiCollectiveBegin, 10)
        end = (operation, communicator, root, sent, received)
        self.put(events.MpiCollectiveEnd, 500, *end)
        self.put(events.Leave, 10, self.calls)

    def run(self, rank, world, part, place, names, alone):
        put = self.put
        put(events.Enter, 0, self.work)
        # A ring of messages that are started, tested in vain, and waited for.
        left, right = (rank + RANKS - 1) % RANKS, (rank + 1) % RANKS
        put(events.Enter, 2000, self.calls)
        put(events.MpiIrecvRequest, 10, 71)
        put(events.Leave, 10, self.calls)
        put(events.Enter, 200, self.named)
        put(events.MpiIsend, 10, right, world, 5, 1000 + rank, 2**40)
        put(events.Leave, 10, self.named)
        put(events.Enter, 4000, self.calls)
        put(events.MpiRequestTest, 10, 71)
        put(events.MpiIsendComplete, 10, 2**40)
        put(events.MpiIrecv, 10, left, world, 5, 1000 + left, 71)
        put(events.Leave, 10, self.calls)
        # A receive that is cancelled, and one that is never completed.
        put(events.Enter, 0, self.calls)
        put(events.MpiIrecvRequest, 10, 72)
        put(events.MpiRequestCancelled, 10, 72)
        put(events.MpiIrecvRequest, 10, 73)
        put(events.Leave, 10, self.calls)
        # Both ways in one call.
        put(events.Enter, 600, self.calls)
        put(events.MpiSend, 10, rank ^ 1, world, 6, 64)
        put(events.MpiRecv, 10, rank ^ 1, world, 6, 64)
        put(events.Leave, 10, self.calls)
        # A tag that the world has used, in another communicator; without a region around it.
        if place == 0:
            put(events.MpiSend, 800, names[1], part, 5, 300)
        else:
            put(events.MpiRecv, 800, names[0], part, 5, 300)
        # Recording stops for a while, and writes its buffer later.
        put(events.MeasurementOnOff, 100, MeasurementMode.OFF)
        put(events.MeasurementOnOff, 99999, MeasurementMode.ON)
        put(events.BufferFlush, 100, self.time + 100 + 77777)
        self.after(77777)
        op = CollectiveOp
        self.collective(op.BCAST, world, 2, 400 if rank == 2 else 0, 100)
        self.collective(op.ALLREDUCE, part, NO_ROOT, 16, 16)
        self.collective(op.ALLTOALL, world, NO_ROOT, 128, 128)
        self.collective(op.REDUCE, part, names[1], 24, 48 if place == 1 else 0)
        self.collective(op.GATHERV, world, 0, 10 * rank, 60 if rank == 0 else 0)
        # Ranks send 0, 10, 20 and 30 bytes, of which the first two receive 15 each and the last 30.
        self.collective(op.ALLTOALLV, world, NO_ROOT, 10 * rank, [15, 15, 0, 30][rank])
        self.collective(op.BCAST, world, 2, 400 if rank == 2 else 0, 100)
        self.collective(op.ALLREDUCE, alone, NO_ROOT, 8, 8)
        self.collective(op.CREATE_HANDLE, world, NO_ROOT, 0, 0)
        self.collective(op.BARRIER, world, NO_ROOT, 0, 0)
        put(events.Enter, 400, self.calls)
        put(events.NonBlockingCollectiveRequest, 10, 90)
        put(events.Leave, 10, self.calls)
        put(events.Enter, 400, self.calls)
        complete = (op.ALLREDUCE, world, NO_ROOT, 32, 32, 90)
        put(events.NonBlockingCollectiveComplete, 10, *complete)
        put(events.Leave, 10, self.calls)
        put(events.Leave, 600, self.work)


main()
