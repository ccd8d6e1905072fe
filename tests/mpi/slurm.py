#!/usr/bin/env python3
"""Starts a Slurm of two nodes on this machine, under other names, and tries `topoloom` with its `srun` and `sbatch`.

    tests/mpi/slurm.py target/debug/topoloom

It needs root, and Slurm and MUNGE (Debian: slurm-wlm, munge). MPICH talks to `srun` through PMI2, Open MPI through PMIx. Exit code 1 if
anything failed; what cannot run here is skipped by name.
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import flavours
from verify import Failed, need

NODES = ("n1", "n2")
RANKS = 4
# A problem whose work all processes of a job share.
SEARCH = ["map", "--traffic", "stencil:24x24", "--machine", "tree:4:4:4,distances=1:10:100", "--imbalance", "0.03"]
EVOLUTION = [*SEARCH, "--effort", "extreme", "--islands", "4", "--generations", "30"]
# Ranks 0 and 2, and 1 and 3, are partners.
PAIRS = "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 3 100\n3 1 100\n2 4 100\n4 2 100\n"
TIMEOUT = 120

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
TmpFS={folder}/tmp-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=n1 NodeHostname=n1 NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2
NodeName=n2 NodeHostname=n2 NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2
PartitionName=main Nodes=n1,n2 Default=YES State=UP
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster:
    """A Slurm with two nodes, each with a host name and a folder for temporary files of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.configuration = folder / "slurm.conf"
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration)}
        self.daemons = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        folder = self.folder
        host = socket.gethostname().split(".")[0]
        self.configuration.write_text(CONFIGURATION.format(host=host, folder=folder, ports=free_ports(3)))
        for name in ("munge", "state", *(f"tmp-{node}" for node in NODES)):
            (folder / name).mkdir(mode=0o755)
        key = folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        munge = [f"--{name}={folder}/munge/{name.split('-')[0]}" for name in ("socket", "key-file", "log-file", "pid-file", "seed-file")]
        self.daemon("munged", "--foreground", "--force", *munge)
        self.daemon("slurmctld", "-D")
        for node in NODES:
            # The name of the host is part of a namespace.
            self.daemon("unshare", "--uts", "sh", "-c", f"hostname {node}; exec slurmd -D -N {node}")
        deadline = time.monotonic() + 30
        while self.idle_nodes() < len(NODES):
            if time.monotonic() > deadline:
                raise flavours.Missing(f"Slurm does not start here: {self.log()[-400:]}")
            time.sleep(0.2)

    def daemon(self, *command):
        path = f"{os.environ['PATH']}:/usr/sbin"
        log = open(self.folder / "daemons.log", "ab")
        self.daemons.append(subprocess.Popen(
            command, env={**self.environment, "PATH": path}, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True))

    def log(self):
        return "".join(file.read_text(errors="replace") for file in sorted(self.folder.glob("*.log")))

    def idle_nodes(self):
        done = subprocess.run(["sinfo", "-h", "-N", "-t", "idle", "-o", "%N"], env=self.environment, capture_output=True, text=True)
        return len(done.stdout.split())

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()


