"""Topoloom, Scotch, KaHIP, SharedMap, Mt-KaHyPar and TreeMatch: how to get them and how to call them."""
import glob
import os
import shutil
import subprocess
import sys

import evaluate


def skip(tool, why):
    print(f"SKIPPED: {tool}: {why}", flush=True)


def build(root):
    """The release build of this project."""
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=root, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
    return os.path.join(target, "release", "topoloom")


def find_scotch():
    if not shutil.which("scotch_gmap") and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run("apt-get update -qq && apt-get install -y -qq scotch", shell=True, stdout=subprocess.DEVNULL)
    found = shutil.which("scotch_gmap")
    if not found:
        skip("scotch", "no scotch_gmap here, and apt could not install the package scotch")
    return found


def install(work, package):
    """Installs a Python package into its own folder; -> the Python of that folder."""
    folder = os.path.join(work, "venv")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True)
    if os.path.exists(python):
        subprocess.run([python, "-m", "pip", "install", "--quiet", package], stdout=subprocess.DEVNULL)
    return python


def find_kahip(work):
    pattern = os.path.join(work, "venv", "lib", "python3*", "site-packages", "bin", "global_multisection")
    if not glob.glob(pattern):
        install(work, "kahip")
    found = glob.glob(pattern)
    if not found:
        skip("kahip", "pip could not install the package kahip")
        return None
    return found[0]


def find_package(work, tool, package):
    """A Python that can import the package; None if there is none."""
    python = os.path.join(work, "venv", "bin", "python")
    can_import = lambda: os.path.exists(python) and subprocess.run([python, "-c", f"import {package}"], capture_output=True).returncode == 0
    if not can_import():
        install(work, package)
    if not can_import():
        skip(tool, f"pip could not install the package {package}")
        return None
    return python


def find_treematch():
    """The component of Open MPI with TreeMatch in it, which exports its functions."""
    pattern = "/usr/lib/*/openmpi/lib/openmpi3/mca_topo_treematch.so"
    if not glob.glob(pattern) and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run("apt-get update -qq && apt-get install -y -qq libopenmpi3", shell=True, stdout=subprocess.DEVNULL)
    found = glob.glob(pattern)
    if not found:
        skip("treematch", "no Open MPI of Debian here, and apt could not install it")
        return None
    return found[0]


class Topoloom:
    def __init__(self, program, effort, seed):
        self.program, self.effort, self.seed = program, effort, seed
        self.name = f"topoloom {effort}"

    def applies(self, machine, imbalance):
        return True

    def command(self, graph, machine, imbalance, work):
        result = os.path.join(work, "result.json")
        share = [] if imbalance is None else ["--imbalance", str(imbalance)]
        # The found placement is compared, however little it gains over ranks in order.
        return [self.program, "map", "--traffic", graph.ours, "--machine", machine, "--effort", self.effort, "--seed", str(self.seed),
                "--threads", "1", "--worth", "0", "--output", result, *share], result

    environment = {}
    read = staticmethod(evaluate.read_ours)


class Scotch:
    name = "scotch"
    # One thread, as the others.
    environment = {"SCOTCH_PTHREAD_NUMBER": "1"}
    read = staticmethod(evaluate.read_scotch)

    def __init__(self, program):
        self.program = program

    def applies(self, machine, imbalance):
        return not machine.startswith("haec")

    @staticmethod
    def target(machine):
        kind, rest = machine.split(":", 1)
        if kind == "tree":
            lengths, distances = rest.split(",distances=")
            lengths = lengths.split(":")[::-1]
            distances = [0] + [int(d) for d in distances.split(":")]
            # The distance of a leaf is the sum of the edges up to the common group. A step is what a level adds.
            steps = [b - a for a, b in zip(distances, distances[1:])][::-1]
            return f"tleaf {len(lengths)} " + " ".join(f"{length} {step}" for length, step in zip(lengths, steps))
        lengths = rest.split("x")
        return f"{kind}{len(lengths)}D " + " ".join(lengths)

    def command(self, graph, machine, imbalance, work):
        source = os.path.join(work, graph.name + ".grf")
        graph.write_scotch(source)
        target, result = os.path.join(work, "target.tgt"), os.path.join(work, "result.map")
        with open(target, "w") as f:
            f.write(self.target(machine) + "\n")
        return [self.program, source, target, result, f"-b{imbalance or 0}"], result


class Kahip:
    environment = {}
    read = staticmethod(evaluate.read_list)

    def __init__(self, program, variant, seed):
        self.program, self.variant, self.seed = program, variant, seed
        self.name = f"kahip {variant}"

    def applies(self, machine, imbalance):
        # It partitions into blocks; with one rank per leaf it did not end.
        return machine.startswith("tree") and imbalance is not None

    def command(self, graph, machine, imbalance, work):
        source = os.path.join(work, graph.name + ".graph")
        graph.write_metis(source)
        result = os.path.join(work, "result.part")
        levels, distances = machine.removeprefix("tree:").split(",distances=")
        return [self.program, source, f"--preconfiguration={self.variant}", f"--hierarchy_parameter_string={levels}",
                f"--distance_parameter_string={distances}", f"--imbalance={100 * imbalance:g}", f"--seed={self.seed}",
                f"--output_filename={result}"], result


class Package:
    """A partitioner that is a Python package, called in a separate process. The import, about 0.1 s, is counted too."""
    environment = {"OMP_NUM_THREADS": "1"}
    read = staticmethod(evaluate.read_list)

    def __init__(self, python, tool, variant, seed):
        self.python, self.tool, self.variant, self.seed = python, tool, variant, seed
        self.name = f"{tool} {variant}"

    def applies(self, machine, imbalance):
        # Both partition into blocks, for a tree of distances.
        return machine.startswith("tree") and imbalance is not None

    def command(self, graph, machine, imbalance, work):
        source = os.path.join(work, graph.name + ".graph")
        graph.write_metis(source)
        result = os.path.join(work, "result.part")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "packages.py")
        return [self.python, script, self.tool, source, machine, str(imbalance), self.variant, str(self.seed), result], result


class TreeMatch:
    name = "treematch"
    environment = {}
    read = staticmethod(evaluate.read_list)

    def __init__(self, component):
        self.component = component

    def applies(self, machine, imbalance):
        # One rank per leaf: with more, it needs the matrix of all ranks.
        return machine.startswith("tree") and imbalance is None

    def command(self, graph, machine, imbalance, work):
        source = os.path.join(work, graph.name + ".graph")
        graph.write_metis(source)
        result = os.path.join(work, "result.part")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "treematch.py")
        return [sys.executable, script, self.component, source, machine, result], result


# Efforts of Topoloom and the closest variants of the other tools.
VARIANTS = {
    "sharedmap": {"fast": "fast", "eco": "eco", "strong": "strong"},
    "mtkahypar": {"eco": "default", "strong": "quality"},
}
PACKAGES = {"sharedmap": "chszlablib", "mtkahypar": "mtkahypar"}
