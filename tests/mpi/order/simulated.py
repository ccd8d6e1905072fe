#!/usr/bin/env python3
"""Under SimGrid, a halo exchange with `reorder` on a torus is as fast as with a mapping file.

    tests/mpi/order/simulated.py target/release/topoloom

The ranks begin on hosts in a random order. SimGrid simulates the exchange there, with the hosts of a mapping that
`topoloom map` found, and under `topoloom run --reorder`. Exit code 1 if the last one is more than 1 % slower than the
second.
"""

import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MOST = 1.01
# Each torus has as many nodes as ranks, and the same shape as the grid of `MPI_Dims_create`.
SHAPES = ("4x4x4", "4x3x2", "6x6x6")
SMPI = [
    "--cfg=smpi/simulate-computation:no", "--cfg=smpi/privatization:no", "--cfg=contexts/stack-size:256",
    "--log=root.thresh:error"]


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    if not shutil.which("smpirun") or not shutil.which("smpicc"):
        print("SKIPPED: reorder under SimGrid (needs smpirun and smpicc)")
        return 0
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="topoloom-simulated-") as folder:
        run(["smpicc", "-O1", str(HERE / "simulated.c"), "-o", "halo"], folder)
        for shape in SHAPES:
            random_order, mapped, reordered = seconds(binary, shape, folder)
            ratio = reordered / mapped
            wrong += ratio > MOST
            print(
                f"torus:{shape}: {random_order:.6f} s on random hosts, {mapped:.6f} s with the mapping, "
                f"{reordered:.6f} s with reorder ({ratio:.4f} times)")
    print("wrong" if wrong else "reorder is as fast as a mapping file")
    return 1 if wrong else 0


def seconds(binary, shape, folder):
    """Simulated seconds on random hosts, with a mapping, and with `reorder`."""
    ranks = 1
    for size in shape.split("x"):
        ranks *= int(size)
    machine = f"torus:{shape}"
    run([binary, "machine", "export", machine, "--format", "simgrid", "--output", "platform.xml"], folder)
    hosts = [f"n{node}" for node in range(ranks)]
    random.Random(ranks).shuffle(hosts)
    (pathlib.Path(folder) / "hosts").write_text("\n".join(hosts) + "\n")
    run([binary, "map", "--traffic", f"stencil:{shape},periodic", "--machine", machine, "-o", "mapping.json"], folder)
    run([binary, "apply", "--mapping", "mapping.json", "--format", "smpi-hostfile", "-o", "mapped"], folder)

    def simulated(file, *arguments, before=()):
        return run(
            [*before, "smpirun", "-np", str(ranks), "-platform", "platform.xml", *SMPI, "-hostfile", file, "./halo",
             *arguments], folder)

    before = [binary, "run", "--reorder", "--machine", machine, "--"]
    outputs = simulated("hosts"), simulated("mapped"), simulated("hosts", "reorder", before=before)
    return [float(re.search(r"seconds ([\d.]+)", output)[1]) for output in outputs]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
