#!/usr/bin/env python3
"""Runs `topoloom tune` and `apply` with real launchers and checks that no job gets worse: no rank loses a CPU, no host
loses a rank, nothing hangs, and no claim is false.

    tests/mpi/trust.py target/debug/topoloom
    tests/mpi/trust.py --mpi mpich-5.0.2 --only unbound_ranks_gain_nothing_on_one_host target/debug/topoloom

Where ranks really are is found out without topoloom. Exit code 1 if anything failed; what cannot run here is skipped by
name.
"""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import flavours
import verify
from verify import REMOTE_SHELL, SEVERAL_HOSTS, UNBINDING, WHERE, Failed, need

PROGRAMS = flavours.HERE / "programs"
FOUR_HOSTS = "SwitchName=left Nodes=n[1-2]\nSwitchName=right Nodes=n[3-4]\nSwitchName=top Switches=left,right\n"


class Trust(verify.Verification):
    """The cases with one library."""

    def program(self, name):
        return self.flavour.build(PROGRAMS / f"{name}.c")

    def seats(self, command, environment=None):
        """Where ranks are, as they say themselves: rank -> (host, CPUs). Commands end with their program.

        Under `topoloom run` they know their ranks only from MPI.
        """
        where = self.program("seat") if command[:2] == [self.binary, "run"] else WHERE
        code, text = self.run([*command, *where], environment)
        lines = [line.split() for line in text.splitlines() if line.startswith("at ")]
        found = {int(rank): (host, cpus) for _, rank, host, cpus in lines}
        need(code == 0 and found, f"exit code {code}: {text[-600:]}")
        return found

    def tune(self, command, *options, environment=None, code=0):
        """What `tune --json` says; every file name begins with `better`."""
        words = [self.binary, "tune", "--prefix", "better", "--json", *options, "--", *command]
        found, text = self.run(words, environment)
        need(found == code, f"exit code {found}: {text[-1500:]}")
        need(not list(self.folder.glob(".topoloom*")), "something is left behind")
        if code == 2:
            return text
        record = json.JSONDecoder().raw_decode(text[text.find('{\n  "old_command"'):])[0]
        need(record["old_command"] == list(command), f"{record['old_command']} is not {command}")
        need(record["kept"] == (record["new_command"] == record["old_command"]), str(record))
        need(0 <= record["estimated_gain"] <= 1, str(record))
        # The written files say what the printed command does.
        has_file = not record["kept"] and record["format"] != "run"
        need((self.folder / "better.launch").exists() == has_file, f"{record}: {os.listdir(self.folder)}")
        mapping = json.loads((self.folder / "better.mapping.json").read_text())
        need((mapping["strategy"] == "present") == record["kept"], str(mapping))
        return record

    def same_seats(self, record, program, environment=None):
        """The multiset of seats before and after, found without topoloom, which must be the same."""
        old, new = record["old_command"], record["new_command"]
        need(old[-len(program):] == program and new[-len(program):] == program, f"{old} and {new}")
        before = self.seats(old[:-len(program)], environment)
        after = self.seats(new[:-len(program)], environment)
        need(sorted(before.values()) == sorted(after.values()), f"seats {before} became {after}")
        return before, after

    def crowded(self, ranks):
        """More ranks than there may be cores, not bound."""
        more = ["--oversubscribe"] if self.flavour.is_open_mpi else []
        return [self.flavour.mpirun, *more, "-n", str(ranks)]

    # The cases. 1: oversubscribed jobs.

    def oversubscribed_ranks_stay_as_they_are(self):
        program = self.program("pairs")
        record = self.tune([*self.crowded(8), *program])
        need(record["kept"] and record["estimated_gain"] == 0, str(record))
        self.same_seats(record, program)

    def ranks_that_share_a_core_let_each_other_run(self):
        """The command that `apply` prints makes waiting ranks yield, and only that one."""
        if not self.flavour.is_open_mpi:
            raise flavours.Missing("MPICH has no option for it")
        library = self.folder / "count_yields.so"
        flavours.run(["gcc", "-shared", "-fPIC", "-O1", str(PROGRAMS / "count_yields.c"), "-o", str(library)])
        # The tests of the recorder ask for it in the environment.
        self.launcher.environment.pop("OMPI_MCA_mpi_yield_when_idle", None)
        own = pathlib.Path("/proc/sys/kernel/hostname").read_text().strip()
        for format_name in self.formats():
            yields = {}
            for cores in ((0, 0, 0), (0, 1)):
                job = verify.Job((own,) * len(cores), cores)
                code, text = self.run([
                    self.binary, "apply", "--mapping", self.mapping(job), "--format", format_name,
                    "--output", str(self.folder / "launch")])
                need(code == 0, text)
                line = next(line for line in text.splitlines() if line.startswith("mpirun "))
                words = shlex.split(line)
                command = [self.flavour.mpirun, "-x", f"LD_PRELOAD={library}", *words[1:-1], *self.program("waits")]
                code, text = self.run(command)
                need(code == 0, f"exit code {code}: {text[-600:]}")
                said = [line.rsplit(" ", 1)[1] for line in text.splitlines() if line.startswith("yields of rank 0:")]
                need(len(said) == 1, text[-600:])
                yields[len(cores)] = int(said[0])
            # Ranks of Open MPI 5 yield now and then in any case.
            usual = 100 if not self.launcher.is_new else yields[3] / 4
            need(yields[3] > 1000 and usual > yields[2], f"{format_name}: {yields[3]} yields on one core, {yields[2]} on two")

    # 2: hybrid layouts.

    def a_rank_of_two_cores_keeps_them(self):
        program = self.program("pairs")
        if self.flavour.is_open_mpi:
            how = ["--map-by", "slot:PE=2", "--bind-to", "core"]
        else:
            how = ["-bind-to", "user:" + "+".join(map(str, self.cpus[:2]))]
        record = self.tune([self.flavour.mpirun, "-n", "1", *how, *program])
        need(record["kept"], str(record))
        _, after = self.same_seats(record, program)
        need(len(set(after.values())) == 1 and after[0][1] in ("0-1", "0,1"), str(after))
        mapping = json.loads((self.folder / "better.mapping.json").read_text())
        need(mapping["cpus_of_rank"] == ["0-1"], str(mapping))

    # 3: spread layouts, with something to gain and without.

    def four_hosts(self):
        """A job of one rank per host, whose partners are below other switches."""
        self.needs_namespaces()
        (self.folder / "topology.conf").write_text(FOUR_HOSTS)
        hosts = [f"n{number}" for number in range(1, 5)]
        if not self.flavour.is_open_mpi:
            return [
                self.flavour.mpirun, "-launcher", "ssh", "-launcher-exec", str(REMOTE_SHELL), "-hosts", ",".join(hosts),
                "-ppn", "1", "-n", "4"]
        agent = ["--prtemca", "plm_ssh_agent"] if self.launcher.is_new else ["--mca", "plm_rsh_agent"]
        return [
            self.flavour.mpirun, *agent, str(REMOTE_SHELL), "--host", ",".join(hosts), "--map-by", "ppr:1:node", "-n", "4"]

    def one_rank_per_host_stays_so(self):
        """Inside the job, and by a launch file."""
        for format in ("run", "openmpi-seq" if self.flavour.is_open_mpi else "mpich-hosts"):
            self.one_rank_per_host(format)

    def one_rank_per_host(self, format):
        program = self.program("pairs")
        command = [*self.four_hosts(), *program]
        options = [] if format == "run" else ["--format", format]
        record = self.tune(command, "--network", "topology.conf", *options, environment=SEVERAL_HOSTS)
        need(record["format"] == format, str(record))
        # Partners are half the world apart: 0 and 2, 1 and 3. Below one switch they cost 100 instead of 150.
        need(not record["kept"] and record["seats"] == "same" and record["verified"], str(record))
        need(abs(record["estimated_gain"] - 1 / 3) < 0.01, str(record))
        before, after = self.same_seats(record, program, SEVERAL_HOSTS)
        switch = {"n1": "left", "n2": "left", "n3": "right", "n4": "right"}
        for rank in range(2):
            need(switch[before[rank][0]] != switch[before[rank + 2][0]], f"before: {before}")
            need(switch[after[rank][0]] == switch[after[rank + 2][0]], f"after: {after}")
        code, text = self.run(record["new_command"], SEVERAL_HOSTS)
        need(code == 0, f"the new command ends with {code}: {text[-600:]}")

    def two_hosts_keep_a_rank_each(self):
        self.needs_namespaces()
        program = self.program("pairs")
        command = [word.replace("n1,n2,n3,n4", "n1,n2") for word in self.four_hosts()[:-1]] + ["2", *program]
        record = self.tune(command, environment=SEVERAL_HOSTS)
        need(record["kept"], str(record))
        _, after = self.same_seats(record, program, SEVERAL_HOSTS)
        need(sorted(host for host, _ in after.values()) == ["n1", "n2"], str(after))

    def idle_hosts_are_told(self):
        """`map` puts 64 ranks on one of four 64-core hosts, and says so; with a rule it does not."""
        (self.folder / "hosts").write_text("".join(f"n{number} slots=64\n" for number in range(1, 5)))
        code, text = self.run([self.binary, "machine", "import", "hosts", "--output", "four.json"])
        need(code == 0, text)
        words = [self.binary, "map", "--traffic", "stencil:8x8", "--machine", "four.json", "--output", "m.json"]
        code, text = self.run(words)
        need(code == 0 and "64 ranks on 1 of 4 hosts; 3 hosts stay idle" in text, text)
        code, text = self.run([*words, "--ranks-per-node", "16"])
        hosts = json.loads((self.folder / "m.json").read_text())["host_of_rank"]
        need(code == 0 and all(hosts.count(host) == 16 for host in range(4)), text)

    # 4: collectives.

    def collectives_count(self):
        path = self.folder / "run.rec"
        command = [*self.crowded(5), *self.program("collectives"), "blocking"]
        code, text = self.run([self.binary, "record", "--output", str(path), "--", *command])
        need(code == 0, text[-600:])
        machine = "tree:2:3,distances=1:10"
        costs = {}
        for more in ((), ("--collectives", "algorithm"), ("--collectives", "none")):
            code, text = self.run([
                self.binary, "score", "--traffic", str(path), "--machine", machine, "--mapping", "in-order", "--json", *more])
            need(code == 0, text)
            costs[more] = json.loads(text[text.find("{"):])["hop_bytes"]
        need(costs[()] == costs["--collectives", "algorithm"] > costs["--collectives", "none"], str(costs))
        code, text = self.run([self.binary, "map", "--traffic", str(path), "--machine", machine])
        need(code == 0 and "collectives" in text and "% of bytes" in text, text)

    # 5 and 6: gains that are not there, and moves for nothing.

    def unbound_ranks_gain_nothing_on_one_host(self):
        program = self.program("pairs")
        record = self.tune([*self.launcher.unbound(2), *program])
        need(record["kept"] and record["estimated_gain"] == 0, str(record))
        code, text = self.run([self.binary, "tune", "--prefix", "better", "--", *self.launcher.unbound(2), *program])
        need(code == 0 and "The old command stays." in text and "not bound" in text, text)
        need(max(len(line) for line in text.splitlines() if self.flavour.mpirun not in line) <= 100, text)

    def small_gains_move_nobody(self):
        program = self.program("pairs")
        command = [*self.four_hosts(), *program]
        record = self.tune(command, "--network", "topology.conf", "--worth", "50%", environment=SEVERAL_HOSTS)
        need(record["kept"] and 0.3 < record["estimated_gain"] < 0.4, str(record))
        code, text = self.run([
            self.binary, "map", "--traffic", "better.rec", "--machine", "better.machine.json", "--worth", "50%", "--json",
            "--output", "m.json"])
        need(code == 0, text)
        found = json.loads(text[text.find("{"):text.rfind("}") + 1])
        need(found["kept"] and found["baseline"] == "present", str(found))
        mapping = json.loads((self.folder / "m.json").read_text())
        need([mapping["hosts"][host] for host in mapping["host_of_rank"]] == ["n1", "n2", "n3", "n4"], str(mapping))

    # 7: numbers on clusters.

    def a_node_is_a_host_in_all_numbers(self):
        path = self.folder / "run.rec"
        command = [*self.crowded(4), *self.program("pairs")]
        code, text = self.run([self.binary, "record", "--output", str(path), "--", *command])
        need(code == 0, text[-600:])
        (self.folder / "hosts").write_text("a slots=2\nb slots=2\n")
        code, text = self.run([self.binary, "machine", "import", "hosts", "--output", "two.json"])
        need(code == 0, text)
        code, text = self.run([
            self.binary, "score", "--traffic", str(path), "--machine", "two.json", "--mapping", "in-order", "--json"])
        need(code == 0, text)
        found = json.loads(text[text.find("{"):])
        # Ranks 0 and 1 are on a, 2 and 3 on b: each sends 64 bytes to the next in 20 rounds.
        need(found["intra_node_weight"] == found["statistics"]["intra_node_logical"]["total"] == 2 * 20 * 64, str(found))
        # What one host sends to the other crosses its adapter, and what comes back too.
        between = found["inter_node_weight"]
        need(found["statistics"]["inter_node_physical"]["maximum"] == between, str(found))
        need(found["max_link_load"] * 2 == between and found["max_switch_link_load"] == 0, str(found))

    # 8: one job of several helpers.

    def helpers_of_one_host_are_one_job(self):
        if self.flavour.is_open_mpi:
            raise flavours.Missing("MPICH's launcher alone starts several helpers on one host")
        program = self.program("pairs")
        command = [self.flavour.mpirun, "-launcher", "fork", "-hosts", "n1,n2", "-n", "4", *program]
        record = self.tune(command)
        need(record["kept"] and (self.folder / "better.rec").exists(), str(record))
        self.same_seats(record, program)

    # 9: launchers that hang.

    def a_launcher_that_hangs_is_ended(self):
        hanging = self.folder / "mpirun"
        hanging.write_text("#!/bin/sh\necho starting slowly\nsleep 1000\n")
        hanging.chmod(0o755)
        mapping = self.mapping(verify.Job(("localhost",) * 2, (1, 0)))
        started = time.monotonic()
        for words in (
                [self.binary, "verify", "--mapping", mapping, "--launch-timeout", "1s", "--", str(hanging), "-n", "2", "true"],
                [self.binary, "tune", "--format", "mpich-hosts", "--launch-timeout", "1s", "--", str(hanging), "-n", "2", "true"]):
            code, text = self.run(words)
            need(code == 2 and "did not end within 1.00 s" in text and "--launch-timeout" in text, f"{code}: {text}")
            need("starting slowly" in text, text)
        left = subprocess.run(["pgrep", "-f", "^sleep 1000$"], capture_output=True, text=True).stdout.split()
        mine = [number for number in left if is_younger_than(number, time.monotonic() - started)]
        need(not mine, f"left behind: {mine}")

    # The clock.

    def the_clock_decides(self):
        """A new command is only proposed if it is faster; the times of both are there."""
        program = self.program("pairs")
        command = [*self.four_hosts(), *program]
        record = self.tune(command, "--network", "topology.conf", "--measure", "3", environment=SEVERAL_HOSTS)
        measured = record["measured"]
        need(len(measured["before_seconds"]) == len(measured["after_seconds"]) == 3, str(record))
        need(measured["faster"] != record["kept"] and 0 <= measured["p_value"] <= 1, str(record))
        need(0 < measured["mpi_share_before"] <= 1 and 0 < measured["mpi_share_after"] <= 1, str(record))

    def other_seats_are_taken_when_asked(self):
        """Unbound ranks get a core each, if the clock says so; else the old command stays."""
        program = self.program("pairs")
        record = self.tune([*self.launcher.unbound(2), *program], "--seats", "any", "--measure", "3")
        need(record["measured"] is not None and record["verified"], str(record))
        if not record["kept"]:
            need(record["seats"] == "changed", str(record))
            after = self.seats(record["new_command"][:-len(program)])
            need(sorted(cpus for _, cpus in after.values()) == sorted(map(str, self.cpus[:2])), str(after))


def is_younger_than(process, seconds):
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    ticks = int(text.rsplit(")", 1)[1].split()[19])
    uptime = float(pathlib.Path("/proc/uptime").read_text().split()[0])
    return uptime - ticks / os.sysconf("SC_CLK_TCK") < seconds + 1


CASES = [
    Trust.oversubscribed_ranks_stay_as_they_are, Trust.ranks_that_share_a_core_let_each_other_run,
    Trust.a_rank_of_two_cores_keeps_them, Trust.one_rank_per_host_stays_so, Trust.two_hosts_keep_a_rank_each,
    Trust.idle_hosts_are_told, Trust.collectives_count, Trust.unbound_ranks_gain_nothing_on_one_host,
    Trust.small_gains_move_nobody, Trust.a_node_is_a_host_in_all_numbers, Trust.helpers_of_one_host_are_one_job,
    Trust.a_launcher_that_hangs_is_ended, Trust.the_clock_decides, Trust.other_seats_are_taken_when_asked,
]

if __name__ == "__main__":
    verify.main(CASES, Trust, __doc__)
