"""Programs of known traffic, recorded under a random order: the recording must hold the numbers that it has without."""

import dataclasses
import subprocess

import cases
import context
import flavours
import recording as rec
import run as recorder_tests
import traffic

ORDER = "random:7"
MOST_RANKS = 8
# They call the recorder by themselves, or are about commands without MPI.
LEFT_OUT = ("ends_interrupt", "no_mpi")
CASES = [case for case in cases.CASES if case.ranks <= MOST_RANKS and case.name not in LEFT_OUT]


@dataclasses.dataclass
class Ordered(context.Context):
    """Records as `topoloom record` does, with the ranks in another order."""

    # Options of the recorder that `topoloom run` does not have.
    without: tuple = ()

    def run(self, command, timeout=None):
        command = list(command)
        if command[:2] == [self.binary, "record"]:
            at = command.index("--")
            words = command[2:at]
            path = words.pop(words.index("--output") + 1)
            words = [word for word in words if word not in ("--output", *self.without)]
            command[1:at] = ["run", "--record", path, *words, "--order", ORDER]
        return super().run(command, timeout)


def options_of(binary):
    """What `topoloom run` can be asked for."""
    done = subprocess.run([binary, "run", "--help"], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def check(job, case):
    reason = case.skip(job.flavour)
    if reason:
        raise flavours.Missing(reason)
    if job.flavour.name not in case.flavours:
        raise flavours.Missing("runs with other libraries")
    program = [*job.flavour.build(recorder_tests.PROGRAMS / case.source), *case.arguments]
    # Several runs of a case write files of the same name.
    folder = job.folder / "recordings"
    folder.mkdir(exist_ok=True)
    known = options_of(job.binary)
    without = tuple(option for option in ("--trace", "--times") if option not in known)
    if "--times" in without and case.name.startswith(("late", "times")):
        raise flavours.Missing("`topoloom run` does not record times")
    ordered = Ordered(case, job.flavour, program, job.binary, folder, without)
    # These cases check events, and there are none without `--trace`.
    return compare(ordered) if "--trace" in without and case.check is cases.compare else case.check(ordered)


def compare(ordered):
    """As `cases.compare`, without events."""
    code, output, path = ordered.record()
    if "skip:" in output:
        raise flavours.Missing(output.split("skip:")[1].splitlines()[0].strip())
    if code != 0 or "done" not in output or not path.exists():
        return [f"exit code {code}, file: {path.exists()}", *output.splitlines()[-8:]]
    return traffic.differences(ordered.case.expected(ordered), rec.Recording(path))
