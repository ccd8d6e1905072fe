"""The MPI programs that run under SimGrid, and how they are built for it.

The NAS Parallel Benchmarks are not part of this project. Their folder, or the archive of it, is an option of `run`.
"""
import dataclasses
import os
import re
import shutil
import stat
import subprocess
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# smpif90 -c x.f90 without -o leaves no x.o, but NPB's makefiles rely on it.
FORTRAN = """#!/bin/sh
named= source= compiles=
for word in "$@"; do
  case $word in -o) named=1 ;; -c) compiles=1 ;; *.f|*.f90) source=$word ;; esac
done
if [ -n "$compiles" ] && [ -z "$named" ]; then
  base=$(basename "$source")
  set -- "$@" -o "${base%.*}.o"
fi
exec smpif90 "$@"
"""

# LU takes 300 steps, which are all alike. Its input file is read by the program as it is.
LU_STEPS = 20
LU_INPUT = """c
c
1 {steps}
c
c
{steps}
c
c
1.5e-3
c
c
1.2
c
c
1.0e-08 1.0e-08 1.0e-08 1.0e-08 1.0e-08
c
c
33 33 33
"""


@dataclasses.dataclass
class Program:
    """A program with its arguments. It runs in its own folder, where its input file is."""
    name: str
    path: str
    ranks: int
    arguments: list = dataclasses.field(default_factory=list)
    files: dict = dataclasses.field(default_factory=dict)
    # What it prints if its result is right; None if it cannot tell.
    verified: str = None


def build_npb(folder, work, names, classes):
    """Builds the benchmarks for SimGrid -> the folder of the programs."""
    target = os.path.join(work, "npb")
    programs = os.path.join(target, "programs")
    built = lambda name, npb_class: os.path.exists(os.path.join(programs, f"{name}.{npb_class}.x"))
    if all(built(name, npb_class) for name in names for npb_class in classes):
        return programs
    if os.path.isfile(folder):
        with tarfile.open(folder) as archive:
            archive.extractall(os.path.join(work, "npb-sources"), filter="data")
        folder = os.path.join(work, "npb-sources")
    sources = next((at for at, folders, _ in os.walk(folder) if {"CG", "MG", "config", "sys"} <= set(folders)), None)
    if sources is None:
        raise SystemExit(f"{folder}: expected the folder NPB3.4-MPI of the NAS Parallel Benchmarks, or an archive of it")
    if os.path.realpath(sources) != os.path.realpath(target):
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(sources, target)
    os.makedirs(programs, exist_ok=True)
    compiler = os.path.join(target, "compile-fortran")
    with open(compiler, "w") as file:
        file.write(FORTRAN)
    os.chmod(compiler, os.stat(compiler).st_mode | stat.S_IXUSR)
    with open(os.path.join(target, "config", "make.def.template")) as file:
        settings = file.read()
    for name, value in [("MPIFC", compiler), ("FLINK", "smpif90"), ("MPICC", "smpicc"), ("CLINK", "smpicc"),
                        ("FFLAGS", "-O2 -fallow-argument-mismatch -fallow-invalid-boz"), ("FLINKFLAGS", "-O2"),
                        ("CFLAGS", "-O2"), ("CLINKFLAGS", "-O2"), ("BINDIR", programs)]:
        settings = re.sub(rf"(?m)^{name}\s*=.*$", f"{name} = {value}", settings)
    with open(os.path.join(target, "config", "make.def"), "w") as file:
        file.write(settings)
    for name in names:
        for npb_class in classes:
            done = subprocess.run(["make", name, f"CLASS={npb_class}"], cwd=target, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"make {name} CLASS={npb_class} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return programs


def npb(folder, work, ranks, classes):
    """NPB's programs that send more than a few messages."""
    names = ["mg", "cg", "lu", "ft", "is"]
    built = build_npb(folder, work, names, classes)
    found = []
    for npb_class in classes:
        for name in names:
            label, files, verified, of_program = f"{name.upper()} {npb_class}", {}, "SUCCESSFUL", ranks
            if (name, npb_class) == ("lu", "S"):
                # 12 points in each direction are too few for more ranks.
                of_program = min(ranks, 16)
            if (name, npb_class) == ("lu", "W"):
                # After fewer steps, the result differs from the one that the program knows.
                label, files, verified = f"LU W, {LU_STEPS} steps", {"inputlu.data": LU_INPUT.format(steps=LU_STEPS)}, None
            path = os.path.join(built, f"{name}.{npb_class}.x")
            found.append(Program(label, path, of_program, files=files, verified=verified))
    return found


def own(work, ranks):
    """Kernels of tests/mpi: halos, LU's wavefronts and CG's exchanges, with larger messages than classes S and W have."""
    sources = os.path.join(ROOT, "tests", "mpi", "programs")
    shapes = {16: ("4x4", "4x2x2"), 32: ("8x4", "4x4x2"), 64: ("8x8", "4x4x4")}[ranks]
    found = []
    for label, source, arguments in [
            (f"halo {shapes[0]}, 200 kB", "halo", [shapes[0], "open", "200000"]),
            (f"halo {shapes[1]} periodic, 200 kB", "halo", [shapes[1], "periodic", "200000"]),
            ("wavefront, 64 points", "wavefront", ["64", "2"]),
            ("transpose, 14,000 rows", "transpose", ["14000", "1"])]:
        path = os.path.join(work, source)
        command = ["smpicc", "-O1", "-o", path, os.path.join(sources, f"{source}.c"), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
        found.append(Program(label, path, ranks, arguments, verified="done"))
    return found
