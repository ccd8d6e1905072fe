#!/usr/bin/env python3
"""Scripts around real launchers: a job is started as often as it should be, and never to ask what it is.

    tests/mpi/wrappers.py target/release/topoloom
    tests/mpi/wrappers.py --mpi debian-openmpi target/release/topoloom

Each script writes down that it was started, whatever it was asked.
"""

import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import flavours
import recording as rec
import verify
from context import end_session
from verify import Job, Verification, need

RANKS = 4
HERE = Job(("localhost",) * RANKS, (1, 0, 1, 0))


class Wrapped(Verification):
    """The cases with one library."""

    def __init__(self, binary, flavour, folder):
        super().__init__(binary, flavour, folder)
        self.count = folder / "starts"

    def script(self, body, name="mpirun"):
        path = self.folder / name
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {shlex.quote(str(self.count))}\n{body}\n')
        path.chmod(0o755)
        return str(path)

    def wrapper(self, command, name="mpirun"):
        """A script that starts a command whatever it is asked."""
        return self.script(f"exec {shlex.join(map(str, command))}", name)

    def passes_on(self):
        """A script that hands all its words to the launcher."""
        return self.script(f'exec {shlex.quote(self.flavour.mpirun)} "$@"')

    def starts(self):
        """How often scripts were started since the last time."""
        text = self.count.read_text() if self.count.exists() else ""
        self.count.unlink(missing_ok=True)
        return text.splitlines()

    def program(self):
        return self.flavour.build(flavours.HERE / "programs" / "blocking.c")

    def job(self):
        """A job of four ranks that says "done" at its end."""
        return [*self.launcher.bound(HERE, self.cpus), *self.program()]

    def once(self, arguments, code):
        found, text = self.run([self.binary, *arguments])
        need(found == code, f"{arguments[0]}: exit code {found} instead of {code}: {text[-600:]}")
        starts = self.starts()
        need(len(starts) == 1, f"{arguments[0]}: started {len(starts)} times: {starts}")
        need(not list(self.folder.glob(".topoloom*")), "something is left behind")
        return text

    # The cases.

    def record_runs_the_job_once_and_shows_its_output(self):
        for name in ("mpirun", "mpiexec.sh", "job.sh"):
            path = self.folder / "r.rec"
            path.unlink(missing_ok=True)
            text = self.once(["record", "--output", str(path), "--", self.wrapper(self.job(), name)], 0)
            need(text.count("done") == 1, f"the output of the job is not there once: {text[-600:]}")
            need(rec.Recording(path).ranks == RANKS, "not all ranks were recorded")

    def verify_starts_it_once_and_no_rank_begins(self):
        wrapper = self.wrapper(self.job())
        text = self.once(["verify", "--mapping", self.mapping(HERE), "--", wrapper], 0)
        need("4 of 4 ranks sit" in text and "done" not in text, text)
        # A script that fails is not started a second time with other arguments.
        text = self.once(["verify", "--mapping", self.mapping(HERE), "--", self.script("exit 3")], 2)
        need("no rank was found" in text, text)

    def measure_starts_it_three_times_and_no_rank_gets_beyond_init(self):
        wrapper = self.wrapper(self.job())
        code, text = self.run([self.binary, "machine", "measure", "--rounds", "20", "--", wrapper])
        need(code == 0 and "done" not in text, f"exit code {code}: {text[-600:]}")
        need(len(self.starts()) == 3, "as a probe, and for small and large messages")

    def tune_looks_and_records(self):
        """A script that takes the launcher's words is tuned: ranks tell which launcher it is."""
        command = [self.passes_on(), *self.job()[1:]]
        code, text = self.run([self.binary, "tune", "--json", "--", *command])
        need(code == 0, f"exit code {code}: {text[-900:]}")
        found = json.JSONDecoder().raw_decode(text[text.find('{\n  "old_command"'):])[0]
        starts = self.starts()
        # As a probe, for the recording, and once for each command that is tried.
        need(2 <= len(starts) <= (2 if found["kept"] else 4), f"started {len(starts)} times: {starts}")
        need(not any("version" in words for words in starts), str(starts))
        need(text.count("done") == 1, f"the job ran for real {text.count('done')} times")

    def a_launch_file_is_not_for_what_takes_no_words(self):
        format = "openmpi-seq" if self.flavour.is_open_mpi else "mpich-hosts"
        script = self.wrapper(self.job(), "job.sh")
        code, text = self.run([self.binary, "tune", "--format", format, "--", script])
        need(code == 2 and "not at the end of the command" in text, f"exit code {code}: {text[-600:]}")
        need(len(self.starts()) == 1 and "done" not in text, "it is started as a probe only")
        # Ranks that are exchanged inside the job need no launch file.
        code, text = self.run([self.binary, "tune", "--", script])
        need(code == 0 and text.count("done") == 1, f"exit code {code}: {text[-600:]}")
        self.starts()

    def scripts_that_hang_or_print_without_end_when_asked_for_a_version(self):
        for body in ("sleep 1000", "yes version"):
            launcher = shlex.quote(self.flavour.mpirun)
            script = self.script(f'[ "$1" != --version ] || exec {body}\nexec {launcher} "$@"')
            words = [script, *self.job()[1:]]
            text = self.once(["record", "--output", str(self.folder / "v.rec"), "--", *words], 0)
            need(text.count("done") == 1, text[-600:])
            code, text = self.run([self.binary, "tune", "--prefix", "v", "--", *words])
            need(code == 0, f"exit code {code}: {text[-600:]}")
            self.starts()

    def other_hosts_are_reached_through_a_script(self):
        """The library and its variables get to hosts that the script does not name to us, with `-x` and without."""
        self.needs_namespaces()
        job = self.TWO_HOSTS
        bound = self.launcher.bound(job, self.cpus)
        options = [["-x", "HOME"], []] if self.flavour.is_open_mpi else [[]]
        for more in options:
            # Open MPI 4 does not start a job that has `-x` and a list in the environment.
            script = self.wrapper([bound[0], *more, *bound[1:], *self.program()])
            path = self.folder / "hosts.rec"
            path.unlink(missing_ok=True)
            code, text = self.run([self.binary, "record", "--output", str(path), "--", script], verify.SEVERAL_HOSTS)
            need(code == 0 and path.exists(), f"exit code {code}: {text[-600:]}")
            found = rec.Recording(path)
            need(found.ranks == 4 and not found.states, f"{found.ranks} ranks, states {found.states}")
            code, found, shown = self.verify(self.mapping(job), [script], environment=verify.SEVERAL_HOSTS)
            need(code == 0, shown)

    def a_list_of_the_users_own_stays(self):
        if not self.flavour.is_open_mpi:
            raise flavours.Missing("other launchers hand everything on")
        self.needs_namespaces()
        environment = {**verify.SEVERAL_HOSTS, "OMPI_MCA_mca_base_env_list": "USERS_OWN", "USERS_OWN": "1"}
        command = self.launcher.bound(self.TWO_HOSTS, self.cpus)
        code, found, shown = self.verify(self.mapping(self.TWO_HOSTS), [*command, "true"], environment=environment)
        need(code == 0, shown)

    def a_killed_recording_is_recovered(self):
        """SIGKILL for the recorder's command and all ranks: what they sent until then can be read."""
        program = self.flavour.build(flavours.HERE / "programs" / "ends.c")
        sign, path = self.folder / "started", self.folder / "killed.rec"
        command = [*self.launcher.bound(HERE, self.cpus), *program, "interrupt", str(sign)]
        environment = self.launcher.environment
        with open(self.folder / "log", "wb") as output:
            process = subprocess.Popen(
                [self.binary, "record", "--trace", "--output", str(path), "--", *command], env=environment,
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
            deadline = time.monotonic() + 30
            while not sign.exists() and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.3)
            os.kill(process.pid, signal.SIGKILL)
            end_session(process)
        need(sign.exists(), (self.folder / "log").read_text(errors="replace")[-600:])
        [left] = self.folder.glob(".topoloom-record-*")
        # The next run says where it is and how to read it, and leaves it alone.
        code, text = self.run([self.binary, "record", "--output", str(self.folder / "next.rec"), "--", *self.job()])
        need(code == 0 and f"--recover {left}" in text and left.exists(), f"exit code {code}: {text[-600:]}")
        code, text = self.run([self.binary, "record", "--recover", str(left), "--output", str(path)])
        need(code == 0, f"exit code {code}: {text[-600:]}")
        found = rec.Recording(path)
        need(found.ranks == 4 and set(found.states.values()) == {rec.NEVER_FINALISED}, f"states {found.states}")
        need(all(found.flows.get((rank, (rank + 1) % 4, 0), (0, 0))[0] >= 100 for rank in range(4)), "messages are lost")


CASES = [value for name, value in vars(Wrapped).items() if name[0] != "_" and name not in (
    "script", "wrapper", "passes_on", "starts", "program", "job", "once")]


if __name__ == "__main__":
    verify.main(CASES, Wrapped, __doc__)
