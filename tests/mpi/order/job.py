"""One program with one library: how it is compiled, and how it runs plainly or under an order."""

import dataclasses
import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
sys.path[:0] = [str(HERE), str(HERE.parent)]

import flavours
from context import end_session

TIMEOUT = 120


@dataclasses.dataclass
class Done:
    """How a command ended. The code is nothing if it had to be ended."""

    code: int | None
    out: str
    err: str

    @property
    def lines(self):
        return self.out.splitlines()

    def told(self):
        """The end of what it said, to show with a failure."""
        end = "did not end" if self.code is None else f"exit code {self.code}"
        return [end, *(self.out + self.err).splitlines()[-8:]]


@dataclasses.dataclass
class Job:
    """A program about to run with one library."""

    name: str
    flavour: object
    binary: str
    folder: pathlib.Path
    program: list
    ranks: int = 4

    def mpirun(self, *options):
        return [self.flavour.mpirun, *options, "-n", str(self.ranks), *self.program]

    def under(self, order, *options):
        """The command that gives ranks this order; a file's name, or what the command line takes."""
        return [self.binary, "run", *options, "--order", getattr(order, "specification", order), "--"]

    def run(self, command, text=None, timeout=TIMEOUT, environment=None):
        """Runs a command; `text` is its standard input."""
        given = None if text is None else self.folder / f"{self.name}.in"
        if given:
            given.write_text(text)
        out, err = self.folder / f"{self.name}.out", self.folder / f"{self.name}.err"
        with open(given or "/dev/null", "rb") as standard, open(out, "wb") as output, open(err, "wb") as error:
            process = subprocess.Popen(
                list(map(str, command)), env={**self.flavour.environment, **(environment or {})}, cwd=self.folder,
                stdin=standard, stdout=output, stderr=error, start_new_session=True)
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                end_session(process)
                code = None
        return Done(code, out.read_text(errors="replace"), err.read_text(errors="replace"))


_building = threading.Lock()


def build(flavour, source):
    """Compiles a program, if it is newer than what is there; returns the command that runs it."""
    path = PROGRAMS / source
    if path.suffix == ".py":
        if flavour.python is None:
            raise flavours.Missing(flavour.no_python)
        return [str(flavour.python), str(path)]
    result = flavour.folder / "order" / path.stem
    command = compiler(flavour, path.suffix)
    if path.name == "plugin.c":
        result = result.with_suffix(".so")
        command += ["-shared", "-fPIC"]
    newest = max(file.stat().st_mtime for file in (path, PROGRAMS / "program.h", PROGRAMS / "interface.inc"))
    with _building:
        result.parent.mkdir(parents=True, exist_ok=True)
        if not result.exists() or result.stat().st_mtime < newest:
            compile_to(flavour, [*command, str(path), "-o", str(result), "-lpthread", "-ldl"], path.suffix == ".cc")
    return [str(result)]


def compiler(flavour, suffix):
    if suffix == ".f90":
        if flavour.fortran is None:
            raise flavours.Missing(flavour.no_fortran)
        return [flavour.fortran, "-O1", "-w", "-ffree-line-length-none", "-fallow-argument-mismatch"]
    if suffix == ".cc":
        return [flavour.cc.replace("mpicc", "mpicxx"), "-O1", "-w"]
    return [flavour.cc, "-O1", "-g", "-Wall", "-Wno-deprecated-declarations", "-Wno-stringop-overread"]


def compile_to(flavour, command, is_cxx):
    try:
        flavours.run(command, flavour.environment)
    except (flavours.Missing, OSError) as reason:
        if is_cxx and ("MPI" in str(reason) or isinstance(reason, OSError)):
            raise flavours.Missing("the library has no C++ bindings") from reason
        raise flavours.Missing(f"error: {reason}") from reason
