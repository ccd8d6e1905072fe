"""Programs that die, fail, are interrupted, or have no MPI at all: what they leave must exist and be correct."""

import os
import signal
import subprocess
import time

import recording as rec
from context import end_session

ROUNDS, BYTES = 100, 64


def check_ring(recording, path, least):
    """All rounds before the end, perhaps without the last few, and never more than were sent."""
    found = []
    for rank in range(4):
        messages, size = recording.flows.get((rank, (rank + 1) % 4, 0), (0, 0))
        if not least <= messages or size != messages * BYTES:
            found.append(f"{path.name}: {rank} -> {(rank + 1) % 4}: {messages} messages, {size} bytes")
        if least == ROUNDS - 5 and messages > ROUNDS + 1:
            found.append(f"{path.name}: {rank} sent {messages} messages, which are too many")
    return found


def dies(incomplete, code=None):
    """A case in which at least the `incomplete` ranks never finalise; others may have to follow them."""
    def check(context):
        found = []
        for options in ((), ("--trace",)):
            exit_code, output, path = context.record(*options)
            if not path.exists():
                return [f"no file; exit code {exit_code}", *output.splitlines()[-8:]]
            recording = rec.Recording(path)
            if recording.ranks != 4:
                return [f"{recording.ranks} ranks instead of 4"]
            for rank in incomplete:
                if recording.states.get(rank) != rec.NEVER_FINALISED:
                    found.append(f"rank {rank} died and is said to be in state {recording.states.get(rank, 0)}")
            if rec.NOTHING_THERE in recording.states.values():
                found.append(f"nothing there of some ranks: {recording.states}")
            found += check_ring(recording, path, ROUNDS - 5)
            if code is not None and exit_code not in code:
                found.append(f"exit code {exit_code} instead of {code}")
        return found
    return check


def fails(context):
    """All is recorded, and the exit code of the command is passed on (7, or what mpirun makes of it)."""
    plain_code, _ = context.run(context.mpirun())
    code, output, path = context.record()
    if code != plain_code or code == 0:
        return [f"exit code {code}, without the recorder {plain_code}"]
    if not path.exists():
        return ["no file", *output.splitlines()[-8:]]
    recording = rec.Recording(path)
    return check_ring(recording, path, ROUNDS) + ([f"states {recording.states}"] if recording.states else [])


def interrupt(context):
    """Ctrl-C reaches the recorder and everything it started; what came before it is kept."""
    path = context.folder / "interrupt.rec"
    sign = context.folder / "interrupt.started"
    for old in (path, sign):
        old.unlink(missing_ok=True)
    command = [context.binary, "record", "--output", str(path), "--", *context.mpirun(), str(sign)]
    log = context.folder / "interrupt.log"
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command, env=context.flavour.environment, cwd=context.folder, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            deadline = time.monotonic() + 40
            while not sign.exists() and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.3)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
            code = process.wait(30)
        except (subprocess.TimeoutExpired, ProcessLookupError):
            end_session(process)
            return ["does not end after SIGINT", *log.read_text(errors="replace").splitlines()[-8:]]
    if code == 0:
        return ["exit code 0 after an interrupt"]
    if not path.exists():
        return [f"no file; exit code {code}", *log.read_text(errors="replace").splitlines()[-8:]]
    recording = rec.Recording(path)
    found = check_ring(recording, path, ROUNDS)
    if set(recording.states.values()) != {rec.NEVER_FINALISED} or len(recording.states) != 4:
        found.append(f"states {recording.states}; all four were interrupted")
    return found


def no_mpi(context):
    """Nothing to record: exit code 2, a message that says so, no file."""
    path = context.folder / "no_mpi.rec"
    path.unlink(missing_ok=True)
    found = []
    for program in (context.program, context.mpirun()):
        code, output = context.run([context.binary, "record", "--output", str(path), "--", *program])
        if code != 2 or path.exists():
            found.append(f"{program[0]}: exit code {code}, file: {path.exists()}; expected 2 and none")
        if "MPI" not in output:
            found.append(f"{program[0]}: no message that speaks of MPI: {output.strip()[-300:]}")
    return found + missing_command(context)


def missing_command(context):
    """A command that is not there: exit code not 0, its name in the message, no file."""
    path = context.folder / "missing.rec"
    code, output = context.run([context.binary, "record", "--output", str(path), "--", "no-such-command-here"])
    if code != 2 or path.exists() or "no-such-command-here" not in output:
        return [f"exit code {code}, file: {path.exists()}: {output.strip()[-300:]}"]
    return []
