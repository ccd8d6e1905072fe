#!/usr/bin/env python3
"""Starts jobs with real launchers, bound to cores in ways that are known, and checks `topoloom verify` against them;
lets their ranks measure, too.

    tests/mpi/verify.py target/release/topoloom
    tests/mpi/verify.py --mpi mpich-5.0.2 target/release/topoloom

Where ranks really are is found out without topoloom first. Exit code 1 if anything failed; what cannot run here is
skipped by name.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import flavours
import recording as rec
from context import end_session

TIMEOUT = 200
# Their launchers are those of others that are tried; `--mpi` names them.
LIKE_OTHERS = ("mpich-4.3.2", "mpich-5.0.2-abi")
# Settings of the recorder's tests that bind nobody.
UNBINDING = (
    "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_hwloc_base_binding_policy",
    "PRTE_MCA_rmaps_default_mapping_policy", "PRTE_MCA_hwloc_default_binding_policy",
)
# Two hosts that are one: each library must not take a shorter way than the network.
SEVERAL_HOSTS = {"MPIR_CVAR_CH4_NETMOD": "ofi"}
REMOTE_SHELL = flavours.HERE / "remote_shell.sh"
# Open MPI 5.0's mpirun does not always end if ranks on several hosts end at once.
WHERE = ["sh", "-c", (
    'echo "at ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $(cat /proc/sys/kernel/hostname) '
    '$(sed -n s/Cpus_allowed_list:.//p /proc/self/status)"; sleep 0.5')]


def cores():
    """The first CPU of every core that this process may use, in the order of the hardware."""
    found = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        topology = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
        place = tuple(int((topology / name).read_text()) for name in ("physical_package_id", "core_id"))
        found.setdefault(place, cpu)
    return [found[place] for place in sorted(found)]


@dataclasses.dataclass
class Job:
    """Ranks on hosts and cores; several hosts are this one under other names."""

    hosts: tuple  # the host of each rank
    cores: tuple  # the core of each rank

    @property
    def is_local(self):
        return set(self.hosts) == {"localhost"}


class Launcher:
    """How one library's launcher is told where ranks go."""

    def __init__(self, flavour, folder):
        self.flavour, self.folder = flavour, folder
        self.environment = {name: value for name, value in flavour.environment.items() if name not in UNBINDING}
        text = subprocess.run(
            [flavour.mpirun, "--version"], env=self.environment, capture_output=True, text=True, timeout=TIMEOUT).stdout
        self.is_new = " 5." in text.splitlines()[0] if flavour.is_open_mpi else False

    def bound(self, job, cpus):
        """The command that binds each rank to its core."""
        ranks = str(len(job.hosts))
        if not self.flavour.is_open_mpi:
            return [self.flavour.mpirun, *self.remote(job), "-n", ranks, *self.binding(job, cpus)]
        file = self.folder / "rankfile"
        lines = (f"rank {rank}={host} slot={core}" for rank, (host, core) in enumerate(zip(job.hosts, job.cores)))
        file.write_text("\n".join(lines) + "\n")
        shared = len(set(zip(job.hosts, job.cores))) < len(job.hosts)
        if self.is_new:
            several = ":oversubscribe" if shared else ""
            policy = ["--bind-to", "core:overload-allowed"] if shared else []
            return [
                self.flavour.mpirun, *self.remote(job), "-n", ranks,
                "--map-by", f"rankfile:file={file}{several}", *policy]
        policy = ["--oversubscribe"] if shared else []
        return [self.flavour.mpirun, *self.remote(job), "-n", ranks, "--rankfile", str(file), *policy]

    def binding(self, job, cpus):
        """MPICH's lists go by the ranks of a host, the same for every host."""
        lists = {}
        for host, core in zip(job.hosts, job.cores):
            lists.setdefault(host, []).append(str(cpus[core]))
        assert len(set(map(tuple, lists.values()))) == 1, "hydra binds all hosts alike"
        return ["-bind-to", "user:" + ",".join(next(iter(lists.values())))]

    def remote(self, job):
        if job.is_local:
            return []
        if not self.flavour.is_open_mpi:
            order = list(dict.fromkeys(job.hosts))
            assert all(host == order[rank % len(order)] for rank, host in enumerate(job.hosts)), "hydra deals round"
            return ["-launcher", "ssh", "-launcher-exec", str(REMOTE_SHELL), "-hosts", ",".join(order)]
        agent = ["--prtemca", "plm_ssh_agent"] if self.is_new else ["--mca", "plm_rsh_agent"]
        slots = {host: job.hosts.count(host) for host in job.hosts}
        hosts = ",".join(f"{host}:{count}" for host, count in slots.items())
        return [*agent, str(REMOTE_SHELL), "--host", hosts]

    def sequence(self, hosts):
        """One host per line, one rank each. The file says nothing about cores."""
        if not self.flavour.is_open_mpi:
            raise flavours.Missing("the launcher has no such files")
        file = self.folder / "sequence"
        file.write_text("".join(f"{host}\n" for host in hosts))
        agent = ["--prtemca", "plm_ssh_agent"] if self.is_new else ["--mca", "plm_rsh_agent"]
        # With `seq:file=` and no other list of hosts Open MPI 5.0's mpirun crashes.
        how = ["--map-by", "seq"] if self.is_new else ["--mca", "rmaps", "seq"]
        return [
            self.flavour.mpirun, *agent, str(REMOTE_SHELL), "-n", str(len(hosts)), "--hostfile", str(file), *how,
            "--bind-to", "none"]

    def unbound(self, ranks):
        how = ["--bind-to", "none"] if self.flavour.is_open_mpi else []
        return [self.flavour.mpirun, "-n", str(ranks), *how]


