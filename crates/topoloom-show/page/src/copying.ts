// Buttons that copy a text, such as a command.

import { all, make } from "./elements";

export function connectCopyButtons(): void {
  for (const button of all<HTMLButtonElement>("button.copy")) {
    const status = make("span", { class: "copied", "aria-live": "polite" });
    button.after(status);
    button.addEventListener("click", () => {
      void copy(button).then((message) => {
        status.textContent = message;
        setTimeout(() => (status.textContent = ""), 4000);
      });
    });
  }
}

/** Copies and says how that went. */
async function copy(button: HTMLButtonElement): Promise<string> {
  const text = button.dataset.text ?? "";
  try {
    // Missing where a page is opened as a file in some browsers.
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    if (copyBySelecting(text)) return "Copied";
  }
  const shown = button.closest("pre") ?? button.parentElement?.querySelector("pre, code");
  if (shown) getSelection()?.selectAllChildren(shown);
  return "Selected: copy with Ctrl+C";
}

/** The old way, which works without the clipboard's own interface. */
function copyBySelecting(text: string): boolean {
  const field = make("textarea", { "aria-hidden": "true", class: "off-screen" });
  field.value = text;
  document.body.append(field);
  field.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch {
    copied = false;
  }
  field.remove();
  return copied;
}
