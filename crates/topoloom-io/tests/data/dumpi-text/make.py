#!/usr/bin/env python3
"""Writes what dumpi2ascii would print of a run of four ranks, after the formats in its sources.

    make.py FOLDER

The comments say what each part is there for; no program was run.
"""
import os
import sys

RANKS = 4
WORLD, SELF, NULL = 2, 3, 1
COMM_NAMES = {0: "MPI_COMM_ERROR", NULL: "MPI_COMM_NULL", WORLD: "MPI_COMM_WORLD", SELF: "MPI_COMM_SELF"}
TYPE_NAMES = {2: "MPI_CHAR", 5: "MPI_BYTE", 9: "MPI_INT", 14: "MPI_DOUBLE"}
CHAR, BYTE, INT, DOUBLE = 2, 5, 9, 14
IGNORED = "<IGNORED>"


def listed(numbers):
    return "[%s]" % ", ".join(str(number) for number in numbers)


class Rank:
    """Collects the lines of a rank; a call takes 10 microseconds, with 5 between calls."""

    def __init__(self, rank):
        self.rank, self.lines, self.time = rank, [], 1_000_000_000 * 100

    def stamp(self, name, what):
        seconds, rest = divmod(self.time, 1_000_000_000)
        self.lines.append("%s %s at walltime %d.%09d, cputime 0.000100000 seconds in thread 0."
                          % (name, what, seconds, rest))

    def call(self, name, *arguments):
        self.time += 5000
        self.stamp(name, "entering")
        self.lines += arguments
        self.time += 10000
        self.stamp(name, "returning")

    def compute(self, nanoseconds):
        self.time += nanoseconds - 5000


def number(name, value):
    return "int %s=%d" % (name, value)


def numbers(name, values):
    return "int %s[%d]=%s" % (name, len(values), listed(values) if values else IGNORED)


def comm(value, name="comm"):
    return "MPI_Comm %s=%d (%s)" % (name, value, COMM_NAMES.get(value, "user-defined-comm"))


def datatype(value, name="datatype"):
    return "MPI_Datatype %s=%d (%s)" % (name, value, TYPE_NAMES.get(value, "user-defined-datatype"))


def source(value):
    return "int source=%d%s" % (value, " (MPI_ANY_SOURCE)" if value == -1 else "")


def tag(value, name="tag"):
    return "int %s=%d%s" % (name, value, " (MPI_ANY_TAG)" if value == -1 else "")


def request(value):
    return "MPI_Request request=[%d]" % value


def requests(values):
    return "MPI_Request requests[%d]=%s" % (len(values), listed(values))


def status(*statuses, name="status"):
    texts = ["{bytes=0, cancelled=%d, source=%d, tag=%d, error=0}" % s for s in statuses]
    return "MPI_Status %s=%s" % (name, listed(texts) if texts else IGNORED)


OP = "MPI_Op op=3 (MPI_SUM)"


