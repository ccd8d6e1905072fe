// The matrix of who sends to whom, in each order of the ranks.

import type { MatrixData, ReportData } from "./data";
import { css, theme } from "./colours";
import { make, makeLiveText, setText } from "./elements";
import { makeLegend, makeSwatch, type LegendTick } from "./legend";
import { LogScale } from "./log_scale";
import { MatrixPanel } from "./matrix_panel";
import { briefAmountsIn } from "./numbers";

const HINT = "Point at a cell, or move over the matrix with the arrow keys, to read its value.";

/** Fills `#matrix-view`. */
export function showMatrix(view: HTMLElement, data: ReportData, matrix: MatrixData): void {
  const scale = LogScale.over(matrix.orders.map(({ values }) => values));
  const told = makeLiveText(HINT);
  const tell = (sentence: string | null): void => setText(told, sentence ?? HINT);
  const panels = make("div", { class: "panels" });
  const shown = Math.min(2, matrix.orders.length);
  for (let number = 0; number < shown; number++) {
    // Side by side: the first order and the last one, unless the reader chooses others.
    const order = number === 0 ? 0 : matrix.orders.length - 1;
    panels.append(makePanel(data, matrix, order, scale, tell));
  }
  view.replaceChildren(panels, told, legendOf(data, matrix, scale));
}

function makePanel(
  data: ReportData,
  matrix: MatrixData,
  initial: number,
  scale: LogScale,
  tell: (sentence: string | null) => void,
): HTMLElement {
  const panel = new MatrixPanel(data, matrix, initial, scale, tell);
  const title = make("h3", { class: "panel-title" }, matrix.orders[initial]!.name);
  const holder = make("div", { class: "panel" }, title, panel.canvas);
  if (matrix.orders.length > 2) {
    const select = make("select", { "aria-label": "Order of the ranks" });
    matrix.orders.forEach(({ name }, number) => select.append(make("option", { value: String(number) }, name)));
    select.value = String(initial);
    select.addEventListener("change", () => panel.showOrder(Number(select.value)));
    title.replaceChildren(select);
  }
  panel.connect();
  return holder;
}

function legendOf(data: ReportData, matrix: MatrixData, scale: LogScale): HTMLElement {
  const amount = briefAmountsIn(data.weight);
  const what = data.weight === "bytes" ? "Sent" : "Messages";
  const ticks: LegendTick[] = scale.ticks().map(({ position, value }) => ({ position, text: amount(value) }));
  const each = matrix.ranksPerCell === 1 ? "a cell, one pair of ranks" : `a cell of ${matrix.ranksPerCell} by ${matrix.ranksPerCell} ranks`;
  return make(
    "div",
    { class: "legends" },
    makeLegend(`${what} in ${each}`, ticks),
    makeSwatch("nothing", () => css(theme().empty), "cell"),
  );
}
