// What must hold for sample pages, of which everything is known.

import { savedBy } from "./machine_page.mjs";

export async function checkSample(page, { data, machine, loads, names }, expect) {
  const byName = (name) => page.locator(`button[data-name="${name}"]`);

  const table = (await savedBy(page, byName("loads.csv"))).content.split("\r\n");
  expect(table[0] === "Placement,Busiest link,All links,Links used", `the table starts with ${table[0]}`);
  // The number behind the text, not "51.7 MB".
  expect(table[1].startsWith(`${names[0]},${loads[0].most},`), `the table's first row is ${table[1]}`);

  const matrix = (await savedBy(page, byName("matrix.csv"))).content.split("\r\n");
  expect(matrix[0] === "sender,receiver,bytes", `the matrix starts with ${matrix[0]}`);
  // Every pair of ranks counts once, whatever the cells are; sums of 32-bit numbers differ in the last digits.
  const sent = machine.traffic.reduce((sum, [, , weight]) => sum + weight, 0);
  const saved = matrix.slice(1, -1).reduce((sum, line) => sum + Number(line.split(",")[2]), 0);
  expect(Math.abs(saved / sent - 1) < 1e-5, `the matrix has ${saved} of ${sent} bytes`);
  const perCell = data.matrix.ranks_per_cell;
  expect(matrix[1].split(",")[0] === (perCell === 1 ? "0" : `0-${perCell - 1}`), `the first sender is ${matrix[1]}`);

  const links = (await savedBy(page, byName("links.csv"))).content.split("\r\n");
  const columns = names.flatMap((name) => [`${name} forward`, `${name} backward`]);
  expect(links[0] === ["from", "to", ...columns].join(","), `links start with ${links[0]}`);
  expect(links.length === machine.edges.length + 2, `${links.length - 2} links of ${machine.edges.length}`);
  const quoted = (name) => (name.includes(",") ? `"${name}"` : name);
  const [from, to] = machine.edges[0].map((point) => quoted(machine.names[point]));
  expect(links[1].startsWith(`${from},${to},`), `the first link is ${links[1]}`);

  const placement = (await savedBy(page, byName("placement.csv"))).content.split("\r\n");
  const last = data.ranks - 1;
  const places = names.map((name) => quoted(machine.names[machine.placements[name][last]]));
  expect(placement[0] === ["rank", ...names].join(","), `the placement starts with ${placement[0]}`);
  expect(placement[last + 1] === [last, ...places].join(","), `the last rank is ${placement[last + 1]}`);

  const file = await savedBy(page, page.locator('button.download[data-file="0"]'));
  expect(file.name === data.files[0].name && file.content === data.files[0].content, "a file is not saved as it is");

  // All of them between 1 and 999 MB, so that the unit is known.
  const notes = await page.locator("#machine-view .panel-note").allTextContents();
  const expected = [loads[0], loads.at(-1)].map(({ most }) => `busiest link ${(most / 1e6).toFixed(1)} MB`);
  expect(notes.join() === expected.join(), `told: ${notes.join()}, expected ${expected.join()}`);

  await checkSlider(page, machine, loads, names, expect);
  await checkPartners(page, machine, names, expect);
  await checkChoice(page, names, expect);
  await checkDamage(page, expect);
}

/** At its end the slider leaves the links that carry as much as the busiest of all, in 32 bits. */
async function checkSlider(page, machine, loads, names, expect) {
  const most = Math.fround(Math.max(...loads.map((load) => load.most)));
  const left = ({ forward, backward }) =>
    forward.filter((load, edge) => Math.fround(Math.max(load, backward[edge])) >= most).length;
  await page.locator("#least-load").focus();
  await page.keyboard.press("End");
  const told = await page.locator("#machine-view .counts").textContent();
  const each = [0, names.length - 1].map((number) => `${left(loads[number])} under ${names[number]}`);
  const expected = `Links shown of ${machine.edges.length.toLocaleString("en")}: ${each.join(", ")}`;
  expect(told === expected, `told: ${told}, expected: ${expected}`);
  await page.keyboard.press("Home");
}

/** Rank 5 by hand: all it exchanges, and where its heaviest partner is. */
async function checkPartners(page, machine, names, expect) {
  const exchanged = new Map();
  for (const [sender, receiver, weight] of machine.traffic) {
    if (sender === 5) exchanged.set(receiver, (exchanged.get(receiver) ?? 0) + weight);
    if (receiver === 5) exchanged.set(sender, (exchanged.get(sender) ?? 0) + weight);
  }
  const [heaviest] = [...exchanged].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0];
  await page.locator("#rank").fill("5");
  const table = page.locator("#machine-view .partners table");
  const row = await table.locator("tbody tr").first().locator("td").allTextContents();
  expect(row[0] === `rank ${heaviest}`, `the heaviest partner of rank 5 is ${row[0]}, not ${heaviest}`);
  const placement = machine.placements[names[0]];
  const place = placement[heaviest] === placement[5] ? "the same place" : machine.names[placement[heaviest]];
  expect(row[2] === place, `it is at ${row[2]}, not ${place}`);
  const caption = await table.locator("caption").textContent();
  expect(caption.startsWith(`${exchanged.size} partners`), `rank 5 has ${exchanged.size} partners, told: ${caption}`);
  const listed = await table.locator("tbody tr").count();
  const rest = exchanged.size - listed;
  if (rest > 0) {
    const told = await table.locator("tfoot").textContent();
    expect(told.startsWith(`and ${rest} more partner`), `${rest} partners are left out, told: ${told}`);
  }
}

async function checkChoice(page, names, expect) {
  await page.locator("#panel-choice").selectOption(names.at(-1));
  const shown = await page.locator('[data-panel="facts"]:visible').allTextContents();
  expect(shown.length === 1 && shown[0].includes(names.at(-1)), `the choice shows ${shown.join(" | ")}`);
}

/** The page says so where its data is cut off, and the rest works. */
async function checkDamage(page, expect) {
  const damaged = await page.context().newPage();
  try {
    const html = await page.evaluate(() => {
      const copy = document.documentElement.cloneNode(true);
      const holder = copy.querySelector("#report-data");
      holder.textContent = holder.textContent.slice(0, -20);
      return copy.outerHTML;
    });
    await damaged.setContent(html);
    const message = (await damaged.locator(".damaged").textContent({ timeout: 5000 })) ?? "";
    expect(message.includes("damaged"), `damaged data is told as ${message}`);
    expect((await damaged.locator("th button.sort").count()) > 0, "tables of a damaged page are not sorted");
  } finally {
    await damaged.close();
  }
}
