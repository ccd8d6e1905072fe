// Pages as the report writes them, with made-up machines and traffic, to try the script without the rest.
//
//   node sample.mjs mesh|torus|large|tree [FILE]

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../../crates/topoloom-show/page/dist");

/** What the samples are, by name. */
export const SAMPLES = {
  mesh: () => grid([4, 4, 4], false),
  torus: () => grid([8, 8, 8], true),
  large: () => grid([16, 16, 16], true),
  tree: () => tree(4, 8, 8),
};

const WEIGHT_OF_NEIGHBOUR = 6e6;
const WEIGHT_OF_DIAGONAL = 7e4;
const MOST_PARTNERS = 8;

/** A grid of nodes, one rank each; ranks are neighbours in a grid that was numbered in blocks of 2 x 2 x 2. */
function grid(sides, wraps) {
  const [width, height, depth] = sides;
  const nodes = width * height * depth;
  const number = (x, y, z) => x + width * (y + height * z);
  const place = (node) => [node % width, Math.floor(node / width) % height, Math.floor(node / width / height)];
  const edges = [];
  const around = [];
  const edgeNumber = new Map();
  for (let node = 0; node < nodes; node++) {
    const at = place(node);
    for (let axis = 0; axis < 3; axis++) {
      if (at[axis] + 1 === sides[axis] && (!wraps || sides[axis] < 3)) continue;
      const next = [...at];
      next[axis] = (at[axis] + 1) % sides[axis];
      const other = number(...next);
      const ends = [Math.min(node, other), Math.max(node, other)];
      if (other < node) around.push(edges.length);
      edgeNumber.set(`${ends}`, edges.length);
      edges.push(ends);
    }
  }
  const blocks = blockOrder(sides, number);
  const traffic = stencil(sides, number, blocks);
  // Dimension by dimension, the shorter way around.
  const route = function* (from, to) {
    const at = place(from);
    const goal = place(to);
    for (let axis = 0; axis < 3; axis++) {
      while (at[axis] !== goal[axis]) {
        let step = Math.sign(goal[axis] - at[axis]);
        if (wraps && Math.abs(goal[axis] - at[axis]) > sides[axis] / 2) step = -step;
        const before = number(...at);
        at[axis] = (at[axis] + step + sides[axis]) % sides[axis];
        const after = number(...at);
        const edge = edgeNumber.get(`${[Math.min(before, after), Math.max(before, after)]}`);
        yield [edge, before < after];
      }
    }
  };
  return report({
    title: `halo on ${wraps ? "torus" : "mesh"}:${sides.join("x")}`,
    turns: true,
    points: Array.from({ length: nodes }, (_, node) => place(node)),
    names: Array.from({ length: nodes }, (_, node) => `node ${node} (${place(node).join(", ")})`),
    holding: nodes,
    edges,
    around,
    traffic,
    route,
    placements: { "in-order": Array.from({ length: nodes }, (_, rank) => rank), auto: blocks },
  });
}

/** The node of each rank where ranks are numbered block by block. */
function blockOrder([width, height, depth], number) {
  const order = [];
  for (let z = 0; z < depth; z += 2)
    for (let y = 0; y < height; y += 2)
      for (let x = 0; x < width; x += 2)
        for (let inner = 0; inner < 8; inner++) order.push(number(x + (inner & 1), y + ((inner >> 1) & 1), z + (inner >> 2)));
  return order;
}

