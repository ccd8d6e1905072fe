"""Reads a recording (`.rec`) from the description of its format alone; nothing of Topoloom's is used."""

import collections
import struct
import sys
import zlib

MAGIC = b"topoloom record\n"
CALLS = [
    "Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv",
    "Alltoall", "Alltoallv", "Alltoallw", "Allreduce", "Reduce", "Reduce_scatter", "Scan",
    "Exscan", "Reduce_scatter_block",
]
ROOTED = {"Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Reduce"}
IRREGULAR = {"Gatherv", "Scatterv", "Allgatherv", "Alltoallv", "Alltoallw", "Reduce_scatter"}
KINDS = ["point to point", "one-sided", "neighbourhood"]
NEVER_FINALISED, NOTHING_THERE, STOPPED_EARLY = 1, 2, 3

PARTNERS = ["itself", "same host", "other host", "everybody", "file", "unattributed"]

Seat = collections.namedtuple("Seat", "cpus online openmp_threads threads")
# Wall time and time in MPI of each rank in nanoseconds, or None; {(call, partner): (calls, nanoseconds)}.
Times = collections.namedtuple("Times", "ranks calls")
Collective = collections.namedtuple("Collective", "members call root calls bytes sizes")


class Malformed(Exception):
    """The file breaks a rule of the format."""


def need(condition, message):
    if not condition:
        raise Malformed(message)


class Payload:
    """Numbers, texts and values of a section, read one after the other."""

    def __init__(self, data, name):
        self.data, self.name, self.at = data, name, 0

    def number(self):
        value, shift = 0, 0
        while True:
            need(self.at < len(self.data), f"section {self.name!r} ends inside a number")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                need(value < 1 << 64, f"section {self.name!r}: a number beyond 64 bits")
                return value
            need(shift < 70, f"section {self.name!r}: a number beyond 64 bits")

    def signed(self):
        number = self.number()
        return (number >> 1) ^ -(number & 1)

    def bytes(self, length):
        need(self.at + length <= len(self.data), f"section {self.name!r} is too short")
        self.at += length
        return self.data[self.at - length:self.at]

    def text(self):
        return self.bytes(self.number()).decode("utf-8")

    def value(self):
        number = self.number()
        if number % 2 == 0:
            return number // 2
        need(number == 1, f"section {self.name!r}: value coded by {number}")
        value = struct.unpack("<d", self.bytes(8))[0]
        need(value >= 0, f"section {self.name!r}: the value {value}")
        return value

    def done(self):
        need(self.at == len(self.data), f"section {self.name!r} has {len(self.data) - self.at} bytes too many")


