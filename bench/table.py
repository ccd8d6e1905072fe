"""The results as a table, and its place in the page."""

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"

TITLES = {
    "thesis": "Grids on boxes, one rank per node",
    "shuffled": "The same with ranks in random order; with 2 % of the edges missing",
    "apps": "Recorded applications, 64 ranks, bytes (hop-bytes of both directions)",
    "rgg15": "Random geometric graphs, 32,768 ranks on 256 nodes, imbalance 3 %",
    "rgg18": "Random geometric graphs, 262,144 ranks on 256 nodes, imbalance 3 %",
    "irregular": "A triangulation and a power-law graph, 32,768 ranks on 256 nodes, imbalance 3 %",
    "million": "A million ranks",
    "walshaw": "Graphs of Walshaw's archive on 256 nodes, imbalance 3 %",
}


def number(value):
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def table(results, about):
    lines = [about, "", "J is the sum over all edges of weight times distance, each edge counted once: half of the hop-bytes. "
             "The last column divides J by the best valid one of the same graph and machine.", ""]
    for group in dict.fromkeys(result["group"] for result in results):
        lines += [f"### {TITLES.get(group, group)}", "",
                  "| graph | machine | tool | J | CPU seconds | peak MiB | J / best |", "| --- | --- | --- | ---: | ---: | ---: | ---: |"]
        of_group = [result for result in results if result["group"] == group]
        for result in of_group:
            same = [other["cost"] for other in of_group if (other["graph"], other["machine"]) == (result["graph"], result["machine"])
                    and other["cost"] is not None and not other["problem"]]
            cost = "-" if result["cost"] is None else number(result["cost"])
            ratio = "-" if result["cost"] is None or not same or min(same) == 0 else f"{result['cost'] / min(same):.3f}"
            if result["problem"]:
                ratio += f" (not valid: {result['problem']})"
            lines.append(f"| {result['graph']} | {result['machine']} | {result['tool']} | {cost} | {result['cpu_seconds']:.2f} "
                         f"| {result['peak_mib']:.0f} | {ratio} |")
        lines.append("")
    return "\n".join(lines)


def write(path, text, begin=BEGIN, end=END, title="Against other tools"):
    """Puts the table between the marks of the page and leaves the rest of it alone."""
    with open(path) as f:
        page = f.read()
    if begin not in page or end not in page:
        page += f"\n## {title}\n\n{begin}\n{end}\n"
    before, rest = page.split(begin, 1)
    _, after = rest.split(end, 1)
    with open(path, "w") as f:
        f.write(f"{before}{begin}\n{text}\n{end}{after}")
