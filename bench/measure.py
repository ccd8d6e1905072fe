"""One process on one core: CPU seconds and peak memory.

A small separate process measures, because the counted peak begins with the memory of the process that starts the run,
and the bench holds large graphs.
"""
import json
import os
import signal
import subprocess
import sys
import threading


def measure(command, core, limit, log, environment):
    """-> {"code", "cpu_seconds", "peak_mib"}; code None when the time limit ended it."""
    watcher = [sys.executable, "-S", "-E", os.path.abspath(__file__), str(core), str(limit), log, *command]
    done = subprocess.run(watcher, stdout=subprocess.PIPE, check=True, env={**os.environ, **environment})
    return json.loads(done.stdout)


def watch(core, limit, log, command):
    os.sched_setaffinity(0, {core})
    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    late = threading.Event()

    def stop():
        late.set()
        os.kill(process.pid, signal.SIGKILL)
    timer = threading.Timer(limit, stop)
    timer.start()
    _, status, used = os.wait4(process.pid, 0)
    timer.cancel()
    return {"code": None if late.is_set() else os.waitstatus_to_exitcode(status),
            "cpu_seconds": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}


if __name__ == "__main__":
    print(json.dumps(watch(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4:])), flush=True)
    # The timer may still wait; nothing is left to do.
    os._exit(0)
