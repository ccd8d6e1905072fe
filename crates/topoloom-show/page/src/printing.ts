// Paper cannot be clicked: what is folded and short is opened while the page is printed.

/** Rows of tables that are printed; more would take pages that nobody reads. */
const MOST_ROWS = 60;

export function openDetailsForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")].filter(
      (details) => details.querySelectorAll("tr").length <= MOST_ROWS,
    );
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    opened = [];
  });
}
