// Making elements of the page.

type Child = Node | string;

/** A new element with attributes (`class`, `aria-label`, …) and what is inside. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

/** A button that shows a text or a sign, with a name of its own where a sign needs one. */
export function makeButton(sign: string, name: string, onClick: () => void): HTMLButtonElement {
  const button = make("button", { type: "button" }, sign);
  if (name !== sign) {
    button.setAttribute("aria-label", name);
    button.title = name;
  }
  button.addEventListener("click", onClick);
  return button;
}

/** A text that screen readers tell when it changes. */
export function makeLiveText(initial: string): HTMLParagraphElement {
  return make("p", { class: "live", "aria-live": "polite" }, initial);
}

/** Changes a text only where it differs, so that nothing is told twice. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Elements of a kind on the page, as a list. */
export function all<Kind extends HTMLElement>(selector: string): Kind[] {
  return [...document.querySelectorAll<Kind>(selector)];
}