/** What ranks send to their neighbours in a grid: much across faces, little across edges. */
function stencil(sides, number, nodeOfRank) {
  const rankOfNode = [];
  nodeOfRank.forEach((node, rank) => (rankOfNode[node] = rank));
  const messages = [];
  const [width, height, depth] = sides;
  for (let z = 0; z < depth; z++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        for (let dz = -1; dz <= 1; dz++)
          for (let dy = -1; dy <= 1; dy++)
            for (let dx = -1; dx <= 1; dx++) {
              const distance = Math.abs(dx) + Math.abs(dy) + Math.abs(dz);
              const [toX, toY, toZ] = [x + dx, y + dy, z + dz];
              if (distance === 0 || distance > 2 || toX < 0 || toY < 0 || toZ < 0) continue;
              if (toX >= width || toY >= height || toZ >= depth) continue;
              const weight = (distance === 1 ? WEIGHT_OF_NEIGHBOUR : WEIGHT_OF_DIAGONAL) * (1 + dx * dx + 0.2 * (z % 4));
              messages.push([rankOfNode[number(x, y, z)], rankOfNode[number(toX, toY, toZ)], weight]);
            }
  return messages;
}

/** Hosts of two ranks under leaves under spines, drawn flat. */
function tree(spines, leaves, hostsOfLeaf) {
  const hosts = leaves * hostsOfLeaf;
  const points = [];
  const names = [];
  for (let host = 0; host < hosts; host++) {
    points.push([host, 0, 0]);
    names.push(`host n${String(host).padStart(2, "0")}`);
  }
  for (let leaf = 0; leaf < leaves; leaf++) {
    points.push([hostsOfLeaf * (leaf + 0.5) - 0.5, 4, 0]);
    names.push(`switch ${leaf} of level 1`);
  }
  for (let spine = 0; spine < spines; spine++) {
    points.push([((spine + 0.5) * hosts) / spines - 0.5, 8, 0]);
    names.push(`switch ${spine} of level 2`);
  }
  const edges = [];
  for (let host = 0; host < hosts; host++) edges.push([host, hosts + Math.floor(host / hostsOfLeaf)]);
  for (let leaf = 0; leaf < leaves; leaf++)
    for (let spine = 0; spine < spines; spine++) edges.push([hosts + leaf, hosts + leaves + spine]);
  const leafOf = (host) => Math.floor(host / hostsOfLeaf);
  const route = function* (from, to) {
    if (from === to) return;
    yield [from, true];
    if (leafOf(from) !== leafOf(to)) {
      const spine = (from + to) % spines;
      yield [hosts + leafOf(from) * spines + spine, true];
      yield [hosts + leafOf(to) * spines + spine, false];
    }
    yield [to, false];
  };
  const ranks = 2 * hosts;
  const traffic = [];
  for (let rank = 0; rank < ranks; rank++) {
    for (const [step, weight] of [[1, 2e6], [16, 9e6], [32, 4e5]]) {
      traffic.push([rank, (rank + step) % ranks, weight], [(rank + step) % ranks, rank, weight]);
    }
  }
  const columns = 16;
  return report({
    title: "ring of rings on a tree",
    turns: false,
    points,
    names,
    holding: hosts,
    edges,
    around: [],
    traffic,
    route,
    placements: {
      "in-order": Array.from({ length: ranks }, (_, rank) => Math.floor(rank / 2)),
      "by column": Array.from({ length: ranks }, (_, rank) => (rank * 7) % hosts),
      auto: Array.from({ length: ranks }, (_, rank) => Math.floor(((rank % columns) * (ranks / columns) + Math.floor(rank / columns)) / 2)),
    },
  });
}

/** Everything about a machine and its traffic, as the page takes it. */
function report(machine) {
  const names = Object.keys(machine.placements);
  const ranks = machine.placements[names[0]].length;
  const loads = names.map((name) => loadsUnder(machine, machine.placements[name]));
  const data = {
    version: 1,
    ranks,
    weight: "bytes",
    placements: names,
    matrix: matrixOf(machine, ranks, names),
    machine: {
      turns: machine.turns,
      points: reals(machine.points.flat()),
      names: machine.names,
      holding: machine.holding,
      edges: naturals(machine.edges.flat()),
      around: naturals(machine.around),
      loads: loads.map(({ forward, backward, traffic, most }) => ({
        forward: reals(forward),
        backward: reals(backward),
        traffic: reals(traffic),
        most,
      })),
      notes: ["Loads are made up for this sample."],
    },
    points_of_ranks: names.map((name) => naturals(machine.placements[name])),
    partners: partnersOf(machine.traffic, ranks),
    files: [
      { name: "mapping.json", type: "application/json", content: '{"mapping":"</scr" + "ipt>, ä"}\n' },
      { name: "ranks.txt", type: "text/plain", content: Array.from({ length: ranks }, (_, rank) => `${rank}\n`).join("") },
    ],
  };
  return { title: machine.title, data, names, loads, machine };
}

function loadsUnder({ edges, traffic, route, holding }, nodeOfRank) {
  const forward = new Array(edges.length).fill(0);
  const backward = new Array(edges.length).fill(0);
  const exchanged = new Array(holding).fill(0);
  for (const [sender, receiver, weight] of traffic) {
    const [from, to] = [nodeOfRank[sender], nodeOfRank[receiver]];
    if (from === to) continue;
    exchanged[from] += weight;
    exchanged[to] += weight;
    for (const [edge, along] of route(from, to)) (along ? forward : backward)[edge] += weight;
  }
  let most = 0;
  for (let edge = 0; edge < edges.length; edge++) most = Math.max(most, forward[edge], backward[edge]);
  return { forward, backward, traffic: exchanged, most };
}

function matrixOf({ traffic, placements }, ranks, names) {
  const ranksPerCell = Math.max(1, Math.ceil(ranks / 256));
  const size = Math.ceil(ranks / ranksPerCell);
  const order = (positionOf) => {
    const sums = new Map();
    for (const [sender, receiver, weight] of traffic) {
      const [row, column] = [sender, receiver].map((rank) => Math.floor(positionOf(rank) / ranksPerCell));
      sums.set(row * size + column, (sums.get(row * size + column) ?? 0) + weight);
    }
    const cells = [...sums.keys()].sort((a, b) => a - b);
    return { cells: naturals(cells), values: reals(cells.map((cell) => sums.get(cell))) };
  };
  const last = placements[names.at(-1)];
  const byPlace = last.map((_, rank) => rank).sort((a, b) => last[a] - last[b] || a - b);
  const positionByPlace = [];
  byPlace.forEach((rank, position) => (positionByPlace[rank] = position));
  return {
    size,
    ranks_per_cell: ranksPerCell,
    orders: [
      { name: "by rank", axis: "rank", ...order((rank) => rank) },
      { name: `by place in ${names.at(-1)}`, axis: "place", ...order((rank) => positionByPlace[rank]) },
    ],
  };
}

function partnersOf(traffic, ranks) {
  const exchanged = Array.from({ length: ranks }, () => new Map());
  for (const [sender, receiver, weight] of traffic) {
    if (sender === receiver) continue;
    exchanged[sender].set(receiver, (exchanged[sender].get(receiver) ?? 0) + weight);
    exchanged[receiver].set(sender, (exchanged[receiver].get(sender) ?? 0) + weight);
  }
  const [start, rank, weight, leftOut, leftOutWeight] = [[0], [], [], [], []];
  for (const partners of exchanged) {
    const sorted = [...partners].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    for (const [partner, amount] of sorted.slice(0, MOST_PARTNERS)) {
      rank.push(partner);
      weight.push(amount);
    }
    start.push(rank.length);
    leftOut.push(Math.max(0, sorted.length - MOST_PARTNERS));
    leftOutWeight.push(sorted.slice(MOST_PARTNERS).reduce((sum, [, amount]) => sum + amount, 0));
  }
  return {
    start: naturals(start),
    rank: naturals(rank),
    weight: reals(weight),
    left_out: naturals(leftOut),
    left_out_weight: reals(leftOutWeight),
  };
}

function naturals(numbers) {
  return Buffer.from(Uint32Array.from(numbers).buffer).toString("base64");
}

function reals(numbers) {
  return Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
}

const megabytes = (value) => `${(value / 1e6).toFixed(1)} MB`;

/** The page around the data. */
function pageOf({ title, data, names, loads, machine }) {
  const rows = names.map((name, number) => {
    const { most, forward, backward } = loads[number];
    const sum = [...forward, ...backward].reduce((a, b) => a + b, 0);
    const used = forward.filter((load) => load > 0).length + backward.filter((load) => load > 0).length;
    return { name, most, sum, used };
  });
  const tableRows = rows
    .map(({ name, most, sum, used }) => `<tr><th scope="row">${name}</th><td class="number" data-value="${most}">${megabytes(most)}</td><td class="number" data-value="${sum}">${megabytes(sum)}</td><td class="number" data-value="${used}">${used}</td></tr>`)
    .join("");
  const [first, last] = [rows[0], rows.at(-1)];
  const json = JSON.stringify(data).replace(/</g, "\\u003c");
  const chart = (id, width) => {
    const bars = rows.map(({ name, most }, number) => {
      const length = ((width - 180) * most) / Math.max(...rows.map((row) => row.most));
      const y = 10 + number * 34;
      return `<text class="ink" x="90" y="${y + 17}" text-anchor="end">${name}</text><rect class="fill-${number}" x="98" y="${y}" width="${length.toFixed(1)}" height="24"/><text class="soft" x="${(104 + length).toFixed(1)}" y="${y + 17}">${megabytes(most)}</text>`;
    });
    const height = 20 + rows.length * 34;
    return `<svg class="picture" id="${id}" viewBox="0 0 ${width} ${height}" role="img" style="max-width:${width}px" aria-labelledby="${id}-title ${id}-text" font-size="13"><title id="${id}-title">Busiest link</title><desc id="${id}-text">The busiest link under each placement.</desc><line class="axis" x1="98" y1="4" x2="98" y2="${height - 6}"/>${bars.join("")}</svg>`;
  };
  const command = "topoloom map --machine torus:4x4x4 --traffic halo.csv --strategy auto --write mapping.json";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>${readFileSync(join(dist, "report.css"), "utf8")}</style></head><body>
<a class="skip-link" href="#content">Skip to the content</a>
<header><h1>${title}</h1><p>${data.ranks} ranks on ${machine.holding} nodes, made up to try the page.</p></header>
<nav aria-label="Sections"><ul><li><a href="#verdict">Verdict</a></li><li><a href="#placements">Placements</a></li><li><a href="#traffic">Traffic</a></li><li><a href="#machine">Machine</a></li><li><a href="#files">Files</a></li></ul></nav>
<main id="content">
<section id="verdict"><h2>Verdict</h2><p class="verdict">Placing ranks by <strong>${last.name}</strong> leaves ${Math.round((100 * last.most) / first.most)} % of the load on the busiest link.</p>
<div class="tiles"><div class="tile better"><span class="tile-name">Busiest link</span><span class="tile-value">${megabytes(last.most)}</span><span class="tile-note">${megabytes(first.most)} under ${first.name}</span></div><div class="tile"><span class="tile-name">All links together</span><span class="tile-value">${megabytes(last.sum)}</span><span class="tile-note">${megabytes(first.sum)} under ${first.name}</span></div><div class="tile"><span class="tile-name">Ranks</span><span class="tile-value">${data.ranks}</span><span class="tile-note">on ${machine.holding} nodes</span></div></div></section>
<section id="placements"><h2>Placements</h2><p>What each placement puts on the links of the machine. Less is better in every column.</p>
<div class="scroll"><table class="sortable" id="loads"><thead><tr><th scope="col">Placement</th><th scope="col" class="number">Busiest link</th><th scope="col" class="number">All links</th><th scope="col" class="number">Links used</th></tr></thead><tbody>${tableRows}</tbody></table></div>
<button type="button" class="csv" data-table="loads" data-name="loads.csv">Table as CSV</button>
<figure><div class="wide-only">${chart("busiest-wide", 900)}</div><div class="narrow-only">${chart("busiest-narrow", 358)}</div><figcaption>The busiest link under each placement.</figcaption></figure>
<p><label for="panel-choice">Facts of</label> <select class="choice" id="panel-choice" data-panels="facts">${names.map((name) => `<option>${name}</option>`).join("")}</select></p>
${rows.map(({ name, used }) => `<div data-panel="facts" data-value="${name}"><table class="facts"><tbody><tr><th scope="row">placement</th><td>${name}</td></tr><tr><th scope="row">links used</th><td>${used}</td></tr></tbody></table></div>`).join("\n")}</section>
<section id="traffic"><h2>Traffic</h2><p>Who sends to whom. The same traffic twice: by rank, and by where ranks sit.</p><div id="matrix-view"></div><button type="button" class="csv" data-of="matrix" data-name="matrix.csv">Matrix as CSV</button></section>
<section id="machine"><h2>Machine</h2><p>What the links carry, with one scale for both placements.</p><div id="machine-view"></div><button type="button" class="csv" data-of="links" data-name="links.csv">Links as CSV</button><button type="button" class="csv" data-of="placement" data-name="placement.csv">Placement as CSV</button></section>
<section id="files"><h2>Files and command</h2><p>What this report was made with, to make it again.</p><pre>${command}<button type="button" class="copy" data-text="${command}">Copy</button></pre>
<button type="button" class="download" data-file="0">mapping.json</button><button type="button" class="download" data-file="1">ranks.txt</button>
<details><summary>How loads are counted</summary><p>Every message takes one shortest way; each link on it carries the whole message.</p></details></section>
</main><footer><p>Written by topoloom.</p></footer>
<script type="application/json" id="report-data">${json}</script>
<script>${readFileSync(join(dist, "report.js"), "utf8")}</script>
</body></html>
`;
}

/** Writes a sample; gives what it was made from, for tests. */
export function writeSample(name, path) {
  const made = SAMPLES[name]();
  writeFileSync(path, pageOf(made));
  return made;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = "", path = `${name}.html`] = process.argv.slice(2);
  if (!(name in SAMPLES)) {
    console.error(`unknown sample "${name}"; known: ${Object.keys(SAMPLES).join(", ")}`);
    process.exit(1);
  }
  writeSample(name, path);
}
