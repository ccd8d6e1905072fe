"""Programs that others wrote, if they are installed: LAMMPS and HPC Challenge. Debian has them for its Open MPI."""

import re
import shutil

import flavours
import orders

MELT = """\
units           lj
atom_style      atomic
lattice         fcc 0.8442
region          box block 0 10 0 10 0 10
create_box      1 box
create_atoms    1 box
mass            1 1.0
velocity        all create 3.0 87287 loop geom
pair_style      lj/cut 2.5
pair_coeff      1 1 1.0 1.0 2.5
neighbor        0.3 bin
neigh_modify    every 20 delay 0 check no
fix             1 all nve
thermo          10
run             100
"""
# Small enough for a few seconds.
HPCC = """\
HPLinpack benchmark input file
made for a test
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
128          Ns
1            # of NBs
32           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
2            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200 10000 30000   values of N
0            number of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64   values of NB
"""


def have(job, command):
    path = shutil.which(command)
    if path is None:
        raise flavours.Missing(f"{command} is not there")
    if job.flavour.name != "debian-openmpi":
        raise flavours.Missing(f"{command} is made for another library")
    return path


def lammps(job):
    """Thermodynamic lines are the same to the last digit."""
    job.program = [have(job, "lmp"), "-in", "in.melt", "-log", "none"]
    (job.folder / "in.melt").write_text(MELT)
    plain = job.run(job.mpirun())
    wanted = thermodynamics(plain.out)
    if plain.code != 0 or len(wanted) != 11:
        raise flavours.Missing(f"fails without topoloom too: {' | '.join(plain.told())}")
    found = []
    for order in orders.all_orders(4, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        if done.code != 0 or thermodynamics(done.out) != wanted:
            found += [f"{order.name}:", *thermodynamics(done.out)[:3], *done.told()]
    return found


def thermodynamics(text):
    """The table of step, temperature, energies and pressure."""
    lines = re.search(r"^\s*Step Temp.*?\n(.*?)^Loop time", text, re.MULTILINE | re.DOTALL)
    return lines[1].splitlines() if lines else []


def hpcc(job):
    """Every answer is right, as the program itself judges."""
    job.program = [have(job, "hpcc")]
    folder, kept = job.folder / "hpcc", job.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    job.folder = folder
    (folder / "hpccinf.txt").write_text(HPCC)
    try:
        plain = judged(job, [])
        if plain:
            raise flavours.Missing(f"fails without topoloom too: {' | '.join(plain)}")
        return judged(job, job.under("reverse"))
    finally:
        job.folder = kept


def judged(job, before):
    result = job.folder / "hpccoutf.txt"
    result.unlink(missing_ok=True)
    done = job.run([*before, *job.mpirun()], timeout=300, environment={"OMP_NUM_THREADS": "1"})
    if done.code != 0 or not result.exists():
        return done.told()
    text = result.read_text(errors="replace")
    wrong = re.compile(r"FAILED|\b[1-9]\d* tests completed and failed")
    found = [line.strip() for line in text.splitlines() if wrong.search(line)]
    values = dict(re.findall(r"^(\w+)=(\S+)$", text, re.MULTILINE))
    if values.get("Success") != "1":
        found.append(f"Success={values.get('Success')}")
    return found


def cost(job):
    """Prints what a call costs. Nothing is judged: other programs share the cores."""
    job.ranks = 2
    times = {}
    for name, before in (("without", []), ("with", job.under("rotate:1"))):
        done = job.run([*before, *job.mpirun()])
        for call, fastest in re.findall(r"^(.+?) +fastest ([\d.]+)", done.out, re.MULTILINE):
            times.setdefault(call, {})[name] = float(fastest)
        if done.code != 0:
            return [f"{name}:", *done.told()]
    text = "; ".join(f"{call} {both['without']} -> {both.get('with')}" for call, both in times.items())
    print(f"nanoseconds a call with {job.flavour.name}: {text}", flush=True)
    return []
