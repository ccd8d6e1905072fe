"""One program about to run with one library: plainly, or under the recorder."""

import dataclasses
import os
import pathlib
import signal
import subprocess
import time

# 64 ranks on a machine of two cores that somebody else uses as well take minutes.
TIMEOUT = 300
TIMEOUT_IF_SHAKY = 150
# How long a launcher may take to notice that all its ranks have ended, and how often it may hang there.
PATIENCE = 15
ATTEMPTS = 8
# Linux keeps this much of a program's name.
COMMAND_NAME = 15


@dataclasses.dataclass
class Context:
    """One program about to run with one library."""

    case: object
    flavour: object
    program: list
    binary: str
    folder: pathlib.Path

    @property
    def has_mpi_4_calls(self):
        return self.flavour.has_mpi_4_calls

    @property
    def has_large_counts(self):
        return self.flavour.has_large_counts

    def mpirun(self, *options):
        return [self.flavour.mpirun, *options, "-n", str(self.case.ranks), *self.program]

    def run(self, command, timeout=None):
        """Runs a command, again if its launcher hangs; the output goes to a file, so a stray child cannot block us."""
        log = self.folder / f"{self.case.name}.log"
        for _ in range(ATTEMPTS):
            with open(log, "wb") as output:
                process = subprocess.Popen(
                    command, env=self.flavour.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                    stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
                code = self.wait(process, timeout or (TIMEOUT_IF_SHAKY if self.flavour.is_shaky else TIMEOUT))
            if code is not None:
                return code, log.read_text(errors="replace")
            print(f"the launcher hung after its ranks had ended, and runs again: {self.case.name}", flush=True)
        raise subprocess.TimeoutExpired(command, PATIENCE)

    def wait(self, process, timeout):
        """The exit code, or nothing if the launcher hangs although no rank is left.

        Open MPI 4 of Debian does this without any recorder too: when a rank dies, two threads of PMIx may wait for
        each other while `mpirun` ends.
        """
        program = pathlib.Path(self.program[0]).name[:COMMAND_NAME] if self.program else None
        deadline, ended_since = time.monotonic() + timeout, None
        while True:
            try:
                return process.wait(0.2)
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            if now > deadline:
                end_session(process)
                raise subprocess.TimeoutExpired(process.args, timeout)
            if program and self.case.fails_plainly and only_zombies(process.pid, program):
                ended_since = ended_since or now
                if now - ended_since > PATIENCE:
                    end_session(process)
                    return None
            else:
                ended_since = None

    def record(self, *options):
        """Records the program; returns exit code, output and the path of the file."""
        path = self.folder / f"{self.case.name}{''.join(options)}.rec"
        path.unlink(missing_ok=True)
        command = [self.binary, "record", *options, "--output", str(path), "--", *self.mpirun()]
        code, output = self.run(command)
        return code, output, path

    def run_plain(self):
        code, output = self.run(self.mpirun())
        if self.case.fails_plainly or (code == 0 and "done" in output):
            return []
        return [f"exit code {code}", *output.splitlines()[-8:]]


def end_session(process):
    """Ends a process and everything that it started, which is a separate session."""
    for name in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, name)
            process.wait(2)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def only_zombies(session, name):
    """Whether programs of this name ran in the session, and all that are left of them wait to be collected."""
    states = set()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text()
        except OSError:
            continue
        state, _, _, its_session = text[text.rindex(")") + 2:].split()[:4]
        if int(its_session) == session and text[text.index("(") + 1:text.rindex(")")] == name:
            states.add(state)
    return states == {"Z"}
