// The script of the report: finds what the page holds and brings each part to life.

import { connectChoices } from "./choices";
import { connectCopyButtons } from "./copying";
import { DamagedData, decodeReport, type ReportData } from "./data";
import { connectDataDownloads, connectTableDownloads } from "./downloads";
import { make } from "./elements";
import { showMachine } from "./machine/view";
import { showMatrix } from "./matrix";
import { followSections } from "./navigation";
import { openDetailsForPrint } from "./printing";
import { makeRankView } from "./ranks";
import { Selection } from "./selection";
import { makeTablesSortable } from "./tables";

document.documentElement.classList.add("scripted");
makeTablesSortable();
connectTableDownloads();
connectCopyButtons();
connectChoices();
openDetailsForPrint();
followSections();

const data = readData();
connectDataDownloads(data);
if (data !== null) showViews(data);
performance.mark("report-ready");

function readData(): ReportData | null {
  const holder = document.getElementById("report-data");
  if (holder === null) return null;
  try {
    return decodeReport(holder.textContent ?? "");
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    const message =
      `The data of this page is damaged: ${error.message}. ` +
      "The matrix and the machine cannot be shown; texts, tables and charts are not affected.";
    document.querySelector("main")?.prepend(make("p", { class: "damaged", role: "alert" }, message));
    return null;
  }
}

function showViews(report: ReportData): void {
  const matrixView = document.getElementById("matrix-view");
  if (matrixView !== null && report.matrix !== null && report.matrix.orders.length > 0 && report.matrix.size > 0) {
    showMatrix(matrixView, report, report.matrix);
  }
  const machineView = document.getElementById("machine-view");
  if (machineView !== null && report.machine !== null && report.placements.length > 0) {
    const selection = new Selection(report);
    showMachine(machineView, report, report.machine, selection, makeRankView(report, selection));
  }
}
