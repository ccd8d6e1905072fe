// A short text beside the pointer; the same is told below the picture for those who use no pointer.

import { make } from "./elements";

let tip: HTMLElement | null = null;

/** Shows a text beside a place of the window. */
export function showTip(text: string, clientX: number, clientY: number): void {
  if (tip === null) {
    tip = make("div", { class: "tip", "aria-hidden": "true" });
    document.body.append(tip);
  }
  if (tip.textContent !== text) tip.textContent = text;
  tip.hidden = false;
  // On the side of the pointer where there is room.
  const { width, height } = tip.getBoundingClientRect();
  const right = clientX + 16 + width < innerWidth ? clientX + 16 : Math.max(4, clientX - 12 - width);
  const below = clientY + 16 + height < innerHeight ? clientY + 16 : Math.max(4, clientY - 12 - height);
  tip.style.transform = `translate(${Math.round(right)}px,${Math.round(below)}px)`;
}

export function hideTip(): void {
  if (tip !== null) tip.hidden = true;
}
