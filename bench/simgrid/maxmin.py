#!/usr/bin/env python3
"""The flow model from its definition, slowly: a halo exchange on a torus with links shared by max-min fairness.

A message first waits the latency of its route, then all its bytes flow at one rate over all links of the route
at once. Rates are max-min fair: all rise together, in proportion to their weights, until a link is full. The flows on
this link keep their rate, and the others continue to rise. Rates are shared again at every start and end of a flow. A
link has its bandwidth in each direction; nodes receive and send as much as their links carry.
"""
import argparse
import math

import torus

WEIGHTS = ("equal", "latency")
PROTOCOLS = ("rendezvous", "detached", "eager")


def neighbours_of(rows, columns):
    """The neighbours of each rank (row * columns + column) in an open grid."""
    found = []
    for rank in range(rows * columns):
        row, column = divmod(rank, columns)
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        found.append([r * columns + c for r, c in near if 0 <= r < rows and 0 <= c < columns])
    return found


def share(flows, bandwidth):
    """Sets the rate of every flow. A flow has `links`, `weight` and `rate`."""
    left, weight, users = {}, {}, {}
    for flow in flows:
        for link in flow.links:
            left.setdefault(link, bandwidth)
            weight[link] = weight.get(link, 0.0) + flow.weight
            users.setdefault(link, []).append(flow)
        flow.rate = None
    while weight:
        level = min(left[link] / weight[link] for link in weight)
        # Links that are full at the same level up to rounding are full together.
        full = [link for link in weight if left[link] / weight[link] <= level * (1 + 1e-12)]
        for link in full:
            for flow in users[link]:
                if flow.rate is None:
                    flow.rate = flow.weight * level
                    for other in flow.links:
                        left[other] -= flow.rate
                        weight[other] -= flow.weight
        weight = {link: sum(flow.weight for flow in users[link] if flow.rate is None)
                  for link in weight if any(flow.rate is None for flow in users[link])}


class Flow:
    def __init__(self, source, target, iteration, size, links, latency, weight, now):
        self.source, self.target, self.iteration = source, target, iteration
        self.links, self.weight = links, weight
        self.flows_at = now + latency
        self.left, self.rate = float(size), 0.0


def simulate(node_of_rank, size, iterations, lengths, bandwidth, latency, weights, protocol, ties, grid=(8, 8)):
    """-> seconds until the last rank is done.

    A rank posts all receives and sends of an iteration at once and goes on when all of them have ended.
    `rendezvous`: a message starts when both ends are there, and the sender waits for it. `detached`: the
    sender does not wait. `eager`: the message does not wait for the receiver either.
    """
    neighbours = neighbours_of(*grid)
    ranks = len(neighbours)
    paths = {(a, b): torus.route(node_of_rank[a], node_of_rank[b], lengths, ties) for a in range(ranks) for b in neighbours[a]}
    at = [0] * ranks                   # the iteration a rank is in
    open_ends = [0] * ranks            # what it still waits for there
    arrived = set()                    # eager messages ahead of their receiver
    waiting, flowing, now = [], [], 0.0

    def start(source, target, iteration):
        links = paths[source, target]
        delay = latency * len(links)
        weight = 1.0 / delay if weights == "latency" and delay > 0 else 1.0
        waiting.append(Flow(source, target, iteration, size, links, delay, weight, now))

    def enter(rank):
        while at[rank] < iterations:
            iteration = at[rank]
            early = [n for n in neighbours[rank] if (n, rank, iteration) in arrived]
            arrived.difference_update((n, rank, iteration) for n in early)
            open_ends[rank] = len(neighbours[rank]) * (2 if protocol == "rendezvous" else 1) - len(early)
            # The rank that comes second starts both messages of a pair. Neither rank can be ahead, because it needs
            # these messages.
            for near in neighbours[rank]:
                if protocol == "eager":
                    start(rank, near, iteration)
                elif at[near] == iteration and entered[near]:
                    start(rank, near, iteration)
                    start(near, rank, iteration)
            entered[rank] = True
            if open_ends[rank]:
                return
            at[rank] += 1

    def end(flow):
        done = []
        if protocol == "eager" and (at[flow.target] < flow.iteration or not entered[flow.target]):
            arrived.add((flow.source, flow.target, flow.iteration))
        else:
            done.append(flow.target)
        if protocol == "rendezvous":
            done.append(flow.source)
        for rank in done:
            open_ends[rank] -= 1
            if open_ends[rank] == 0:
                at[rank] += 1
                entered[rank] = False
                ready.append(rank)

    entered, ready = [False] * ranks, []
    for rank in range(ranks):
        enter(rank)
    while waiting or flowing:
        # Times that agree up to rounding are one event.
        begins = min((flow.flows_at for flow in waiting), default=math.inf)
        ends = min((now + flow.left / flow.rate for flow in flowing), default=math.inf)
        then = min(begins, ends)
        slack = 1e-12 * then
        for flow in flowing:
            flow.left -= flow.rate * (then - now)
        now = then
        over = [flow for flow in flowing if flow.left <= flow.rate * slack]
        flowing = [flow for flow in flowing if flow.left > flow.rate * slack]
        new = [flow for flow in waiting if flow.flows_at <= now + slack]
        waiting = [flow for flow in waiting if flow.flows_at > now + slack]
        flowing += new
        for flow in over:
            end(flow)
        while ready:
            enter(ready.pop())
        # Without latency a message flows at once.
        flowing += [flow for flow in waiting if flow.flows_at <= now]
        waiting = [flow for flow in waiting if flow.flows_at > now]
        share(flowing, bandwidth)
    assert all(iteration == iterations for iteration in at), "every rank gets through"
    return now


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=float, default=1e6, help="bytes of a message")
    parser.add_argument("--iterations", type=int, default=1)
    parser.add_argument("--mapping", help="a mapping file; without it rank r is on node r")
    parser.add_argument("--torus", type=torus.lengths_of, default=[4, 4, 4], help="lengths, as 4x4x4")
    parser.add_argument("--bandwidth", type=float, default=10e9)
    parser.add_argument("--latency", type=float, default=100e-9)
    parser.add_argument("--weights", choices=WEIGHTS, default="equal", help="latency: inverse to the latency of the route")
    parser.add_argument("--protocol", choices=PROTOCOLS, default="rendezvous")
    parser.add_argument("--routes", choices=torus.TIES, default="topoloom")
    given = parser.parse_args()
    nodes = torus.mapping(given.mapping) if given.mapping else list(range(math.prod(given.torus)))
    print("seconds %.12g" % simulate(nodes, given.bytes, given.iterations, given.torus, given.bandwidth, given.latency,
                                     given.weights, given.protocol, given.routes))


if __name__ == "__main__":
    main()
