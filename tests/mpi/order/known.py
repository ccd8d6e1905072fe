"""Checks of one program each: every order against the known answer, or against the run without topoloom."""

import re

import flavours
import orders


def placed(job):
    """Ranks and processes, as the lines "rank R launched P" tell them, are those of the order."""
    working(job)
    found = []
    for order in orders.all_orders(job.ranks, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        if done.code != 0 or "NOT" in done.out:
            found += [f"{order.name}:", *done.told()]
            continue
        for number, part in enumerate(sets(done.lines)):
            found += [f"set {number}: {line}" for line in orders.differences(order, job.ranks, part)]
        if not sets(done.lines):
            found += [f"{order.name}: nothing is told", *done.told()]
    return found


def sets(lines):
    """{rank: process} for each kind of line: a program may tell several sets of ranks one after the other."""
    kinds = {}
    for line in lines:
        if match := re.search(r"^(.*)rank (\d+) launched (\d+)", line):
            kinds.setdefault(match[1], {})[int(match[2])] = int(match[3])
    return list(kinds.values())


def alike(job):
    """The lines that the program prints are the same as without topoloom, and in the same order.

    Lines that begin with "note" may appear, even if they do not appear without topoloom.
    """
    plain = working(job)
    found = []
    for order in orders.all_orders(job.ranks, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        lines = [line for line in done.lines if line in plain.lines or not line.startswith("note")]
        if done.code != plain.code:
            found += [f"{order.name}:", *done.told()]
        elif lines != plain.lines:
            missing = [f"{order.name}: not there: {line}" for line in plain.lines if line not in lines]
            more = [f"{order.name}: new: {line}" for line in lines if line not in plain.lines]
            found += missing + more or [f"{order.name}: lines are in another order", *done.told()]
    return found


def working(job):
    """The run without topoloom."""
    plain = job.run(job.mpirun())
    if "skip:" in plain.out:
        raise flavours.Missing(plain.out.split("skip:")[1].splitlines()[0].strip())
    if plain.code != 0 or not plain.lines:
        raise flavours.Missing(f"fails without topoloom too: {' | '.join(plain.told())}")
    return plain


def families(job):
    """Parents and children print the same as without topoloom. Their lines may be interleaved."""
    def said(done):
        return sorted(re.findall(r"(?:parent|child) rank .*?merged \d+", done.out))
    plain = working(job)
    if len(said(plain)) != job.ranks + 2:
        raise flavours.Missing(f"fails without topoloom too: {' | '.join(plain.told())}")
    found = []
    for order in orders.all_orders(job.ranks, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        if done.code != plain.code or said(done) != said(plain):
            found += [f"{order.name}:", *done.told()]
    return found


def local(job):
    """Numbers on the host: those of the environment stay with the process, those of MPI follow the rank."""
    pattern = r"rank (\d+) launched (\d+) local (\d+) environment (\d+)"
    given = {process: number for _, process, _, number in re.findall(pattern, working(job).out)}
    found = []
    for order in orders.all_orders(job.ranks, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        lines = re.findall(pattern, done.out)
        if done.code != 0 or len(lines) != job.ranks:
            found += [f"{order.name}:", *done.told()]
        for rank, process, by_mpi, by_launcher in lines:
            if by_mpi != rank or by_launcher != given.get(process):
                numbers = f"{by_mpi} by MPI, {by_launcher} by the launcher"
                found.append(f"{order.name}: rank {rank}, process {process}: {numbers}")
    return found


def variables(job):
    """The launcher's variables are what they are without topoloom."""
    names = (
        "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_NODE_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK "
        "PMI_RANK PMI_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS").split()
    job.program = ["sh", "-c", "echo " + " ".join(f"{name}=${name}" for name in names)]
    plain = job.run(job.mpirun())
    found = []
    for order in orders.all_orders(job.ranks, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        if done.code != plain.code or sorted(done.lines) != sorted(plain.lines):
            found += [f"{order.name}:", *done.told()]
    return found


def deepbind(job):
    """Code that bypasses preloaded libraries sees the same as without topoloom. All other code sees the new ranks.

    The plugin with RTLD_DEEPBIND does not find Open MPI's world at all: it is in the program.
    """
    pattern = r"program (\d+) launched (\d+) plugin (\d+) deepbind (-?\d+) handle (-?\d+)"
    around = {process: (deep, handle) for _, process, _, deep, handle in re.findall(pattern, working(job).out)}
    found = []
    for order in orders.all_orders(job.ranks, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        lines = re.findall(pattern, done.out)
        if done.code != 0 or len(lines) != job.ranks:
            found += [f"{order.name}:", *done.told()]
            continue
        for rank, process, plugin, deep, handle in lines:
            if plugin != rank or (deep, handle) != around.get(process):
                found.append(f"{order.name}: rank {rank}, process {process}: {plugin}, {deep}, {handle}")
        found += orders.differences(order, job.ranks, {int(line[0]): int(line[1]) for line in lines})
    return found
