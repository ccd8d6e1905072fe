// What colours mean, drawn with values.

import { css, onThemeChange, scaleColour, theme } from "./colours";
import { make } from "./elements";

/** A value at a place of the scale, 0 to 1. */
export interface LegendTick {
  position: number;
  text: string;
}

/** More letters than this do not fit side by side below a bar. */
const MOST_LETTERS = 44;

/** A bar of the scale with its values; `title` says of what. */
export function makeLegend(title: string, all: LegendTick[]): HTMLElement {
  const letters = all.reduce((sum, { text }) => sum + text.length + 2, 0);
  const ticks = letters <= MOST_LETTERS ? all : all.filter((_, number) => number === 0 || number === all.length - 1);
  const bar = make("div", { class: "legend-bar" });
  const scale = make("div", { class: "legend-ticks" });
  for (const { position, text } of ticks) {
    const tick = make("span", {}, text);
    tick.style.left = `${100 * position}%`;
    // Texts at the ends stay within the bar.
    tick.style.transform = `translateX(${-100 * position}%)`;
    scale.append(tick);
  }
  const values = ticks.map(({ text }) => text).join(", ");
  const picture = make("div", { class: "legend-scale", role: "img", "aria-label": `${title}: ${values}` }, bar, scale);
  const legend = make("div", { class: "legend" }, make("span", { class: "legend-title" }, title), picture);
  const paint = (): void => {
    const colours = theme().scale;
    const stops = Array.from({ length: 11 }, (_, step) => css(scaleColour(colours, step / 10)));
    bar.style.background = `linear-gradient(to right,${stops.join(",")})`;
  };
  paint();
  onThemeChange(paint);
  return legend;
}

/** A colour that stands for one thing. */
export function makeSwatch(name: string, colour: () => string, shape: "line" | "cell" | "dot"): HTMLElement {
  const sample = make("span", { class: `swatch swatch-${shape}`, "aria-hidden": "true" });
  const paint = (): void => {
    sample.style.background = colour();
  };
  paint();
  onThemeChange(paint);
  return make("span", { class: "legend-swatch" }, sample, name);
}