class Failed(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Failed(message)


class Verification:
    """The cases with one library."""

    def __init__(self, binary, flavour, folder):
        self.binary, self.flavour, self.folder = binary, flavour, folder
        self.launcher = Launcher(flavour, folder)
        self.cpus = cores()

    def run(self, command, more=None):
        log = self.folder / "log"
        with open(log, "wb") as output:
            process = subprocess.Popen(
                command, env={**self.launcher.environment, **(more or {})}, cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code = process.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                end_session(process)
                raise
        return code, log.read_text(errors="replace")

    def mapping(self, job, name="mapping.json"):
        """A mapping file that says where the ranks of a job are."""
        hosts = sorted(set(job.hosts))
        path = self.folder / name
        path.write_text(json.dumps({
            "format": "topoloom-mapping", "version": 1, "machine": "cluster:machine.json", "ranks": len(job.hosts),
            "node_of_rank": list(range(len(job.hosts))), "hosts": hosts, "slots_of_host": [len(self.cpus)] * len(hosts),
            "host_of_rank": [hosts.index(host) for host in job.hosts], "core_of_rank": list(job.cores),
            "cpus_of_rank": [str(self.cpus[core]) for core in job.cores],
        }))
        return str(path)

    def verify(self, mapping, command, more=(), environment=None):
        """Returns exit code, JSON, and the text for people."""
        arguments = [self.binary, "verify", "--mapping", mapping, *more]
        code, text = self.run([*arguments, "--json", "--", *command], environment)
        need(text.find("{") >= 0, f"exit code {code}: {text[-600:]}")
        found = json.loads(text[text.find("{"):text.rfind("}") + 1])
        need((code == 0) == (found["complete"] and not found["wrong"]), f"exit code {code} with {found}")
        again, shown = self.run([*arguments, "--", *command], environment)
        need(again == code, f"exit code {again} without --json, {code} with it")
        need(max(map(len, shown.splitlines())) <= 100, f"too wide:\n{shown}")
        need(not list(self.folder.glob(".topoloom*")), "something is left behind")
        return code, found, shown

    def really(self, command, job, environment=None):
        """Without topoloom, ranks must be where the launcher was told to put them."""
        code, text = self.run([*command, *WHERE], environment)
        lines = [line.split() for line in text.splitlines() if line.startswith("at ")]
        found = {int(rank): (host, cpus) for _, rank, host, cpus in lines}
        own = pathlib.Path("/proc/sys/kernel/hostname").read_text().strip()
        names = [own if host == "localhost" else host for host in job.hosts]
        wanted = {rank: (host, str(self.cpus[core])) for rank, (host, core) in enumerate(zip(names, job.cores))}
        need(found == wanted, f"the launcher itself (exit code {code}) does {found}, not {wanted}: {text[-600:]}")

    def all_right(self, job, command, environment=None):
        self.really(command, job, environment)
        code, found, shown = self.verify(self.mapping(job), [*command, "true"], environment=environment)
        ranks = len(job.hosts)
        need(code == 0 and found["right"] == ranks, f"exit code {code}: {shown}")
        need(f"{ranks} of {ranks} ranks sit where the mapping put them" in shown, shown)

    def wrong_ranks(self, mapped, command, environment=None):
        _, found, _ = self.verify(self.mapping(mapped), [*command, "true"], environment=environment)
        return [(one["rank"], one["reason"]) for one in found["wrong"]]

    # The cases.

    def swapped_cores(self):
        job = Job(("localhost",) * 2, (1, 0))
        self.all_right(job, self.launcher.bound(job, self.cpus))

    def wrong_cores_are_named(self):
        job = Job(("localhost",) * 2, (1, 0))
        command = self.launcher.bound(job, self.cpus)
        in_order = Job(job.hosts, (0, 1))
        found = self.wrong_ranks(in_order, command)
        need(found == [(0, "on other CPUs"), (1, "on other CPUs")], str(found))
        found = self.wrong_ranks(Job(job.hosts, (1, 1)), command)
        need(found == [(1, "on other CPUs")], str(found))

    def unbound_ranks_are_said_to_be(self):
        job = Job(("localhost",) * 2, (1, 0))
        found = self.wrong_ranks(job, self.launcher.unbound(2))
        need(len(found) == 2 and all(reason.startswith("not bound: may run on ") for _, reason in found), str(found))

    def command_without_a_program(self):
        job = Job(("localhost",) * 2, (1, 0))
        code, found, shown = self.verify(self.mapping(job), self.launcher.bound(job, self.cpus))
        need(code == 0, shown)

    def four_ranks_share_two_cores(self):
        job = Job(("localhost",) * 4, (1, 0, 1, 0))
        self.all_right(job, self.launcher.bound(job, self.cpus))

    def other_numbers_of_ranks(self):
        job = Job(("localhost",) * 2, (1, 0))
        command = [*self.launcher.bound(job, self.cpus), "true"]
        code, found, shown = self.verify(self.mapping(Job(("localhost",) * 3, (1, 0, 0))), command)
        need(code == 1 and not found["complete"], shown)
        need([(one["rank"], one["reason"]) for one in found["wrong"]] == [(2, "has not reported")], shown)
        code, found, shown = self.verify(self.mapping(Job(("localhost",), (1,))), command)
        need([(one["rank"], one["reason"]) for one in found["wrong"]] == [(1, "is not in the mapping")], shown)

    def failing_launcher(self):
        job = Job(("localhost",) * 2, (1, 0))
        command = [self.flavour.mpirun, "--no-such-option-here", "-n", "2", "true"]
        code, text = self.run([self.binary, "verify", "--mapping", self.mapping(job), "--", *command])
        need(code == 2 and "it failed; it said:" in text and "no-such-option" in text, f"exit code {code}: {text}")

    TWO_HOSTS = Job(("n2", "n1", "n2", "n1"), (1, 1, 0, 0))

    def hosts_and_cores(self):
        """Two hosts, each with its first rank on the last core."""
        self.needs_namespaces()
        command = self.launcher.bound(self.TWO_HOSTS, self.cpus)
        self.all_right(self.TWO_HOSTS, command, SEVERAL_HOSTS)
        other_hosts = Job(("n1", "n2", "n2", "n1"), self.TWO_HOSTS.cores)
        found = self.wrong_ranks(other_hosts, command, SEVERAL_HOSTS)
        need(found == [(0, "on another host"), (1, "on another host")], str(found))
        other_cores = Job(self.TWO_HOSTS.hosts, (1, 1, 1, 0))
        found = self.wrong_ranks(other_cores, command, SEVERAL_HOSTS)
        need(found == [(2, "on other CPUs")], str(found))

    def exchanged_inside_the_job(self):
        """`topoloom run` gives ranks the seats of a mapping, and `verify` confirms it."""
        seat = self.flavour.build(flavours.HERE / "programs" / "seat.c")
        jobs = [(Job(("localhost",) * 2, (0, 1)), Job(("localhost",) * 2, (1, 0)), None)]
        if is_allowed_to_rename_hosts():
            jobs.append((self.TWO_HOSTS, Job(("n1", "n2", "n1", "n2"), (0, 1, 1, 0)), SEVERAL_HOSTS))
        for started, wanted, environment in jobs:
            mapping = self.mapping(wanted)
            command = [*self.launcher.bound(started, self.cpus), *seat]
            run = [self.binary, "run", "--mapping", mapping, "--within", "cores", "--rank-0", "move", "--", *command]
            code, found, shown = self.verify(mapping, run, environment=environment)
            need(code == 0 and found["right"] == len(wanted.hosts), f"exit code {code}: {shown}")
            # This check does not rely on topoloom.
            code, text = self.run(run, environment)
            lines = [line.split() for line in text.splitlines() if line.startswith("at ")]
            seats = {int(rank): cpus for _, rank, _, cpus in lines}
            need(seats == {rank: str(self.cpus[core]) for rank, core in enumerate(wanted.cores)}, text)
            # By default rank 0 stays, and inside hosts the launcher's order.
            code, found, shown = self.verify(mapping, [*run[:4], "--", *command], environment=environment)
            need(code == 1 and 0 in [one["rank"] for one in found["wrong"]], shown)

    def sequence_of_hosts(self):
        """A machine without names: nodes are hosts in order, and no core is asked for."""
        self.needs_namespaces()
        command = self.launcher.sequence(["n2", "n1"])
        mapping = self.folder / "nodes.txt"
        mapping.write_text("1\n0\n")
        code, found, shown = self.verify(str(mapping), [*command, "true"], ("--hosts", "n[1-2]"), SEVERAL_HOSTS)
        need(code == 0 and found["right"] == 2, shown)
        code, found, shown = self.verify(str(mapping), [*command, "true"], ("--hosts", "n2,n1"), SEVERAL_HOSTS)
        need(code == 1 and {one["reason"] for one in found["wrong"]} == {"on another host"}, shown)

    def recording_over_hosts(self):
        """All ranks of both hosts are in the recording, with what they send on one."""
        self.needs_namespaces()
        program = self.flavour.build(flavours.HERE / "programs" / "blocking.c")
        path = self.folder / "hosts.rec"
        recordings = []
        for job in (Job(("localhost",) * 4, (1, 0, 1, 0)), self.TWO_HOSTS):
            path.unlink(missing_ok=True)
            command = [*self.launcher.bound(job, self.cpus), *program]
            code, text = self.run([self.binary, "record", "--output", str(path), "--", *command], SEVERAL_HOSTS)
            need(code == 0 and path.exists(), f"exit code {code}: {text[-600:]}")
            recordings.append(rec.Recording(path))
        here, there = recordings
        need(there.ranks == 4 and not there.states, f"{there.ranks} ranks, states {there.states}")
        need(there.flows == here.flows, "other messages than on one host")
        need(there.hosts == list(self.TWO_HOSTS.hosts), f"hosts {there.hosts}")

    def measured(self, job, environment=None):
        """What `machine measure` finds with a job, and the machine file that it writes."""
        program = self.flavour.build(flavours.HERE / "programs" / "blocking.c")
        path = self.folder / "machine.json"
        command = [*self.launcher.bound(job, self.cpus), *program]
        code, text = self.run(
            [self.binary, "machine", "measure", "--rounds", "50", "--json", "--output", str(path), "--", *command],
            environment)
        need(code == 0 and path.exists(), f"exit code {code}: {text[-600:]}")
        need("done" not in text, "the program ran on after MPI_Init")
        need(not list(self.folder.glob(".topoloom*")), "something is left behind")
        levels = json.loads(text[text.find("{"):text.rfind("}") + 1])["levels"]
        costs = [level["cost"] for level in levels]
        need(costs == sorted(costs) and costs[0] >= 1, f"costs {costs}")
        code, shown = self.run([self.binary, "machine", "show", str(path)])
        need(code == 0, shown)
        return {level["level"]: level["nanoseconds"] for level in levels}

    def measure_on_one_host(self):
        found = self.measured(Job(("localhost",) * 2, (1, 0)))
        need(found and all(time is not None and time > 0 for time in found.values()), str(found))

    def measure_over_hosts(self):
        self.needs_namespaces()
        found = self.measured(self.TWO_HOSTS, SEVERAL_HOSTS)
        need(found.get("switch1") and len(found) >= 2 and all(found.values()), str(found))

    def applied(self, format_name, job, environment=None):
        """The file and the command of `apply` must bind, and a mapping that says otherwise must be reported."""
        agent = self.agent(job)
        # Open MPI 4 does not find "localhost" among the hosts of its files.
        own = pathlib.Path("/proc/sys/kernel/hostname").read_text().strip()
        job = Job(tuple(own if host == "localhost" else host for host in job.hosts), job.cores)
        output = self.folder / "launch"
        code, text = self.run([
            self.binary, "apply", "--mapping", self.mapping(job), "--format", format_name, "--output", str(output)])
        need(code == 0 and output.exists(), f"exit code {code}: {text}")
        line = next(line for line in text.splitlines() if line.startswith("mpirun "))
        words = shlex.split(line)
        command = [self.flavour.mpirun, *agent, *words[1:-1]]
        need(words[-1] == "./app", line)
        self.all_right(job, command, environment)
        other = Job(job.hosts, tuple(1 - core for core in job.cores))
        found = self.wrong_ranks(other, command, environment)
        need([rank for rank, _ in found] == list(range(len(job.hosts))), str(found))

    def agent(self, job):
        """Options that make a launcher take this machine for others."""
        if job.is_local:
            return []
        if not self.flavour.is_open_mpi:
            return ["-launcher", "ssh", "-launcher-exec", str(REMOTE_SHELL)]
        return [*(["--prtemca", "plm_ssh_agent"] if self.launcher.is_new else ["--mca", "plm_rsh_agent"]), str(REMOTE_SHELL)]

    def formats(self):
        if not self.flavour.is_open_mpi:
            return ["mpich-hosts"]
        return ["openmpi5-rankfile" if self.launcher.is_new else "openmpi4-rankfile", "openmpi-seq"]

    def applied_files_bind(self):
        for format_name in self.formats():
            self.applied(format_name, Job(("localhost",) * 2, (1, 0)))

    def applied_files_bind_ranks_that_share_cores(self):
        for format_name in self.formats():
            self.applied(format_name, Job(("localhost",) * 4, (1, 0, 1, 0)))

    def applied_files_bind_on_several_hosts(self):
        self.needs_namespaces()
        for format_name in self.formats():
            self.applied(format_name, Job(("n2", "n1", "n1", "n2"), (1, 1, 0, 0)), SEVERAL_HOSTS)

    def tuned(self, job, environment=None):
        """The command that `tune` prints, old or new, must put the ranks where the mapping says that it wrote."""
        program = self.flavour.build(flavours.HERE / "programs" / "blocking.c")
        command = [*self.launcher.bound(job, self.cpus), *program]
        code, text = self.run([self.binary, "tune", "--prefix", "better", "--json", "--", *command], environment)
        need(code == 0, f"exit code {code}: {text[-900:]}")
        found = json.JSONDecoder().raw_decode(text[text.find('{\n  "old_command"'):])[0]
        need(found["kept"] or (found["verified"] and found["cost"] < found["cost_before"]), str(found))
        need(found["seats"] == "same", str(found))
        for ending in (".rec", ".machine.json", ".mapping.json"):
            need((self.folder / f"better{ending}").exists(), f"better{ending} is missing")
        need(not list(self.folder.glob(".topoloom*")), "something is left behind")
        mapping = json.loads((self.folder / "better.mapping.json").read_text())
        own = pathlib.Path("/proc/sys/kernel/hostname").read_text().strip()
        before = sorted((own if host == "localhost" else host, str(self.cpus[core])) for host, core in zip(job.hosts, job.cores))
        after = sorted((mapping["hosts"][host], cpus) for host, cpus in zip(mapping["host_of_rank"], mapping["cpus_of_rank"]))
        need(before == after, f"seats {before} became {after}")
        # The command as a user would type it.
        code, text = self.run(["sh", "-c", found["command"]], environment)
        need(code == 0, f"the command ends with {code}: {text[-600:]}")
        code, _, shown = self.verify(
            str(self.folder / "better.mapping.json"), found["new_command"], environment=environment)
        need(code == 0, shown)

    def tune_on_one_host(self):
        self.tuned(Job(("localhost",) * 4, (1, 0, 1, 0)))

    def tune_over_hosts(self):
        self.needs_namespaces()
        self.tuned(self.TWO_HOSTS, SEVERAL_HOSTS)

    def needs_namespaces(self):
        if not is_allowed_to_rename_hosts():
            raise flavours.Missing("hosts of other names need the right to make namespaces (root)")


def is_allowed_to_rename_hosts():
    done = subprocess.run(["unshare", "--uts", "sh", "-c", "echo n1 >/proc/sys/kernel/hostname"], capture_output=True)
    return done.returncode == 0


CASES = [
    Verification.swapped_cores, Verification.wrong_cores_are_named, Verification.unbound_ranks_are_said_to_be,
    Verification.command_without_a_program, Verification.four_ranks_share_two_cores,
    Verification.other_numbers_of_ranks, Verification.failing_launcher, Verification.hosts_and_cores,
    Verification.exchanged_inside_the_job, Verification.sequence_of_hosts, Verification.recording_over_hosts,
    Verification.measure_on_one_host,
    Verification.measure_over_hosts, Verification.tune_on_one_host, Verification.tune_over_hosts,
    Verification.applied_files_bind, Verification.applied_files_bind_ranks_that_share_cores,
    Verification.applied_files_bind_on_several_hosts,
]


def main(cases=CASES, kind=Verification, about=__doc__):
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the topoloom to test")
    parser.add_argument("--mpi", metavar="NAME", action="append", help="only this library (may be repeated)")
    parser.add_argument("--only", metavar="CASE", action="append", help="only this case (may be repeated)")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.binary).resolve())
    if len(cores()) < 2:
        print("== SKIPPED: verify with real launchers: this machine has one core only")
        return
    passed = failed = skipped = 0
    for name in options.mpi or [name for name in flavours.FLAVOURS if name not in {*flavours.EXTRA, *LIKE_OTHERS}]:
        try:
            flavour = flavours.prepare(name, flavours.ROOT / "target" / "mpi")
        except (flavours.Missing, subprocess.TimeoutExpired) as reason:
            print(f"== SKIPPED: {name}: {reason}", flush=True)
            skipped += len(cases)
            continue
        for case in cases:
            if options.only and case.__name__ not in options.only:
                continue
            outcome = run_case(case, kind, binary, flavour)
            # Open MPI's launchers hang or crash by themselves now and then, most of all with several hosts.
            if outcome[0] == "failed" and flavour.is_open_mpi:
                print(f"tried again: {case.__name__} with {name}, after: {outcome[1].splitlines()[0]}")
                outcome = run_case(case, kind, binary, flavour)
            passed, failed, skipped = (
                count + (outcome[0] == word)
                for count, word in ((passed, "ok"), (failed, "failed"), (skipped, "skipped")))
            if outcome[0] != "ok":
                print(f"{outcome[0].upper()} {case.__name__} with {name}: {outcome[1]}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


def run_case(case, kind, binary, flavour):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="topoloom-verify-"))
    try:
        case(kind(binary, flavour, folder))
        return "ok", ""
    except flavours.Missing as reason:
        return "skipped", str(reason)
    except (Failed, subprocess.TimeoutExpired, OSError, ValueError, rec.Malformed) as wrong:
        return "failed", f"{type(wrong).__name__}: {wrong}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