def run(rank):
    me = Rank(rank)
    after, before = (rank + 1) % RANKS, (rank - 1) % RANKS
    me.call("MPI_Init", "int argc=0", "string argv[0]=<IGNORED>")
    me.call("MPI_Comm_rank", comm(WORLD), number("rank", rank))
    # A blocking message after 1 ms of computing.
    me.compute(1_000_000)
    if rank == 0:
        me.call("MPI_Send", number("count", 100), datatype(DOUBLE), number("dest", 1), tag(7), comm(WORLD))
    if rank == 1:
        me.call("MPI_Recv", number("count", 100), datatype(DOUBLE), source(0), tag(7), comm(WORLD), status())
    # Begun messages, waited for one by one; the status says from whom.
    me.call("MPI_Irecv", number("count", 10), datatype(INT), source(-1), tag(-1), comm(WORLD), request(4))
    me.call("MPI_Isend", number("count", 10), datatype(INT), number("dest", after), number("tag", 3), comm(WORLD),
            request(5))
    me.call("MPI_Wait", request(5), status())
    me.call("MPI_Wait", request(4), status((0, before, 3)))
    # The same in one call, without a status: who has sent must be found out.
    me.call("MPI_Irecv", number("count", 33), datatype(CHAR), source(-1), tag(4), comm(WORLD), request(4))
    me.call("MPI_Isend", number("count", 33), datatype(CHAR), number("dest", after), number("tag", 4), comm(WORLD),
            request(5))
    me.call("MPI_Waitall", number("count", 2), requests([4, 5]), status(name="statuses[2]"))
    # Some and any of several, and a test that fails before one that succeeds.
    me.call("MPI_Irecv", number("count", 1), datatype(BYTE), source(before), tag(5), comm(WORLD), request(4))
    me.call("MPI_Isend", number("count", 1), datatype(BYTE), number("dest", after), number("tag", 5), comm(WORLD),
            request(5))
    me.call("MPI_Test", request(4), number("flag", 0), status())
    me.call("MPI_Waitany", number("count", 2), requests([4, 5]), number("index", 1), status())
    me.call("MPI_Waitsome", number("count", 2), requests([4, 1]), number("outcount", 1), numbers("indices", [0]),
            status((0, before, 5), name="statuses[1]"))
    # A receive that is cancelled, and messages with nobody.
    me.call("MPI_Irecv", number("count", 1), datatype(BYTE), source(before), tag(99), comm(WORLD), request(4))
    me.call("MPI_Cancel", request(4))
    me.call("MPI_Wait", request(4), status((1, -1, -1)))
    me.call("MPI_Send", number("count", 1), datatype(BYTE), number("dest", -2), tag(5), comm(WORLD))
    # Both at once.
    me.call("MPI_Sendrecv", number("sendcount", 7), datatype(BYTE, "sendtype"), number("dest", after),
            tag(9, "sendtag"), number("recvcount", 7), datatype(BYTE, "recvtype"), source(before),
            tag(9, "recvtag"), comm(WORLD), status())
    # A persistent request, started twice.
    me.call("MPI_Recv_init", number("count", 2), datatype(INT), source(before), tag(11), comm(WORLD), request(6))
    me.call("MPI_Send_init", number("count", 2), datatype(INT), number("dest", after), tag(11), comm(WORLD), request(7))
    for _ in range(2):
        me.call("MPI_Startall", number("count", 2), requests([6, 7]))
        me.call("MPI_Waitall", number("count", 2), requests([6, 7]), status(name="statuses[2]"))
    # Datatypes of its own: 3 integers, 4 blocks of 2 of those; one that only the list of sizes knows.
    me.call("MPI_Type_contiguous", number("count", 3), datatype(INT, "oldtype"), datatype(28, "newtype"))
    me.call("MPI_Type_vector", number("count", 4), number("blocklength", 2), number("stride", 5),
            datatype(28, "oldtype"), datatype(29, "newtype"))
    if rank == 2:
        me.call("MPI_Ssend", number("count", 1), datatype(29), number("dest", 3), tag(12), comm(WORLD))
        me.call("MPI_Ssend", number("count", 2), datatype(30), number("dest", 3), tag(12), comm(WORLD))
    if rank == 3:
        me.call("MPI_Recv", number("count", 1), datatype(29), source(2), tag(12), comm(WORLD), status())
        me.call("MPI_Recv", number("count", 2), datatype(30), source(2), tag(12), comm(WORLD), status())
    # Collectives of all.
    me.call("MPI_Barrier", comm(WORLD))
    me.call("MPI_Bcast", number("count", 11), datatype(DOUBLE), number("root", 2), comm(WORLD))
    me.call("MPI_Reduce", number("count", 12), datatype(DOUBLE), OP, number("root", 1), comm(WORLD))
    for _ in range(2):
        me.call("MPI_Allreduce", number("count", 13), datatype(INT), OP, comm(WORLD))
    me.call("MPI_Alltoall", number("sendcount", 14), datatype(INT, "sendtype"), number("recvcount", 14),
            datatype(INT, "recvtype"), comm(WORLD))
    sent = [rank + 2 * to + 1 for to in range(RANKS)]
    received = [by + 2 * rank + 1 for by in range(RANKS)]
    me.call("MPI_Alltoallv", number("commsize", RANKS), numbers("sendcounts", sent), numbers("senddispls", sent),
            datatype(INT, "sendtype"), numbers("recvcounts", received), numbers("recvdispls", received),
            datatype(INT, "recvtype"), comm(WORLD))
    me.call("MPI_Gather", number("commrank", rank), number("sendcount", 15), datatype(CHAR, "sendtype"),
            number("recvcount", 15), datatype(CHAR, "recvtype"), number("root", 3), comm(WORLD))
    counts = [1, 2, 3, 4]
    me.call("MPI_Gatherv", number("commrank", rank), number("commsize", RANKS), number("sendcount", counts[rank]),
            datatype(INT, "sendtype"), numbers("recvcounts", counts if rank == 1 else []),
            numbers("displs", counts if rank == 1 else []), datatype(INT, "recvtype"), number("root", 1), comm(WORLD))
    me.call("MPI_Scatter", number("commrank", rank), number("sendcount", 16), datatype(INT, "sendtype"),
            number("recvcount", 16), datatype(INT, "recvtype"), number("root", 2), comm(WORLD))
    me.call("MPI_Allgather", number("sendcount", 17), datatype(INT, "sendtype"), number("recvcount", 17),
            datatype(INT, "recvtype"), comm(WORLD))
    me.call("MPI_Reduce_scatter", number("commsize", RANKS), numbers("recvcounts", counts), datatype(INT), OP,
            comm(WORLD))
    me.call("MPI_Scan", number("count", 19), datatype(INT), OP, comm(WORLD))
    # Even and odd ranks apart, the highest first; a message and collectives among them, and a copy.
    me.call("MPI_Comm_split", comm(WORLD, "oldcomm"), number("color", rank % 2), number("key", -rank),
            comm(4, "newcomm"))
    if rank >= 2:
        me.call("MPI_Send", number("count", 24), datatype(INT), number("dest", 1), tag(7), comm(4))
    else:
        me.call("MPI_Recv", number("count", 24), datatype(INT), source(0), tag(7), comm(4), status())
    me.call("MPI_Comm_dup", comm(4, "oldcomm"), comm(5, "newcomm"))
    me.call("MPI_Bcast", number("count", 25), datatype(INT), number("root", 1), comm(5))
    me.call("MPI_Comm_free", comm(5))
    # A grid of 2 x 2 and its rows.
    me.call("MPI_Cart_create", comm(WORLD, "oldcomm"), number("ndim", 2), numbers("dims", [2, 2]),
            numbers("periods", [0, 0]), number("reorder", 0), comm(5, "newcomm"))
    me.call("MPI_Cart_sub", number("ndim", 2), comm(5, "oldcomm"), numbers("remain_dims", [0, 1]), comm(6, "newcomm"))
    me.call("MPI_Allreduce", number("count", 26), datatype(INT), OP, comm(6))
    me.call("MPI_Allreduce", number("count", 27), datatype(INT), OP, comm(SELF))
    me.call("MPI_Finalize")
    me.lines.append("Datatype 30 (user-defined-datatype) has size 50")
    return me.lines


def main():
    for rank in range(RANKS):
        with open(os.path.join(sys.argv[1], "dumpi-2026.11.15.10.00.00-%04d.txt" % rank), "w") as file:
            file.write("\n".join(run(rank)) + "\n")


if __name__ == "__main__":
    main()
