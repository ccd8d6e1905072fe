"""One program about to run with one library: plainly, or under the recorder."""

import dataclasses
import os
import pathlib
import signal
import subprocess

# 64 ranks on a machine of two cores that somebody else uses as well take minutes.
TIMEOUT = 300
TIMEOUT_IF_SHAKY = 150


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
        """Runs a command; its output goes to a file, so that no stray child can hold us up."""
        log = self.folder / f"{self.case.name}.log"
        with open(log, "wb") as output:
            process = subprocess.Popen(
                command, env=self.flavour.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code = process.wait(timeout or (TIMEOUT_IF_SHAKY if self.flavour.is_shaky else TIMEOUT))
            except subprocess.TimeoutExpired:
                end_session(process)
                raise
        return code, log.read_text(errors="replace")

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
    """Ends a process and all it started, which is a session of its own."""
    for name in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, name)
            process.wait(2)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
