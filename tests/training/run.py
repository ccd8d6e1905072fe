#!/usr/bin/env python3
"""From a description of a cluster to a training job that runs as it was placed, without a GPU.

Eight hosts of two ranks each stand for eight nodes: each is a process with its own host name (a UTS
namespace of Linux), so this needs root. torchrun and PyTorch for CPUs start the job with gloo.

usage: run.py TOPOLOOM [--python PYTHON-WITH-TORCH]
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Names that sort differently as text and as numbers, on leaves that no order of names follows.
LEAVES = [["n7", "n70"], ["n66", "n8"], ["n9", "n10"], ["n101", "n11"]]
JOB = "llm:layers=8,hidden=64,sequence=64,tp=2,pp=2,dp=4,gpus-per-node=2"


def run(command, folder, **options):
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\nfailed:\n{done.stdout}{done.stderr}")
    return done.stdout


def hosts_of_ranks(mapping):
    """The host of each rank, from the mapping file alone."""
    return [mapping["hosts"][host] for host in mapping["host_of_rank"]]


def on_every_host(hosts, command):
    """A shell command that runs `command` once per host, under the name of that host."""
    one = [f"unshare --uts sh -c {shlex.quote(f'hostname {host} && {command}')} &" for host in hosts]
    return " ".join(one) + " wait"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("topoloom")
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    topoloom = str(Path(arguments.topoloom).resolve())
    torchrun = f"{arguments.python} -m torch.distributed.run"
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        lines = [f"SwitchName=leaf{i} Nodes={','.join(leaf)}" for i, leaf in enumerate(LEAVES)]
        lines.append(f"SwitchName=spine Switches=leaf[0-{len(LEAVES) - 1}]")
        (folder / "topology.conf").write_text("\n".join(lines) + "\n")
        hosts = sorted(host for leaf in LEAVES for host in leaf)
        (folder / "hosts").write_text("".join(f"{host} slots=2\n" for host in hosts))
        run([topoloom, "machine", "import", "topology.conf", "hosts", "--output", "machine.json"], folder)
        run([topoloom, "map", "--traffic", JOB, "--machine", "machine.json", "-o", "mapping.json"], folder)
        groups = run([topoloom, "traffic", "groups", JOB, "--json"], folder)
        (folder / "groups.json").write_text(groups)
        mapping = json.loads((folder / "mapping.json").read_text())
        expected = hosts_of_ranks(mapping)
        if expected == [host for host in hosts for _ in range(2)]:
            sys.exit("the placement is the sorted order: this shows nothing")

        program = f"{HERE / 'rank.py'} {folder / 'groups.json'}"
        applied = run(
            [topoloom, "apply", "--mapping", "mapping.json", "--format", "node-rank-table",
             "--output", "table", "--command", program],
            folder,
        )
        command = next(line for line in applied.splitlines() if "torchrun" in line).strip()
        # All hosts are this one, so they meet at its own address.
        master = command.split("--master-addr ")[1].split()[0]
        assert master == expected[0], (master, expected)
        command = command.replace(f"--master-addr {master}", "--master-addr 127.0.0.1")
        command = command.replace("torchrun ", f"{torchrun} ", 1)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        said = run(["sh", "-c", on_every_host(hosts, command)], folder, env=environment, timeout=300)
        found = {}
        for line in said.splitlines():
            if line.startswith("rank "):
                _, rank, local, host, right = line.split()
                found[int(rank)] = (host, int(local), right)
        for rank, host in enumerate(expected):
            wanted = (host, rank % 2, "True")
            if found.get(rank) != wanted:
                sys.exit(f"rank {rank}: expected {wanted}, found {found.get(rank)}\n{said}")
            passed += 1

        # verify starts the same command with a probe, and compares.
        verified = [topoloom, "verify", "--mapping", "mapping.json", "--launch-timeout", "120s",
                    "--", "sh", "-c", on_every_host(hosts, command)]
        text = run(verified, folder, env=environment, timeout=300)
        if "16" not in text:
            sys.exit(f"verify said:\n{text}")
        passed += 1
        # In the order of names, it must find ranks in wrong places.
        table = (folder / "table").read_text().split("\n")
        order = {host: number for number, host in enumerate(hosts)}
        (folder / "table").write_text("".join(f"{host} {order[host]}\n" for host in hosts))
        wrong = subprocess.run(verified, cwd=folder, env=environment, text=True, capture_output=True)
        if wrong.returncode != 1 or "on another host" not in wrong.stdout:
            sys.exit(f"verify accepted a wrong order ({wrong.returncode}):\n{wrong.stdout}{wrong.stderr}")
        passed += 1
        assert len(table) == len(hosts) + 1
    print(f"{passed} passed, 0 failed")


main()
