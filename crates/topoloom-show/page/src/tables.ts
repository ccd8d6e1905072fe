// Tables that are sorted by a click on a header.

import { all } from "./elements";

const byText = new Intl.Collator("en", { numeric: true });

/** Makes every `table.sortable` so. */
export function makeTablesSortable(): void {
  for (const table of all<HTMLTableElement>("table.sortable")) makeSortable(table);
}

function makeSortable(table: HTMLTableElement): void {
  const headers = table.tHead?.rows[0]?.cells;
  if (headers === undefined) return;
  [...headers].forEach((header, column) => {
    if (header.textContent?.trim() === "") return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const before = header.getAttribute("aria-sort");
      // Of numbers the largest come first: they are what one looks for.
      const first = isNumeric(table, column) ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      for (const each of headers) each.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", before === first ? other : first);
      sortRows(table, column, header.getAttribute("aria-sort") === "ascending");
    });
  });
}

function isNumeric(table: HTMLTableElement, column: number): boolean {
  return numberOf(table.tBodies[0]?.rows[0]?.cells[column]) !== null;
}

/** Rows that are equal keep their order. */
function sortRows(table: HTMLTableElement, column: number, rising: boolean): void {
  const body = table.tBodies[0];
  if (body === undefined) return;
  const sign = rising ? 1 : -1;
  const rows = [...body.rows];
  rows.sort((one, other) => {
    const [a, b] = [one.cells[column], other.cells[column]];
    const [numberA, numberB] = [numberOf(a), numberOf(b)];
    if (numberA !== null && numberB !== null) return sign * (numberA - numberB);
    // Cells without a number come last, whatever the direction.
    if (numberA !== null || numberB !== null) return numberA !== null ? -1 : 1;
    return sign * byText.compare(a?.textContent ?? "", b?.textContent ?? "");
  });
  body.append(...rows);
}

function numberOf(cell: HTMLTableCellElement | undefined): number | null {
  const value = cell?.dataset.value;
  if (value === undefined || value === "") return null;
  const number = Number(value);
  return Number.isNaN(number) ? null : number;
}
