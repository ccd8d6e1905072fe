"""How long ranks are in MPI, of programs in which one comes late. Time is measured: there are lower bounds, and counts."""

import json
import subprocess

import recording as rec

SLEEP = 0.3
# A little less than what the late rank slept: clocks of processes differ.
LEAST = 0.25

# Calls of both ranks of `late.c` together, by partner.
CALLS_OF_LATE = {
    ("MPI_Recv", "same host"): 3 + 1 + 2,
    ("MPI_Irecv", "same host"): 1,
    ("MPI_Irecv", "itself"): 2 * 4,
    # To the other: 3 messages, one after a probe, one for a wait.
    ("MPI_Send", "same host"): 3 + 1 + 1,
    ("MPI_Send", "itself"): 2 * 4,
    ("MPI_Send", "unattributed"): 2 * 2,
    ("MPI_Ssend", "same host"): 2,
    ("MPI_Sendrecv", "same host"): 2 * 5,
    ("MPI_Allreduce", "everybody"): 2,
    ("MPI_Probe", "unattributed"): 1,
    ("MPI_Iprobe", "unattributed"): 2,
    ("MPI_Wait", "unattributed"): 1,
    ("MPI_Waitall", "unattributed"): 2 * 4,
    ("MPI_Comm_split", "everybody"): 2 * 2,
    ("MPI_Comm_free", "everybody"): 2 * 2,
    ("MPI_Win_create", "everybody"): 2,
    ("MPI_Win_fence", "everybody"): 2 * 2,
    ("MPI_Put", "same host"): 2,
    ("MPI_Win_free", "everybody"): 2,
    ("MPI_File_open", "file"): 2,
    ("MPI_File_write_at", "file"): 2,
    ("MPI_File_close", "file"): 2,
}
# How often rank 0 waits for rank 1, which sleeps, and where.
SLEEPS_OF_LATE = {
    ("MPI_Recv", "same host"): 3,
    ("MPI_Allreduce", "everybody"): 1,
    ("MPI_Probe", "unattributed"): 1,
    ("MPI_Wait", "unattributed"): 1,
}

CALLS_OF_LATE_FORTRAN = {
    ("MPI_Send", "same host"): 3,
    ("MPI_Recv", "same host"): 2,
    ("MPI_Irecv", "same host"): 1,
    ("MPI_Wait", "unattributed"): 1,
    ("MPI_Allreduce", "everybody"): 2,
    ("MPI_Barrier", "everybody"): 2,
}
SLEEPS_OF_LATE_FORTRAN = {
    ("MPI_Recv", "same host"): 2,
    ("MPI_Wait", "unattributed"): 1,
    ("MPI_Allreduce", "everybody"): 1,
}


def times_of(calls, sleeps):
    """Calls are counted exactly. A rank that waits for a sleeping rank is in MPI meanwhile."""
    def check(context):
        found = []
        for options in (("--times",), ("--times", "--trace")):
            code, output, path = context.record(*options)
            if code != 0 or "done" not in output or not path.exists():
                return [f"{options}: exit code {code}", *output.splitlines()[-8:]]
            recording = rec.Recording(path)
            found += [f"{' '.join(options)}: {line}" for line in differences(recording, calls, sleeps)]
        return found + shown(context, path) + without(context)
    return check


def differences(recording, calls, sleeps):
    times = recording.times
    if times is None or None in times.ranks:
        return [f"times of some ranks are missing: {times}"]
    found = [
        f"{key}: expected {calls.get(key, 0)} calls, recorded {times.calls.get(key, (0, 0))[0]}"
        for key in sorted({*calls, *times.calls}) if calls.get(key, 0) != times.calls.get(key, (0, 0))[0]]
    for key, times_slept in sleeps.items():
        seconds = times.calls.get(key, (0, 0))[1] * 1e-9
        if seconds < times_slept * LEAST:
            found.append(f"{key}: {seconds} s, of which {times_slept} times {SLEEP} s are spent waiting")
    asleep = sum(sleeps.values())
    (wall_0, mpi_0), (wall_1, _) = times.ranks
    if mpi_0 * 1e-9 < asleep * LEAST:
        found.append(f"rank 0 is in MPI for {mpi_0} ns and waits {asleep} times {SLEEP} s")
    # With one thread, no rank is in MPI for longer than it runs.
    found += [f"rank {rank}: {mpi} of {wall} ns in MPI" for rank, (wall, mpi) in enumerate(times.ranks) if mpi > wall]
    if min(wall_0, wall_1) * 1e-9 < asleep * LEAST:
        found.append(f"ranks ran for {wall_0} and {wall_1} ns, with {asleep} times {SLEEP} s of sleep")
    return found


def shown(context, path):
    """The same numbers for people and as JSON."""
    show = [context.binary, "traffic", "show", str(path)]
    text = subprocess.run(show, capture_output=True, text=True, timeout=60).stdout
    found = [f"not in what is shown: {word}" for word in ("time in MPI", "MPI_Recv", "same host") if word not in text]
    found += [f"too wide: {line}" for line in text.splitlines() if len(line) > 100]
    record = json.loads(subprocess.run([*show, "--json"], capture_output=True, text=True, timeout=60).stdout)
    times = rec.Recording(path).times
    calls = {(call["call"], call["partner"]): call["calls"] for call in record["recording"]["times"]["calls"]}
    if calls != {key: calls for key, (calls, _) in times.calls.items()}:
        found.append(f"as JSON: {calls}")
    share = sum(time[1] for time in times.ranks) / sum(time[0] for time in times.ranks)
    if abs(record["recording"]["times"]["mpi_share"] - share) > 1e-9:
        found.append(f"as JSON: a share of {record['recording']['times']['mpi_share']} instead of {share}")
    return found


def without(context):
    """Nothing is timed unless it is asked for."""
    code, output, path = context.record()
    times = rec.Recording(path).times
    return [f"times without --times: {times}"] if code or times is not None else []


def dies(context):
    """A rank that is killed keeps its times."""
    _, output, path = context.record("--times")
    if not path.exists():
        return ["no file", *output.splitlines()[-8:]]
    recording = rec.Recording(path)
    if recording.states.get(2) != rec.NEVER_FINALISED:
        return [f"states {recording.states}"]
    times = recording.times
    if times is None or times.ranks[2] is None or times.ranks[2][1] == 0:
        return [f"rank 2 was killed and has no times: {times}"]
    return []
