"""Where ranks may run, and with how many threads; and launchers that have several helpers on one host."""

import os
import pathlib
import subprocess

import recording as rec


def listed(cpus):
    """The numbers of a list such as 0-3,8."""
    numbers = []
    for part in cpus.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


# Without these the launcher binds as its options say.
FREE = {"OMPI_MCA_hwloc_base_binding_policy": None, "PRTE_MCA_hwloc_default_binding_policy": None}


def record(context, before, environment=None, name="seats"):
    """Records the program; a variable of the environment that is None is not set."""
    path = context.folder / f"{name}.rec"
    for old in context.folder.glob(f"{name}*.rec"):
        old.unlink()
    command = [context.binary, "record", "--output", str(path), "--", *before, *context.program]
    kept = context.flavour.environment
    changed = {**kept, **(environment or {})}
    context.flavour.environment = {variable: value for variable, value in changed.items() if value is not None}
    try:
        code, output = context.run(command)
    finally:
        context.flavour.environment = kept
    return code, output, path


def said(output):
    """What ranks said of themselves."""
    return {int(words[1]): listed(words[2]) for words in map(str.split, output.splitlines()) if words[:1] == ["at"]}


def check(context):
    """Unbound, bound to a CPU each, and with threads: what is recorded is what ranks see themselves."""
    run, bound = context.flavour.mpirun, ["-bind-to", "core"]
    unbound = []
    if context.flavour.is_open_mpi:
        unbound, bound = ["--bind-to", "none"], ["--bind-to", "core", "--oversubscribe"]
    if (os.cpu_count() or 1) < 2:
        bound = unbound
    found = []
    for how, openmp in ((unbound, None), (unbound, "3"), (bound, None)):
        code, output, path = record(context, [run, *how, "-n", "2"], {**FREE, "OMP_NUM_THREADS": openmp})
        if code or "done" not in output or not path.exists():
            return [f"{how}: exit code {code}", *output.splitlines()[-8:]]
        recording = rec.Recording(path)
        seats = dict(enumerate(recording.seats or []))
        cpus = said(output)
        if {rank: seat.cpus for rank, seat in seats.items()} != cpus:
            found.append(f"{how}: ranks may run on {cpus}, and {seats} is recorded")
        for rank, seat in seats.items():
            # All ranks of an unbound job have all CPUs of the job.
            if how is unbound and len(seat.cpus) != seat.online:
                found.append(f"rank {rank} is not bound: {seat}")
            if how is not unbound and len(seat.cpus) >= seat.online:
                found.append(f"rank {rank} is bound: {seat}")
            if seat.openmp_threads != (int(openmp) if openmp else None):
                found.append(f"rank {rank}: OMP_NUM_THREADS is {openmp}: {seat}")
            if seat.threads != int(context.case.arguments[0]):
                found.append(f"rank {rank} has {context.case.arguments[0]} threads: {seat}")
        found += described(recording)
        shown = subprocess.run(
            [context.binary, "traffic", "show", str(path)], capture_output=True, text=True, timeout=60).stdout
        word = "not bound" if how is unbound else "bound to"
        if word not in shown:
            found.append(f"{how}: {word!r} is not in {shown}")
    return found


def described(recording):
    """The recorded description of this host is what its files hold."""
    found = []
    for host, text in zip(recording.host_names, recording.nodes or [""]):
        lines = dict(line.split("\t", 1) for line in text.splitlines())
        for path in ("/proc/sys/kernel/hostname", "/sys/devices/system/cpu/online"):
            content = pathlib.Path(path).read_text().replace("\n", "\\n")
            if lines.get(path) != content:
                found.append(f"{host}: {path} holds {content!r}, and {lines.get(path)!r} is recorded")
    return found


def two_names(context):
    """MPICH's launcher has a helper for each name of a host, also where both names are this one: still one job. And
    two jobs at once are two."""
    fork = [context.flavour.mpirun, "-launcher", "fork", "-hosts", "n1,n2", "-n", "4"]
    code, output, path = record(context, fork, name="two_names")
    if code or "done" not in output:
        return [f"exit code {code}", *output.splitlines()[-8:]]
    if not path.exists():
        return [f"several recordings of one job: {sorted(found.name for found in path.parent.glob('two_names*.rec'))}"]
    recording = rec.Recording(path)
    found = [f"{recording.ranks} ranks, {recording.states}"] if recording.ranks != 4 or recording.states else []
    program = " ".join([*fork, *context.program])
    both = ["sh", "-c", f"{program} & {program} & wait"]
    context_program, context.program = context.program, []
    try:
        code, output, path = record(context, both, name="two_jobs")
    finally:
        context.program = context_program
    written = sorted(path.parent.glob("two_jobs*.rec"))
    if [file.name for file in written] != ["two_jobs-1.rec", "two_jobs-2.rec"]:
        return [*found, f"two jobs at once are {[file.name for file in written]}", *output.splitlines()[-8:]]
    for file in written:
        recording = rec.Recording(file)
        if recording.ranks != 4 or recording.states:
            found.append(f"{file.name}: {recording.ranks} ranks, {recording.states}")
    return found
