#!/usr/bin/env python3
"""Measures whether the work beside the search keeps its limits: lower bounds, statistics and simulations on large
instances.

    bench/limits/beside.py PATH-TO-TOPOLOOM [--limit 2] [NAME ...]

Three numbers per row: how long it takes to read and score (a run with a limit of 0 s), how long a run
with the limit takes, and how long it takes to end after SIGTERM, which is sent when reading is done.
The promise: a run takes at most the limit longer than reading and scoring, and ends within 2 s after SIGTERM.
Times depend on the machine and on its load, so this is a measurement and not a test.
"""
import argparse
import signal
import subprocess
import sys
import time

DRAGONFLY = "dragonfly:groups=129,routers=16,nodes=32"
LARGE = {
    "bound, ring on a dragonfly": ["score", "--traffic", "ring:64", "--machine", DRAGONFLY, "--mapping", "in-order"],
    "bound, 66,048 random ranks on a dragonfly": [
        "score", "--traffic", "random:ranks=66048,degree=8", "--machine", DRAGONFLY, "--mapping", "in-order"],
    "bound, all-to-all of 3,000": [
        "score", "--traffic", "all-to-all:3000", "--machine", "torus:16x16x16", "--mapping", "in-order"],
    "bound, a million random ranks": [
        "score", "--traffic", "random:ranks=1000000,degree=8", "--machine", "torus:100x100x100", "--mapping", "in-order"],
    "bound, a ring of a million": [
        "score", "--traffic", "ring:1000000", "--machine", "torus:128x128x64", "--mapping", "in-order"],
    "flow, all-to-all of 1,024": [
        "simulate", "--traffic", "all-to-all:1024", "--machine", "torus:16x8x8", "--mapping", "in-order"],
    "packet, all-to-all of 1,024": [
        "simulate", "--traffic", "all-to-all:1024,bytes=65536", "--machine", "torus:16x8x8", "--mapping", "in-order",
        "--model", "packet"],
    "flow, stencil of 100,000": [
        "simulate", "--traffic", "stencil:50x50x40,bytes=1000000", "--replay", "rounds=100", "--machine", "torus:50x50x40",
        "--mapping", "in-order"],
    "packet, stencil of 100,000": [
        "simulate", "--traffic", "stencil:50x50x40,bytes=1000000", "--machine", "torus:50x50x40", "--mapping", "in-order",
        "--model", "packet"],
    "flow, random ranks on a dragonfly": [
        "simulate", "--traffic", "random:ranks=66048,degree=8,bytes=100000", "--machine", DRAGONFLY, "--mapping",
        "in-order"],
    "packet, random ranks on a dragonfly": [
        "simulate", "--traffic", "random:ranks=66048,degree=8,bytes=100000", "--machine", DRAGONFLY, "--mapping",
        "in-order", "--model", "packet"],
}


def seconds_of(command, stop_after=None):
    """Wall-clock seconds, of the whole run, or from SIGTERM to its end."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if stop_after is not None:
        try:
            child.wait(stop_after)
            return None
        except subprocess.TimeoutExpired:
            begin = time.monotonic()
            child.send_signal(signal.SIGTERM)
    try:
        child.wait(300)
    except subprocess.TimeoutExpired:
        child.kill()
        return float("inf")
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topoloom")
    parser.add_argument("names", nargs="*", help="rows whose name has one of these words; all of them if none is given")
    parser.add_argument("--limit", type=float, default=2.0, help="the time limit in seconds")
    arguments = parser.parse_args()
    kept = True
    print(f"{'':44}{'reading':>9}{f'{arguments.limit:g} s limit':>13}{'SIGTERM':>9}  kept")
    for name, command in LARGE.items():
        if arguments.names and not any(word in name for word in arguments.names):
            continue
        command = [arguments.topoloom, *command]
        reading = seconds_of([*command, "--time-limit", "0s"])
        limited = seconds_of([*command, "--time-limit", f"{arguments.limit}s"])
        ended = seconds_of(command, stop_after=reading + 1)
        # Two runs of the same command differ by some tenths of a second.
        fine = limited <= reading * 1.2 + arguments.limit + 0.5 and (ended is None or ended <= 2)
        kept &= fine
        shown = "done" if ended is None else f"{ended:.2f}"
        print(f"{name:44}{reading:9.2f}{limited:13.2f}{shown:>9}  {'yes' if fine else 'NO'}", flush=True)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
