"""Every command that writes files, and how to see what became of them."""

import dataclasses
import pathlib
import subprocess

MACHINE = """{"format": "topoloom-machine", "version": 1, "place": "core",
 "hosts": [{"names": "n[1-2]", "kind": 0}],
 "kinds": [{"node": {"kind": "node", "in": [{"kind": "package", "in": [
   {"kind": "core", "cpus": "0"}, {"kind": "core", "cpus": "1"}]}]}}]}
"""

#: What an output holds before a command runs.
OLD = b"the old content\n"


@dataclasses.dataclass(frozen=True)
class Writer:
    """A command; in its words IN is a folder with files to read, OUT the folder to write to."""

    name: str
    words: str
    outputs: tuple
    #: Whether the same command writes the same bytes each time.
    same: bool = True

    def command(self, binary, folder):
        out = str(folder / "out")
        words = [word.replace("IN/", f"{folder}/in/").replace("OUT", out)
                 for word in self.words.split()]
        return [binary, *words]


ROOT = pathlib.Path(__file__).resolve().parents[2]
ASSIGNMENT = ROOT / "bench/qaplib/instances/chr25a.dat"
PROBLEM = "--traffic ring:8 --machine mesh:8"

WRITERS = [
    Writer("map", f"map {PROBLEM} --strategy in-order --output OUT/m.json", ("m.json",)),
    Writer("map as text", f"map {PROBLEM} --strategy in-order --output OUT/m.txt", ("m.txt",)),
    Writer("map as a solution of QAPLIB", f"map --traffic {ASSIGNMENT} --strategy in-order "
           "--output OUT/m.sln", ("m.sln",)),
    Writer("generate", "generate stencil:8x8 --output OUT/t.csv", ("t.csv",)),
    Writer("generate a trace", "generate lu:class=S,ranks=4,iterations=1 --output OUT/t.trace",
           ("t.trace",)),
    Writer("generate a recording", "generate stencil:8x8 --output OUT/t.rec", ("t.rec",)),
    Writer("traffic scale", "traffic scale ring:8 --factor 2 --output OUT/t.mtx", ("t.mtx",)),
    Writer("traffic show --plot", "traffic show ring:8 --plot OUT/t.svg", ("t.svg",)),
    Writer("plot", "plot matrix --traffic ring:8 --output OUT/p.png", ("p.png",)),
    Writer("simulate --links", f"simulate {PROBLEM} --mapping in-order --links OUT/l.csv",
           ("l.csv",)),
    Writer("report", f"report {PROBLEM} --mapping in-order --strategy in-order --model none "
           "--reproducible --output OUT/r.html", ("r.html",)),
    Writer("compare --html", f"compare {PROBLEM} --strategy in-order --reproducible "
           "--html OUT/c.html", ("c.html",)),
    Writer("machine import", "machine import IN/machine.json --output OUT/i.json", ("i.json",)),
    Writer("machine export", "machine export mesh:4 --format simgrid --output OUT/p.xml",
           ("p.xml",)),
    Writer("machine detect", "machine detect --output OUT/d.json", ("d.json",)),
    Writer("apply with a second file", "apply --mapping IN/mapping.json --format openmpi-seq "
           "--output OUT/launch", ("launch", "launch.bind")),
    Writer("schedule", "schedule --machine mesh:8 --workload lublin:jobs=5 --strategy in-order "
           "--output OUT/jobs.swf", ("jobs.swf",)),
    Writer("arrange with three files", "arrange --platform IN/platform.toml --blocks 8 "
           "--output OUT/a.json --svg OUT/a.svg --mapping OUT/am.json",
           ("a.json", "a.svg", "am.json")),
    Writer("arrange platform", "arrange platform IN/platform.toml --output OUT/p.xml", ("p.xml",)),
    Writer("arrange measure", "arrange measure --sizes 1 --block 8 --max-repetitions 2 "
           "--min-repetitions 2 --output OUT/s.txt", ("s.txt",), same=False),
]


class Place:
    """A folder with what commands read, and what they write."""

    def __init__(self, folder, binary):
        self.folder = pathlib.Path(folder)
        self.binary = binary
        inputs = self.folder / "in"
        inputs.mkdir(parents=True)
        (self.folder / "out").mkdir()
        (inputs / "machine.json").write_text(MACHINE)
        (inputs / "platform.toml").write_text(
            '[[cluster]]\nname = "a"\nnodes = 4\n[bandwidth]\nunit = "MB/s"\nmatrix = [[900]]\n')
        subprocess.run([binary, "map", "--traffic", "ring:4", "--machine",
                        str(inputs / "machine.json"), "--output", str(inputs / "mapping.json")],
                       check=True, capture_output=True)

    @property
    def out(self):
        return self.folder / "out"

    def clear(self, writer):
        """The outputs as they were before the command."""
        for file in self.out.iterdir():
            file.unlink()
        for name in writer.outputs:
            (self.out / name).write_bytes(OLD)

    def contents(self, writer):
        return {name: (self.out / name).read_bytes() if (self.out / name).exists() else None
                for name in writer.outputs}

    def strays(self, writer):
        """Files that nobody asked for."""
        return sorted(file.name for file in self.out.iterdir() if file.name not in writer.outputs)

    def expected(self, writer):
        """What the command writes when nothing goes wrong."""
        self.clear(writer)
        done = subprocess.run(writer.command(self.binary, self.folder), capture_output=True)
        assert done.returncode == 0, f"{writer.name}: {done.stderr.decode()}"
        contents = self.contents(writer)
        assert OLD not in contents.values(), f"{writer.name}: nothing was written"
        assert not self.strays(writer), f"{writer.name}: {self.strays(writer)}"
        return contents


def is_whole(writer, content, expected, interrupted=False):
    """Whether an output is the old one or a whole new one."""
    if content == OLD or content == expected:
        return True
    # A report of a run that was interrupted has no simulated time. It is still a whole page.
    if interrupted and content and writer.outputs[0].endswith(".html"):
        return content.startswith(b"<!doctype html>") and content.rstrip().endswith(b"</html>")
    # Content that differs from run to run ends with a line.
    return not writer.same and content is not None and content.count(b"\n") == expected.count(b"\n")
