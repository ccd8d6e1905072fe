"""What a program should have sent, message by message, and how a recording differs from it."""

import collections

import recording as rec

POINT_TO_POINT, ONE_SIDED, NEIGHBOURHOOD = 0, 1, 2


def size_class(size):
    """0 for empty messages, c for 2^(c-1) to 2^c - 1 bytes."""
    return size.bit_length()


class Traffic:
    """Messages and collectives of a run of `ranks`."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.flows = collections.defaultdict(lambda: [0, 0])
        self.size_classes = collections.defaultdict(lambda: [0, 0])
        self.collectives = collections.Counter()
        self.sizes = collections.Counter()
        # Those of persistent requests again: Open MPI's monitoring does not see them.
        self.persistent = collections.defaultdict(lambda: [0, 0])

    def send(self, sender, receiver, size, times=1, kind=POINT_TO_POINT, persistent=False):
        totals = [self.flows[sender, receiver, kind], self.size_classes[kind, size_class(size)]]
        if persistent:
            totals.append(self.persistent[sender, receiver])
        for total in totals:
            total[0] += times
            total[1] += times * size

    def ring(self, *sizes, times=1, persistent=False):
        """Every rank to the next, a message of each size."""
        for rank in range(self.ranks):
            for size in sizes:
                self.send(rank, (rank + 1) % self.ranks, size, times, persistent=persistent)

    def collective(self, call, size=0, root=None, members=None, calls=1):
        """A regular collective; `root` is a member number."""
        members = tuple(range(self.ranks)) if members is None else tuple(members)
        self.collectives[members, call, root, size] += calls

    def irregular(self, call, sizes, root=None, members=None, calls=1):
        """`sizes` of one call, as {(from member, to member): bytes}."""
        members = tuple(range(self.ranks)) if members is None else tuple(members)
        self.collectives[members, call, root, 0] += calls
        for (sender, receiver), size in sizes.items():
            self.sizes[members, call, root, sender, receiver] += size * calls


def differences(expected, recording):
    """How a complete recording differs from what is expected, in words; empty if it does not."""
    found = []
    if recording.ranks != expected.ranks:
        return [f"{recording.ranks} ranks instead of {expected.ranks}"]
    if recording.states:
        found.append(f"incomplete ranks in a run that ended well: {recording.states}")
    flows = {key: tuple(total) for key, total in expected.flows.items() if total[0]}
    found += different(
        flows, recording.flows,
        lambda key: f"{rec.KINDS[key[2]]} {key[0]} -> {key[1]} (messages, bytes)")
    if expected.size_classes is not None:
        size_classes = {key: tuple(total) for key, total in expected.size_classes.items() if total[0]}
        found += different(
            size_classes, recording.sizes,
            lambda key: f"{rec.KINDS[key[0]]} size class {key[1]} (messages, bytes)")
    calls, sizes = _collectives(recording.collectives)
    found += different(
        expected.collectives, calls,
        lambda key: f"calls of {key[1]} root {key[2]} with {key[3]} bytes in {list(key[0])}")
    found += different(
        {key: size for key, size in expected.sizes.items() if size}, sizes,
        lambda key: f"bytes of {key[1]} root {key[2]} member {key[3]} -> {key[4]} in {list(key[0])}")
    for name, length in (("loads", recording.loads), ("hosts", recording.hosts)):
        if length is not None and len(length) != recording.ranks:
            found.append(f"{len(length)} {name}")
    return found


def _collectives(entries):
    """Entries of the same group, call, root and size together; groups of one rank left out."""
    calls, sizes = collections.Counter(), collections.Counter()
    for entry in entries:
        if len(entry.members) < 2:
            continue
        calls[entry.members, entry.call, entry.root, entry.bytes] += entry.calls
        for (sender, receiver), size in entry.sizes.items():
            if size:
                sizes[entry.members, entry.call, entry.root, sender, receiver] += size
    return calls, sizes


def different(expected, found, name):
    return [
        f"{name(key)}: expected {expected.get(key, 'none')}, recorded {found.get(key, 'none')}"
        for key in sorted({*expected, *found}, key=repr)
        if expected.get(key) != found.get(key)
    ]


def trace_differences(recording):
    """Where the events of a complete recording do not add up to its flows and collectives."""
    if recording.events is None:
        return [f"no events in a recording with --trace; notes: {recording.notes}"]
    found = []
    sent = collections.defaultdict(lambda: [0, 0])
    balance, entered = collections.Counter(), collections.Counter()
    for rank, events in enumerate(recording.events):
        for event, times in rec.totals(events).items():
            if event[0] in ("send", "start send"):
                to, size, tag = event[1:4]
                sent[rank, to][0] += times
                sent[rank, to][1] += times * size
                balance[rank, to, tag] += times
            elif event[0] in ("receive", "start receive"):
                balance[event[1], rank, event[2]] -= times
            elif event[0] == "collective":
                if event[1] >= len(recording.calls):
                    return [f"rank {rank} names collective {event[1]} of {len(recording.calls)}"]
                entered[event[1], rank] += times
    for (sender, receiver, tag), left in sorted(balance.items()):
        if left:
            found.append(f"events {sender} -> {receiver} tag {tag}: {left} more sends than receives")
    # Point to point messages must be in the events; messages of other kinds may be.
    for kinds in ({0}, {0, 2}, {0, 1, 2}, {0, 1}):
        flows = collections.defaultdict(lambda: [0, 0])
        for (sender, receiver, kind), (messages, size) in recording.flows.items():
            if kind in kinds:
                flows[sender, receiver][0] += messages
                flows[sender, receiver][1] += size
        wrong = different(flows, sent, lambda key: f"events {key[0]} -> {key[1]} (messages, bytes)")
        if kinds == {0}:
            first_wrong = wrong
        if not wrong:
            break
    else:
        found += first_wrong
    # Every member enters each collective the same number of times, as often as `coll` says in all.
    done = []
    for number, call in enumerate(recording.calls):
        times = {entered[number, member] for member in call.members}
        if len(times) != 1:
            found.append(f"members enter {call} {sorted(times)} times")
        done.append((call, max(times)))
    found += different(
        _families((entry, None) for entry in recording.collectives), _families(done),
        lambda key: f"collectives of the events {key} (calls, bytes)")
    return found


# In events, a similar collective may take the place of a collective: the same bytes, in the calls that a simulation
# knows.
FAMILIES = {
    "Scan": "Allreduce", "Exscan": "Allreduce", "Allgatherv": "Allgather", "Reduce_scatter": "Reduce_scatter_block",
    "Alltoallw": "Alltoallv", "Gatherv": "Alltoallv", "Scatterv": "Alltoallv",
}


def _families(entries):
    """Calls and bytes by members in any order, family and root; those between pairs, by pair.

    Entries come with how often each was entered, or None where the entry says it itself.
    """
    sums = collections.defaultdict(lambda: [0, 0])
    for entry, entered in entries:
        if len(entry.members) < 2:
            continue
        family = FAMILIES.get(entry.call, entry.call)
        members = tuple(sorted(entry.members))
        root = None if entry.root is None or family == "Alltoallv" else entry.members[entry.root]
        calls = entry.calls if entered is None else entered
        size = entry.bytes * calls
        times = 1 if entered is None else entered
        if family == "Alltoallv":
            for (sender, receiver), pair_size in entry.sizes.items():
                sums["pair", entry.members[sender], entry.members[receiver]][1] += pair_size * times
        elif entry.sizes:
            # What each member gives or gets; as a regular call, the mean of all of them.
            size = sum(entry.sizes.values()) * times / len(members)
        sums[members, family, root][0] += calls
        sums[members, family, root][1] += size
    return {key: (calls, round(size, 3)) for key, (calls, size) in sums.items() if calls or size}
