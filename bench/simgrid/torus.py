#!/usr/bin/env python3
"""A torus for SimGrid: its platform file, its routes and the hostfile of a mapping.

    torus.py platform --bandwidth 10e9 --latency 100e-9 [--routes topoloom|simgrid] > platform.xml
    torus.py hostfile [--mapping mapping.json] > hostfile
"""
import argparse
import json
import math
import sys

HOST = "node-"
TIES = ("topoloom", "simgrid")


def coordinates(node, lengths):
    place = []
    for length in lengths:
        place.append(node % length)
        node //= length
    return place


def upwards(start, end, length, ties):
    """Whether a ring is walked the positive way. SimGrid walks half the ring down from the middle to 0, else up."""
    up = (end - start) % length
    if 2 * up == length and ties == "simgrid":
        return not (start == length // 2 and end == 0)
    return 2 * up <= length


def route(source, target, lengths, ties):
    """The links from node to node, first dimension first; a link is (node, dimension, way)."""
    place, goal = coordinates(source, lengths), coordinates(target, lengths)
    links, stride, node = [], 1, source
    for dimension, length in enumerate(lengths):
        way = 1 if upwards(place[dimension], goal[dimension], length, ties) else -1
        while place[dimension] != goal[dimension]:
            links.append((node, dimension, way))
            step = (place[dimension] + way) % length
            node += (step - place[dimension]) * stride
            place[dimension] = step
        stride *= length
    return links


def link_name(link):
    node, dimension, way = link
    return f"link-{node}-{dimension}-{'up' if way > 0 else 'down'}"


def platform(lengths, bandwidth, latency, routes):
    """`simgrid`: its own torus. `topoloom`: every route is written out, because routes differ where both ways around a
    ring are equally long."""
    nodes = math.prod(lengths)
    yield "<?xml version='1.0'?>"
    yield '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
    yield '<platform version="4.1">'
    # Numbers in full, with units of one: 1e9Bps is read as a double.
    rate, delay = f"{bandwidth!r}Bps", f"{latency!r}s"
    if routes == "simgrid":
        yield (f'<cluster id="torus" topology="TORUS" topo_parameters="{",".join(map(str, lengths))}" '
               f'prefix="{HOST}" suffix="" radical="0-{nodes - 1}" speed="1Gf" bw="{rate}" lat="{delay}" '
               'sharing_policy="SPLITDUPLEX"/>')
    else:
        yield '<zone id="torus" routing="Full">'
        for node in range(nodes):
            yield f'<host id="{HOST}{node}" speed="1Gf"/>'
        for node in range(nodes):
            for dimension in range(len(lengths)):
                for way in (1, -1):
                    yield f'<link id="{link_name((node, dimension, way))}" bandwidth="{rate}" latency="{delay}"/>'
        for source in range(nodes):
            for target in range(nodes):
                if source != target:
                    links = "".join(f'<link_ctn id="{link_name(link)}"/>' for link in route(source, target, lengths, "topoloom"))
                    yield f'<route src="{HOST}{source}" dst="{HOST}{target}" symmetrical="NO">{links}</route>'
        yield "</zone>"
    yield "</platform>"


def mapping(path):
    """The node of every rank, from a mapping file of Topoloom."""
    with open(path) as file:
        return json.load(file)["node_of_rank"]


def hostfile(nodes):
    return "".join(f"{HOST}{node}\n" for node in nodes)


def lengths_of(text):
    return [int(length) for length in text.split("x")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("platform", "hostfile"))
    parser.add_argument("--torus", type=lengths_of, default=[4, 4, 4], help="lengths, as 4x4x4")
    parser.add_argument("--bandwidth", type=float, default=10e9, help="bytes per second of a link, each way")
    parser.add_argument("--latency", type=float, default=100e-9, help="seconds of a link")
    parser.add_argument("--routes", choices=TIES, default="topoloom", help="whose way round where both are as long")
    parser.add_argument("--mapping", help="a mapping file; without it rank r is on node r")
    given = parser.parse_args()
    if given.what == "platform":
        print("\n".join(platform(given.torus, given.bandwidth, given.latency, given.routes)))
    else:
        nodes = mapping(given.mapping) if given.mapping else range(math.prod(given.torus))
        sys.stdout.write(hostfile(nodes))


if __name__ == "__main__":
    main()