class Recording:
    """What the file says. `flows` is {(from, to, kind): (messages, bytes)}."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        need(data[:16] == MAGIC, f"{path}: does not start as a recording does")
        self.version, self.flags = struct.unpack_from("<HH", data, 16)
        need(self.version == 1 and self.flags in (0, 1), f"{path}: version {self.version}, flags {self.flags}")
        sections = _sections(data, 20)
        need(next(iter(sections), None) == "rank", "the first section is not `rank`")
        need(("evnt" in sections) == (self.flags == 1), "flag and section of the events differ")

        def read(name, reader, default):
            if name not in sections:
                return default
            payload = Payload(sections[name], name)
            result = reader(payload)
            payload.done()
            return result

        self.sections = {name: len(payload) for name, payload in sections.items()}
        self.ranks, self.states = read("rank", _ranks, None)
        self.info = read("info", lambda p: {p.text(): p.text() for _ in range(p.number())}, {})
        self.notes = read("note", lambda p: [p.text() for _ in range(p.number())], [])
        self.host_names, self.hosts = read("host", self._hosts, ([], None))
        self.seats = read("seat", self._seats, None)
        self.launcher_ranks = read("lnch", lambda p: [p.number() for _ in range(self.ranks)], None)
        self.nodes = read("node", self._nodes, None)
        self.times = read("time", self._times, None)
        self.loads = read("load", lambda p: [p.value() for _ in range(self.ranks)], None)
        self.flows = read("flow", self._flows, {})
        self.sizes = read("size", _sizes, {})
        self.groups = read("grps", self._groups, [])
        self.collectives = read("coll", self._collectives, [])
        self.calls = read("call", self._collectives, [])
        self.events = read("evnt", self._events, None)

    def _runs(self, payload, numbers, what):
        """A number below `numbers` for each rank."""
        of_rank = []
        while len(of_rank) < self.ranks:
            number, times = payload.number(), payload.number()
            need(number < numbers, f"{what} {number} of {numbers}")
            need(0 < times <= self.ranks - len(of_rank), f"a run of {times} ranks")
            of_rank += [number] * times
        return of_rank

    def _hosts(self, payload):
        names = [payload.text() for _ in range(payload.number())]
        return names, [names[host] for host in self._runs(payload, len(names), "host")]

    def _seats(self, payload):
        seats = []
        for _ in range(payload.number()):
            cpus, following = [], 0
            for number in range(payload.number()):
                gap, more = payload.number(), payload.number()
                need(number == 0 or gap > 0, "a range of CPUs begins where the one before ends")
                cpus += range(following + gap, following + gap + more + 1)
                following += gap + more + 1
            online = payload.number()
            openmp, threads = payload.number(), payload.number()
            seats.append(Seat(cpus, online, openmp - 1 if openmp else None, threads - 1 if threads else None))
        return [seats[number] for number in self._runs(payload, len(seats), "seat")]

    def _nodes(self, payload):
        lengths = [payload.number() for _ in self.host_names]
        data = bytearray()
        while len(data) < sum(lengths):
            data += payload.bytes(payload.number())
            if len(data) < sum(lengths):
                repeated, back = payload.number(), payload.number()
                need(0 < repeated <= back <= len(data), f"{repeated} bytes from {back} bytes back")
                data += data[len(data) - back:len(data) - back + repeated]
        need(len(data) == sum(lengths), f"{len(data)} bytes instead of {sum(lengths)}")
        texts, at = [], 0
        for length in lengths:
            texts.append(data[at:at + length].decode("utf-8"))
            at += length
        return texts

    def _times(self, payload):
        ranks = []
        for _ in range(self.ranks):
            known = payload.number()
            need(known < 2, f"{known} before a time")
            ranks.append((payload.number(), payload.number()) if known else None)
        calls = {}
        for _ in range(payload.number()):
            call, partner = payload.text(), payload.number()
            need(partner < len(PARTNERS), f"partner {partner}")
            key = call, PARTNERS[partner]
            need(key not in calls, f"{key} twice")
            calls[key] = payload.number(), payload.number()
        in_ranks = sum(time[1] for time in ranks if time)
        in_calls = sum(time for _, time in calls.values())
        need(in_ranks == in_calls, f"{in_ranks} ns of ranks in MPI, {in_calls} ns in calls")
        return Times(ranks, calls)

    def _flows(self, payload):
        flows = {}
        for sender in range(self.ranks):
            receiver, last = 0, (-1, -1)
            for _ in range(payload.number()):
                receiver += payload.number()
                kind = payload.number()
                need(receiver < self.ranks and kind < len(KINDS), f"flow to {receiver} of kind {kind}")
                need((receiver, kind) > last, f"flows of {sender} are out of order")
                last = (receiver, kind)
                flows[sender, receiver, kind] = (payload.value(), payload.value())
        return flows

    def _groups(self, payload):
        groups = []
        for _ in range(payload.number()):
            form = payload.number()
            need(form < 2, f"form {form} of a group")
            if form == 0:
                first, stride, size = payload.number(), payload.number(), payload.number()
                group = tuple(first + stride * i for i in range(size))
            else:
                group, member = [], 0
                for _ in range(payload.number()):
                    member += payload.signed()
                    group.append(member)
                group = tuple(group)
            need(all(0 <= member < self.ranks for member in group), f"group {group} of {self.ranks} ranks")
            need(len(set(group)) == len(group), f"a rank twice in group {group}")
            groups.append(group)
        return groups

    def _collectives(self, payload):
        collectives = []
        for _ in range(payload.number()):
            group, call, root, calls = (payload.number() for _ in range(4))
            need(group < len(self.groups), f"group {group} of {len(self.groups)}")
            need(call < len(CALLS), f"call number {call}")
            members, call = self.groups[group], CALLS[call]
            bytes_of_one = payload.value()
            sizes = {}
            for _ in range(payload.number()):
                pair = payload.number(), payload.number()
                need(max(pair) < len(members), f"{call}: member {max(pair)} of {len(members)}")
                need(pair not in sizes, f"{call}: the pair {pair} twice")
                sizes[pair] = payload.value()
            need((root > 0) == (call in ROOTED), f"{call} with root {root}")
            need(root <= len(members), f"{call}: root {root} of {len(members)}")
            need(call in IRREGULAR or not sizes, f"{call} has sizes of its own")
            need(call not in IRREGULAR or bytes_of_one == 0, f"{call} has {bytes_of_one} bytes a call")
            need(call != "Barrier" or bytes_of_one == 0, "a Barrier with bytes")
            collectives.append(Collective(members, call, root - 1 if root else None, calls, bytes_of_one, sizes))
        return collectives

    def _events(self, payload):
        """Events of each rank; loops become ("repeat", times, events inside)."""
        ranks = []
        for _ in range(self.ranks):
            inner = Payload(payload.bytes(payload.number()), "evnt")
            stack = [[]]
            while inner.at < len(inner.data):
                code = inner.number()
                need(code <= 9, f"event code {code}")
                name, fields = EVENTS[code]
                if name == "repeat":
                    body = []
                    stack[-1].append(("repeat", inner.number(), body))
                    stack.append(body)
                elif name == "end":
                    need(len(stack) > 1, "an end without a repeat")
                    stack.pop()
                else:
                    stack[-1].append((name, *(inner.number() for _ in range(fields))))
            need(len(stack) == 1, "a repeat without an end")
            ranks.append(stack[0])
        return ranks


EVENTS = [
    ("compute", 1), ("send", 3), ("receive", 2), ("start send", 4), ("start receive", 3),
    ("wait", 1), ("wait all", 0), ("collective", 1), ("repeat", 1), ("end", 0),
]


def _sections(data, at):
    sections = {}
    while True:
        need(at + 12 <= len(data), "truncated: no section `end `")
        name, (length,) = data[at:at + 4], struct.unpack_from("<Q", data, at + 4)
        need(at + 12 + length + 4 <= len(data), f"section {name!r} is truncated")
        payload = data[at + 12:at + 12 + length]
        (crc,) = struct.unpack_from("<I", data, at + 12 + length)
        need(zlib.crc32(name + payload) == crc, f"section {name!r}: its checksum is wrong")
        at += 12 + length + 4
        name = name.decode("ascii")
        if name == "end ":
            need(length == 0 and at == len(data), "`end ` has a payload, or something follows it")
            return sections
        need(name not in sections, f"section {name!r} twice")
        sections[name] = payload


def _ranks(payload):
    ranks, states, rank = payload.number(), {}, 0
    for index in range(payload.number()):
        difference, state = payload.number(), payload.number()
        need(index == 0 or difference > 0, "a rank twice among the exceptions")
        rank += difference
        need(rank < ranks and state in (1, 2, 3), f"rank {rank} in state {state}")
        states[rank] = state
    return ranks, states


def _sizes(payload):
    sizes = {}
    for _ in range(payload.number()):
        kind, size_class = payload.number(), payload.number()
        need((kind, size_class) not in sizes, f"class {size_class} of kind {kind} twice")
        sizes[kind, size_class] = (payload.number(), payload.number())
    return sizes


def totals(events):
    """Counts of the events of one rank, loops multiplied out: {event: times}."""
    counts = collections.Counter()

    def walk(events, times):
        for event in events:
            if event[0] == "repeat":
                walk(event[2], times * event[1])
            else:
                counts[event] += times

    walk(events, 1)
    return counts


def main():
    recording = Recording(sys.argv[1])
    print(f"{recording.ranks} ranks, states {recording.states}, sections {recording.sections}")
    print("info", recording.info)
    for note in recording.notes:
        print("note", note)
    for rank, seat in enumerate(recording.seats or []):
        print(rank, seat)
    if recording.times:
        print("times", recording.times.ranks)
        for key, (calls, nanoseconds) in sorted(recording.times.calls.items()):
            print(f"{key[0]:30} {key[1]:12} {calls} calls {nanoseconds} ns")
    for (sender, receiver, kind), (messages, size) in sorted(recording.flows.items()):
        print(f"{KINDS[kind]:15} {sender:4} -> {receiver:4} {messages} messages {size} bytes")
    print("sizes", recording.sizes)
    for entry in recording.collectives:
        print(entry)
    for rank, events in enumerate(recording.events or []):
        print("events of", rank, str(events)[:2000])


if __name__ == "__main__":
    main()
