"""The flow model of `simulate` from its definition, slowly: programs of ranks, send queues, max-min fair links.

A program is a list of events: ("c", nanoseconds), ("s", to, bytes, tag), ("r", from, tag), ("S", request, to,
bytes, tag), ("R", request, from, tag), ("w", request), ("W",). A message of up to `eager` bytes leaves at once and
its sender goes on; a larger one leaves when its receiver is ready, and its sender waits for its arrival.

A message that leaves goes into a queue of its sender. `pair` has one queue for each receiver, a number that many,
to which receivers are dealt in turn in the order of the sender's first sends, and `none` one for each message. A
queue sends one message at a time. The first byte of a message that need not wait arrives after the latency of its
route; all its bytes then flow at one rate. The next message of the queue waits for its own latency meanwhile. It flows
as soon as the one before has ended, or later by the additional latency of its route.

Messages inside a node are copied: those of a pair one after the other. Each arrives one latency after the end of its
copy.
"""
import math

import maxmin
import torus


class Message:
    """One message, which is a flow to `maxmin.share` too: `links`, `weight`, `rate`."""

    def __init__(self):
        self.size = None
        self.sent = self.awaited = self.arrived = False


class Simulation:
    def __init__(self, programs, node_of, lengths, bandwidth, latency, eager, queues, weights, memory):
        self.programs, self.node_of, self.lengths = programs, node_of, lengths
        self.bandwidth, self.latency, self.eager, self.weights = bandwidth, latency, eager, weights
        self.memory_bandwidth, self.memory_latency = memory
        self.queue_of = {}              # (sender, receiver): the name of their queue
        for rank, program in enumerate(programs):
            receivers = dict.fromkeys(event[-3] for event in program if event[0] in "sS")
            far = [to for to in receivers if node_of[to] != node_of[rank]]
            for number, to in enumerate(far):
                if queues != "none":
                    self.queue_of[rank, to] = (rank, to if queues == "pair" else number % int(queues))
        self.one_by_one = queues != "none"
        self.now = 0.0
        self.unmatched = {}             # (sender, receiver, tag): messages that lack the same end
        self.queues = {}                # name: messages, the first of which is sent
        self.beginning, self.flowing, self.copied, self.timers = [], [], [], []
        self.copying_until = {}
        self.finished = [None] * len(programs)
        self.running = [self.run(rank) for rank in range(len(programs))]

    def run(self, rank):
        """What a rank does; it yields what it waits for: a condition."""
        requests = {}
        for event in self.programs[rank]:
            kind = event[0]
            if kind == "c":
                until = self.now + event[1] * 1e-9
                self.timers.append(until)
                yield lambda until=until: self.now >= until
            elif kind in "sS":
                to, size, tag = event[-3:]
                message = self.match((rank, to, tag), "sent")
                message.size, message.source, message.target = size, rank, to
                is_done = (lambda: True) if size <= self.eager else (lambda message=message: message.arrived)
                if size <= self.eager or message.awaited:
                    self.leave(message)
            elif kind in "rR":
                source, tag = event[-2:]
                message = self.match((source, rank, tag), "awaited")
                is_done = lambda message=message: message.arrived
                if message.sent and message.size > self.eager:
                    self.leave(message)
            if kind in "sr":
                yield is_done
            elif kind in "SR":
                requests[event[1]] = is_done
            elif kind == "w":
                yield requests.pop(event[1])
            elif kind == "W":
                for is_done in requests.values():
                    yield is_done
                requests.clear()
        self.finished[rank] = self.now

    def match(self, channel, end):
        """The first message that has only its other end, or a new one."""
        waiting = self.unmatched.setdefault(channel, [])
        if waiting and not getattr(waiting[0], end):
            message = waiting.pop(0)
        else:
            message = Message()
            waiting.append(message)
        setattr(message, end, True)
        return message

    def leave(self, message):
        nodes = [self.node_of[message.source], self.node_of[message.target]]
        if nodes[0] == nodes[1]:
            begin = self.now
            if self.one_by_one:
                pair = message.source, message.target
                begin = max(begin, self.copying_until.get(pair, 0.0))
                self.copying_until[pair] = begin + message.size / self.memory_bandwidth
            message.there = begin + self.memory_latency + message.size / self.memory_bandwidth
            self.copied.append(message)
            return
        message.links = torus.route(*nodes, self.lengths, "topoloom")
        message.latency = self.latency * len(message.links)
        message.weight = 1.0 / message.latency if self.weights == "latency" and message.latency > 0 else 1.0
        message.rate, message.left = 0.0, float(message.size)
        message.begin = self.now + message.latency
        message.queue = self.queue_of.get((message.source, message.target), message)
        queue = self.queues.setdefault(message.queue, [])
        queue.append(message)
        if len(queue) == 1:
            self.beginning.append(message)

    def end(self, message):
        message.arrived = True
        queue = self.queues[message.queue]
        assert queue.pop(0) is message
        if queue:
            later = max(0.0, queue[0].latency - message.latency)
            queue[0].begin = max(queue[0].begin, self.now + later)
            self.beginning.append(queue[0])

    def step(self):
        """Advances to the next moment at which something happens; returns whether there is one."""
        moments = self.timers + [message.there for message in self.copied]
        moments += [message.begin for message in self.beginning]
        moments += [self.now + message.left / message.rate for message in self.flowing]
        then = min(moments, default=math.inf)
        if then == math.inf:
            return False
        for message in self.flowing:
            message.left -= message.rate * (then - self.now)
        self.now = then
        slack = 1e-12 * then
        self.timers = [moment for moment in self.timers if moment > then]
        for message in [m for m in self.copied if m.there <= then]:
            self.copied.remove(message)
            message.arrived = True
        for message in [m for m in self.flowing if m.left <= m.rate * slack]:
            self.flowing.remove(message)
            self.end(message)
        return True

    def settle(self):
        """Everything that happens at this moment without taking time."""
        while True:
            begun = [message for message in self.beginning if message.begin <= self.now]
            for message in begun:
                self.beginning.remove(message)
                if message.size == 0:
                    self.end(message)
                else:
                    self.flowing.append(message)
            moved = self.go_on()
            if not begun and not moved:
                break
        maxmin.share(self.flowing, self.bandwidth)

    def go_on(self):
        """Lets every rank continue that can; returns whether any did."""
        moved = False
        for rank, condition in list(enumerate(self.waits_for)):
            while condition is not None and condition():
                moved = True
                condition = next(self.running[rank], None)
                self.waits_for[rank] = condition
        return moved

    def finish_times(self):
        self.waits_for = [lambda: True] * len(self.programs)
        self.settle()
        while self.step():
            self.settle()
        assert None not in self.finished, "every rank gets through"
        return self.finished
