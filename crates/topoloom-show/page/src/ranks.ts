// One rank: choosing it, and the table of whom it exchanges with and where they are.

import type { ReportData } from "./data";
import { css, onThemeChange, scaleColour, theme } from "./colours";
import { make, makeButton } from "./elements";
import { amountsIn, grouped, plural } from "./numbers";
import type { Selection } from "./selection";

/** What is below the machine: the choice of a rank and its partners. */
export function makeRankView(data: ReportData, selection: Selection): HTMLElement {
  // Too many to be picked one by one: the page says so.
  if (data.pointsOfRanks === null) return make("div");
  const input = make("input", {
    type: "number",
    id: "rank",
    min: "0",
    max: String(data.ranks - 1),
    step: "1",
    placeholder: "none",
  });
  const list = make("div", { class: "partners", "aria-live": "polite" });
  const clear = makeButton("Clear", "Clear the selected rank", () => selection.select(null));
  const move = (by: number) => (): void => {
    const rank = selection.rank;
    if (rank === null) selection.select(by > 0 ? 0 : data.ranks - 1);
    else selection.select((rank + by + data.ranks) % data.ranks);
  };
  input.addEventListener("input", () => {
    selection.select(input.value === "" ? null : Number(input.value));
    if (input.value !== "" && selection.rank === null) {
      list.replaceChildren(make("p", { class: "soft" }, `There is no rank ${input.value}.`));
    }
  });
  const controls = make(
    "div",
    { class: "controls rank-controls" },
    make("label", { for: "rank" }, `Rank (0 to ${grouped(data.ranks - 1)})`),
    input,
    makeButton("Previous", "Previous rank", move(-1)),
    makeButton("Next", "Next rank", move(1)),
    clear,
  );
  const show = (): void => {
    clear.disabled = selection.rank === null;
    // A number that is being typed is left alone.
    if (document.activeElement !== input) input.value = selection.rank === null ? "" : String(selection.rank);
    list.replaceChildren(...partnersOf(data, selection));
  };
  selection.onChange(show);
  onThemeChange(show);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      input.blur();
      selection.select(null);
    }
  });
  show();
  return make("div", { class: "rank-view" }, controls, list);
}

function partnersOf(data: ReportData, selection: Selection): HTMLElement[] {
  const { rank } = selection;
  if (rank === null) return [make("p", { class: "soft" }, "No rank is selected. Click a node, or choose a rank here, to see its partners.")];
  const { machine, partners, placements, pointsOfRanks } = data;
  const amount = amountsIn(data.weight);
  const { from, to, heaviest } = selection.partners();
  const nameOf = (placement: number, of: number): string => machine?.names[pointsOfRanks?.[placement]?.[of] ?? -1] ?? "";
  const own = placements.map((name, placement) => `${nameOf(placement, rank)} under ${name}`);
  const sentence = make("p", {}, make("strong", {}, `Rank ${grouped(rank)}`), machine === null ? "" : ` is at ${own.join(", ")}.`);
  if (partners === null) return [sentence];
  if (from === to) return [sentence, make("p", {}, "It exchanges nothing with other ranks.")];

  const head = make("tr", {}, make("th", { scope: "col" }, "Partner"), make("th", { scope: "col", class: "number" }, "Exchanged"));
  if (machine !== null) for (const name of placements) head.append(make("th", { scope: "col" }, `Place under ${name}`));
  const body = make("tbody");
  let listed = 0;
  for (let index = from; index < to; index++) {
    const partner = partners.rank[index]!;
    const weight = partners.weight[index]!;
    listed += weight;
    const swatch = make("span", { class: "swatch swatch-line", "aria-hidden": "true" });
    swatch.style.background = css(scaleColour(theme().scale, heaviest > 0 ? weight / heaviest : 0));
    const choose = makeButton(`rank ${grouped(partner)}`, `rank ${grouped(partner)}`, () => selection.select(partner));
    choose.className = "link";
    const row = make("tr", {}, make("td", {}, swatch, choose), make("td", { class: "number" }, amount(weight)));
    if (machine !== null) {
      placements.forEach((_, placement) => {
        const together = pointsOfRanks?.[placement]?.[partner] === pointsOfRanks?.[placement]?.[rank];
        row.append(make("td", {}, together ? "the same place" : nameOf(placement, partner)));
      });
    }
    body.append(row);
  }
  const leftOut = partners.leftOut[rank]!;
  const leftOutWeight = partners.leftOutWeight[rank]!;
  const caption = `${plural(to - from + leftOut, "partner")}, ${amount(listed + leftOutWeight)} in both directions together; lines to them are coloured up to the heaviest, ${amount(heaviest)}`;
  const table = make("table", {}, make("caption", {}, caption), make("thead", {}, head), body);
  if (leftOut > 0) {
    const rest = `and ${plural(leftOut, "more partner")} with ${amount(leftOutWeight)}`;
    const columns = String(machine === null ? 2 : 2 + placements.length);
    table.append(make("tfoot", {}, make("tr", {}, make("td", { colspan: columns }, rest))));
  }
  const box = make("div", { class: "scroll partner-box", tabindex: "0", role: "region", "aria-label": "Partners" }, table);
  return [sentence, box];
}
