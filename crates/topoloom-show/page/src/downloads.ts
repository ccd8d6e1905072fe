// Buttons that save a table, the data of a picture, or a file.

import { csvOf, rowsOfLinks, rowsOfMatrix, rowsOfPlacement, rowsOfTable } from "./csv";
import type { ReportData } from "./data";
import { all } from "./elements";

/** Buttons that save tables; they need no data. */
export function connectTableDownloads(): void {
  for (const button of all<HTMLButtonElement>("button.csv[data-table]")) {
    const table = document.getElementById(button.dataset.table ?? "");
    if (!(table instanceof HTMLTableElement)) {
      button.hidden = true;
      continue;
    }
    onClickSave(button, () => csvOf(rowsOfTable(table)));
  }
}

/** Buttons that save what no table holds. Those without data are hidden. */
export function connectDataDownloads(data: ReportData | null): void {
  for (const button of all<HTMLButtonElement>("button.csv[data-of]")) {
    const rows = data === null ? null : rowsNamed(button.dataset.of ?? "", data);
    if (rows === null) button.hidden = true;
    else onClickSave(button, () => csvOf(rows()));
  }
  for (const button of all<HTMLButtonElement>("button.download[data-file]")) {
    const file = data?.files[Number(button.dataset.file)];
    if (file === undefined) button.hidden = true;
    else button.addEventListener("click", () => save(file.name, file.type, file.content));
  }
}

function rowsNamed(name: string, data: ReportData): (() => Iterable<(string | number)[]>) | null {
  if (name === "matrix" && data.matrix !== null) return () => rowsOfMatrix(data, 0);
  if (name === "matrix-by-place" && (data.matrix?.orders.length ?? 0) > 1) return () => rowsOfMatrix(data, 1);
  if (name === "links" && data.machine !== null) return () => rowsOfLinks(data);
  if (name === "placement" && data.machine !== null && data.pointsOfRanks !== null) return () => rowsOfPlacement(data);
  return null;
}

function onClickSave(button: HTMLButtonElement, content: () => string): void {
  button.addEventListener("click", () => save(button.dataset.name ?? "table.csv", "text/csv;charset=utf-8", content()));
}

function save(name: string, type: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  // Browsers fetch the content some time after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
