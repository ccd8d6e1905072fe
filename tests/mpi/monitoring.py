"""Checks the expected numbers against those that Open MPI's own monitoring component writes."""

import re

import traffic

LINE = re.compile(r"^([EISR])\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs")


def check(context):
    prefix = context.folder / f"{context.case.name}.monitoring"
    for old in context.folder.glob(prefix.name + ".*.prof"):
        old.unlink()
    code, output = context.run(context.mpirun(
        "--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3",
        "--mca", "pml_monitoring_filename", str(prefix)))
    if code != 0:
        return [f"exit code {code}", *output.splitlines()[-8:]]
    counted = {}
    for path in context.folder.glob(prefix.name + ".*.prof"):
        for line in path.read_text().splitlines():
            match = LINE.match(line)
            # E: the program's own messages; I would be those inside the library.
            if match and match[1] == "E":
                sender, receiver, size, messages = map(int, match.groups()[1:])
                counted[sender, receiver] = (messages, size)
    wanted = context.case.expected(context)
    expected = {}
    for (sender, receiver, kind), (messages, size) in wanted.flows.items():
        unseen = wanted.persistent[sender, receiver]
        if kind == traffic.POINT_TO_POINT and messages > unseen[0]:
            expected[sender, receiver] = messages - unseen[0], size - unseen[1]
    return traffic.different(expected, counted, lambda key: f"{key[0]} -> {key[1]} (messages, bytes)")
