// Values separated by commas, as RFC 4180 has them.

import type { ReportData } from "./data";
import { shortest } from "./numbers";

type Cell = string | number;

/** Rows as text; cells with commas, quotes or line ends are quoted. */
export function csvOf(rows: Iterable<Cell[]>): string {
  const lines: string[] = [];
  for (const row of rows) lines.push(row.map(cell).join(","));
  return lines.map((line) => `${line}\r\n`).join("");
}

function cell(value: Cell): string {
  const text = typeof value === "number" ? shortest(value) : value;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** A table of the page: the number behind a text where there is one. */
export function* rowsOfTable(table: HTMLTableElement): Generator<Cell[]> {
  for (const row of table.rows) {
    yield [...row.cells].map((cell) => {
      const text = (cell.textContent ?? "").trim().replace(/\s+/g, " ");
      // A number that is not there.
      if (text === "-" && cell.classList.contains("number")) return "";
      return cell.dataset.value ?? text;
    });
  }
}

/** The cells of the matrix in one of its orders; the first is by rank. */
export function* rowsOfMatrix(data: ReportData, number: number): Generator<Cell[]> {
  const { matrix, ranks, weight } = data;
  const order = matrix?.orders[number];
  if (matrix === null || order === undefined) return;
  const ofRanks = (position: number): string => {
    const first = position * matrix.ranksPerCell;
    const last = Math.min(first + matrix.ranksPerCell, ranks) - 1;
    return first >= last ? String(first) : `${first}-${last}`;
  };
  const of = order.axis === "rank" ? "" : " by position in the order of places";
  yield [`sender${of}`, `receiver${of}`, weight];
  for (let index = 0; index < order.cells.length; index++) {
    const place = order.cells[index]!;
    yield [ofRanks(Math.floor(place / matrix.size)), ofRanks(place % matrix.size), order.values[index]!];
  }
}

/** What each link that is drawn carries under each placement. */
export function* rowsOfLinks({ machine, placements }: ReportData): Generator<Cell[]> {
  if (machine === null) return;
  yield ["from", "to", ...placements.flatMap((name) => [`${name} forward`, `${name} backward`])];
  for (let edge = 0; edge < machine.edges.length / 2; edge++) {
    const ends = [machine.edges[2 * edge]!, machine.edges[2 * edge + 1]!].map((point) => machine.names[point]!);
    yield [...ends, ...machine.loads.flatMap((load) => [load.forward[edge]!, load.backward[edge]!])];
  }
}

/** Where each rank is under each placement. */
export function* rowsOfPlacement({ machine, placements, pointsOfRanks, ranks }: ReportData): Generator<Cell[]> {
  if (machine === null) return;
  yield ["rank", ...placements];
  for (let rank = 0; rank < ranks; rank++) {
    yield [String(rank), ...(pointsOfRanks ?? []).map((points) => machine.names[points[rank]!]!)];
  }
}
