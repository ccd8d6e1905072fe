"""Two hosts, which are this one under two names: orders across them, and topologies that are reordered."""

import re
import subprocess

import flavours
import orders
import verify

NAMES = ("n1", "n2")
# MPICH 5's receives from anybody now and then never come over its default network.
NETWORK = {**verify.SEVERAL_HOSTS, "FI_PROVIDER": "tcp"}
TIMEOUT = 90
LINE = re.compile(r"^(.+): order (\w+), edges (\w+), arrived (\w+), between hosts (\d+) -> (\d+)$", re.MULTILINE)

# Weight between hosts, before and after, of four ranks of which two are on each host.
BLOCKS = {
    "dist_graph_create_adjacent": (4000, 4),
    "cart_create": (4, 4),
    "graph_create": (4, 4),
    "dist_graph_create": (4000, 4),
    "dist_graph_create, heavy edges only": (4000, 0),
}
# Of a grid of eight, whose ranks were dealt to the hosts in turn.
IN_TURN = {"cart_create": (12, 4)}


def launch(job, ranks, in_turn=False):
    """The launcher's words for `ranks` on two hosts, half of them on each."""
    done = subprocess.run(["unshare", "--uts", "sh", "-c", "echo n1 >/proc/sys/kernel/hostname"], capture_output=True)
    if done.returncode:
        raise flavours.Missing("no right to make a host of another name")
    flavour, half = job.flavour, ranks // 2
    if not flavour.is_open_mpi:
        each = [] if in_turn else ["-ppn", str(half)]
        hosts = ["-launcher", "ssh", "-launcher-exec", str(verify.REMOTE_SHELL), "-hosts", ",".join(NAMES)]
        return [flavour.mpirun, *hosts, *each, "-n", str(ranks)]
    is_new = flavour.has_mpi_4_calls
    agent = ["--prtemca", "plm_ssh_agent"] if is_new else ["--mca", "plm_rsh_agent"]
    mapping = ["--map-by", "node" if in_turn else "slot"]
    return [
        flavour.mpirun, *agent, str(verify.REMOTE_SHELL), "--host", ",".join(f"{name}:{half}" for name in NAMES),
        *mapping, "-n", str(ranks)]


def run(job, before, command):
    """Runs it, again if the launcher did not end or lost its ranks, which happens without topoloom too."""
    done = job.run([*before, *command], timeout=TIMEOUT, environment=NETWORK)
    if done.code != 0:
        done = job.run([*before, *command], timeout=TIMEOUT, environment=NETWORK)
    return done


def across(job):
    """World means the same on two hosts, in every order; and ranks are where the order says."""
    found = []
    command = [*launch(job, 4), *job.program]
    plain = run(job, [], command)
    if plain.code != 0:
        raise flavours.Missing(f"fails on two hosts without topoloom too: {' | '.join(plain.told()[:3])}")
    for order in orders.all_orders(4, job.folder):
        done = run(job, job.under(order), command)
        if done.code != 0 or done.lines != plain.lines:
            found += [f"{order.name}:", *[line for line in done.lines if line not in plain.lines], *done.told()]
    return found


def places(job):
    """Processes keep their hosts, and ranks move."""
    command = [*launch(job, 4), *job.program]
    plain = run(job, [], command)
    pattern = r"rank (\d+) launched (\d+) host (\w+)"
    host_of = {int(process): host for _, process, host in re.findall(pattern, plain.out)}
    if plain.code != 0 or len(set(host_of.values())) != 2:
        raise flavours.Missing(f"no two hosts without topoloom: {' | '.join(plain.told()[:3])}")
    found = []
    for order in orders.all_orders(4, job.folder):
        done = run(job, job.under(order), command)
        told = re.findall(pattern, done.out)
        found += orders.differences(order, 4, {int(rank): int(process) for rank, process, _ in told})
        if done.code != 0 or any(host_of[int(process)] != host for _, process, host in told):
            found += [f"{order.name}: hosts {host_of}", *done.told()]
    return found


def reorder(job):
    """Known answers of `--reorder`, alone and with an order of ranks."""
    found = []
    for ranks, in_turn, wanted in ((4, False, BLOCKS), (8, True, IN_TURN)):
        command = [*launch(job, ranks, in_turn), *job.program]
        done = run(job, [job.binary, "run", "--reorder", "--"], command)
        found += judge(f"{ranks} ranks", done, wanted)
    # An order that gives each host the ranks that the launcher gave it changes nothing of this.
    kept = orders.of_file(job.folder, "swapped", [1, 0, 3, 2])
    done = run(job, job.under(kept, "--reorder"), [*launch(job, 4), *job.program])
    return found + judge("with an order", done, BLOCKS)


def judge(what, done, wanted):
    told = {name: rest for name, *rest in LINE.findall(done.out)}
    if done.code != 0 or len(told) != len(BLOCKS):
        return [f"{what}:", *done.told()]
    found = []
    for name, (order, edges, arrived, before, after) in told.items():
        if (edges, arrived) != ("ok", "ok") or int(after) > int(before):
            found.append(f"{what}: {name}: edges {edges}, arrived {arrived}, {before} -> {after}")
        if (order == "changed") != (before != after):
            found.append(f"{what}: {name}: order {order}, and {before} -> {after}")
        if name in wanted and (int(before), int(after)) != wanted[name]:
            found.append(f"{what}: {name}: {before} -> {after} instead of {wanted[name]}")
    return found


def reorder_on_one_host(job):
    """With nothing to gain the order is kept; with and without an order of ranks."""
    found = []
    for before in ([job.binary, "run", "--reorder", "--"], job.under("reverse", "--reorder"), job.under("rotate:1")):
        done = job.run([*before, *job.mpirun()])
        told = LINE.findall(done.out)
        if done.code != 0 or len(told) != len(BLOCKS) or any(line[2:4] != ("ok", "ok") for line in told):
            found += [" ".join(before[1:]), *done.told()]
    return found