class Cases:
    """What is tried with one MPI library."""

    def __init__(self, cluster, binary, flavour, plugin, folder):
        self.cluster, self.binary, self.flavour, self.folder = cluster, binary, flavour, folder
        self.plugin = f"--mpi={plugin}"
        environment = {**flavour.environment, "SLURM_CONF": cluster.environment["SLURM_CONF"]}
        # The nodes are one machine: shared memory between them would look like that of one node.
        self.environment = {**environment, "OMPI_MCA_btl": "self,tcp", "MPIR_CVAR_CH4_NETMOD": "ofi"}

    def run(self, command, code=0):
        """The standard output of a command that ends with this code."""
        done = subprocess.run(
            command, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
        need(done.returncode == code, f"exit code {done.returncode}: {command}\n{done.stdout[-600:]}\n{done.stderr[-600:]}")
        return done.stdout

    def topoloom(self, *words, code=0):
        return self.run([self.binary, *words], code)

    def srun(self, *options, ranks=RANKS):
        return ["srun", self.plugin, "--nodes=2", f"--ntasks={ranks}", "--overcommit", *options]

    def program(self, name):
        return self.flavour.build(flavours.HERE / "programs" / f"{name}.c")

    def batch(self, body, *options):
        """What a batch job prints."""
        script, output = self.folder / "job.sh", self.folder / "job.out"
        script.write_text(f"#!/bin/sh\ncd {self.folder}\n{body}\n")
        output.unlink(missing_ok=True)
        self.run(["sbatch", "--wait", "--nodes=2", "--ntasks=4", f"--output={output}", *options, str(script)])
        return output.read_text()

    # The cases.

    def processes_of_a_step_search_together(self):
        self.topoloom(*SEARCH, "--output", "alone.json")
        alone = (self.folder / "alone.json").read_bytes()
        for ranks in (2, 3):
            text = self.run([*self.srun(ranks=ranks), self.binary, *SEARCH, "--output", "together.json"])
            need(text.count("written to") == 1, f"several processes worked for themselves:\n{text}")
            need((self.folder / "together.json").read_bytes() == alone, f"{ranks} processes find another placement")

    def a_job_is_recorded(self):
        self.topoloom("record", "--output", "job.rec", "--", *self.srun(), *self.program("blocking"))
        wanted = self.folder / "wanted.rec"
        self.topoloom("record", "--output", str(wanted), "--", str(self.flavour.mpirun), "-n", str(RANKS), *self.program("blocking"))
        found, wanted = (self.topoloom("traffic", "show", str(name), "--json") for name in ("job.rec", wanted))
        found, wanted = json.loads(found), json.loads(wanted)
        hosts = [(host["name"], host["ranks"]) for host in found["recording"]["hosts"]]
        need(hosts == [(node, RANKS // 2) for node in NODES], f"hosts {hosts}")
        collectives = [one["recording"]["collectives"] for one in (found, wanted)]
        need(collectives[0] == collectives[1], f"other collectives than under mpirun: {collectives}")
        differing = [name for name in wanted if name not in ("traffic", "recording") and found[name] != wanted[name]]
        need(not differing, f"other {differing} than under mpirun")

    def ranks_are_exchanged(self):
        seats = lambda text: {int(line.split()[1]): line.split()[2] for line in text.splitlines() if line.startswith("at ")}
        plain = seats(self.run([*self.srun(), *self.program("seat")]))
        need(set(plain.values()) == set(NODES) and len(plain) == RANKS, f"Slurm itself does {plain}")
        turned = seats(self.topoloom("run", "--order", "reverse", "--", *self.srun(), *self.program("seat")))
        need(turned == {rank: plain[RANKS - 1 - rank] for rank in plain}, f"{plain} became {turned}")

    def a_mapping_is_applied_and_verified(self):
        (self.folder / "topology.conf").write_text("SwitchName=s0 Nodes=n[1-2]\n")
        (self.folder / "pairs.mtx").write_text(PAIRS)
        self.topoloom("machine", "import", "topology.conf", "--slots", "2", "--output", "machine.json")
        self.topoloom("map", "--traffic", "pairs.mtx", "--machine", "machine.json", "--output", "mapping.json")
        command = self.topoloom(
            "apply", "--mapping", "mapping.json", "--format", "slurm-hostfile", "--hosts", "n[1-2]:2", "--output", "hosts",
            "--command", " ".join(self.program("seat"))).strip()
        command = command.replace("srun ", f"srun {self.plugin} ", 1)
        text = self.batch(command)
        host_of = {int(line.split()[1]): line.split()[2] for line in text.splitlines() if line.startswith("at ")}
        partners = [host_of.get(0) == host_of.get(2), host_of.get(1) == host_of.get(3), host_of.get(0) != host_of.get(1)]
        need(all(partners) and len(host_of) == RANKS, f"{command}\n{text}")
        variables, words = command.split(" srun ", 1)
        text = self.batch(f"{variables} {self.binary} verify --mapping mapping.json -- srun {words}; echo code $?")
        # Places are hosts here, so nothing is bound, and every rank is where it should be.
        need("4 of 4 ranks sit where the mapping put them" in text and "code 0" in text, text)

    def a_job_in_an_allocation_is_tuned(self):
        program = " ".join(self.program("blocking"))
        text = self.batch(f"{self.binary} tune --json -- srun {self.plugin} {program}; echo code $?")
        found = json.JSONDecoder().raw_decode(text[text.find('{\n  "old_command"'):])[0]
        need("code 0" in text and found["old_command"][0] == "srun" and found["estimated_gain"] >= 0, text)

    def a_search_continues_after_a_signal(self):
        self.topoloom(*EVOLUTION, "--output", "whole.json")
        whole = (self.folder / "whole.json").read_bytes()
        state = self.folder / "state"
        state.unlink(missing_ok=True)
        words = " ".join([*EVOLUTION, "--checkpoint", str(state), "--output", "parts.json"])
        command = f"srun {self.plugin} --ntasks=2 {self.binary} {words}; echo code $?"
        # Slurm sends the signal to all processes of the step, as it does before a time limit.
        signal = f"(while [ ! -e {state} ]; do sleep 0.1; done; scancel --signal=TERM $SLURM_JOB_ID) &\n"
        text = self.batch(f"{signal}{command}")
        need("code 0" in text and "interrupted" in text and state.exists(), text)
        text = self.batch(command)
        need("code 0" in text, text)
        need((self.folder / "parts.json").read_bytes() == whole, "another placement than without the signal")


CASES = [name for name in vars(Cases) if name.startswith(("a_", "processes_", "ranks_"))]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    missing = [name for name in ("slurmctld", "slurmd", "munged", "srun", "unshare") if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")]
    if missing or os.getuid() != 0:
        print(f"SKIPPED: jobs under Slurm (needs root and {', '.join(missing or ['nothing else'])})")
        sys.exit(0)
    passed = failed = skipped = 0
    started = time.monotonic()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="topoloom-slurm-"))
    scratch.chmod(0o755)
    try:
        (scratch / "cluster").mkdir()
        with Cluster(scratch / "cluster") as cluster:
            for name, plugin in (("debian-mpich", "pmi2"), ("debian-openmpi", "pmix")):
                try:
                    flavour = flavours.prepare(name, flavours.ROOT / "target" / "mpi")
                except flavours.Missing as reason:
                    print(f"SKIPPED: {name} under Slurm ({reason})")
                    continue
                for case in CASES:
                    folder = scratch / name / case
                    folder.mkdir(parents=True)
                    try:
                        getattr(Cases(cluster, binary, flavour, plugin, folder), case)()
                        passed += 1
                        print(f"ok {case} with {name} (after {time.monotonic() - started:.0f} s)", flush=True)
                    except flavours.Missing as reason:
                        skipped += 1
                        print(f"SKIPPED: {case} with {name} under Slurm ({reason})", flush=True)
                    except Failed as wrong:
                        failed += 1
                        print(f"FAILED {case} with {name}: {wrong}", flush=True)
                    except Exception:  # A check that breaks is a failure of its case, and the other cases still run.
                        failed += 1
                        print(f"FAILED {case} with {name}: {traceback.format_exc()}", flush=True)
    except flavours.Missing as reason:
        print(f"SKIPPED: jobs under Slurm ({reason})")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"in {time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
