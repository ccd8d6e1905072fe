// Lists of which one panel is shown at a time.

import { all } from "./elements";

export function connectChoices(): void {
  for (const select of all<HTMLSelectElement>("select.choice[data-panels]")) {
    const panels = all<HTMLElement>("[data-panel]").filter(({ dataset }) => dataset.panel === select.dataset.panels);
    const show = (): void => {
      for (const panel of panels) panel.hidden = panel.dataset.value !== select.value;
    };
    select.addEventListener("change", show);
    show();
  }
}
