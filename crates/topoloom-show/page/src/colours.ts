// Colours of what is drawn by the script, light and dark; they agree with those of report.css.

export type Colour = readonly [number, number, number];

/** From little to much, told apart by colour-blind people and in grey (viridis). */
const LITTLE_IS_BRIGHT: Colour[] = [
  [236, 229, 27],
  [122, 209, 81],
  [34, 168, 132],
  [42, 120, 142],
  [65, 68, 135],
  [68, 1, 84],
];

// The darkest end of the scale would vanish on a dark ground, so it starts a little later there.
const LITTLE_IS_DARK: Colour[] = [
  [72, 47, 121],
  [62, 84, 143],
  [42, 125, 142],
  [34, 168, 132],
  [122, 209, 81],
  [246, 232, 58],
];

/** How many steps a scale has where a table of colours is needed. */
export const SHADES = 64;

export interface Theme {
  dark: boolean;
  scale: Colour[];
  paper: Colour;
  ink: Colour;
  soft: Colour;
  /** Where nothing is: cells without traffic. */
  empty: Colour;
  /** Links that carry nothing. */
  unused: Colour;
  /** What is selected. */
  mark: Colour;
}

const LIGHT: Theme = {
  dark: false,
  scale: LITTLE_IS_BRIGHT,
  paper: [255, 255, 255],
  ink: [27, 31, 36],
  soft: [84, 94, 105],
  empty: [244, 245, 247],
  unused: [205, 210, 216],
  mark: [213, 0, 50],
};

const DARK: Theme = {
  dark: true,
  scale: LITTLE_IS_DARK,
  paper: [20, 23, 27],
  ink: [230, 233, 237],
  soft: [166, 175, 186],
  empty: [29, 33, 38],
  unused: [62, 69, 78],
  mark: [255, 105, 120],
};

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const listeners: (() => void)[] = [];

/** The colours that hold now; paper is always light. */
export function theme(): Theme {
  return prefersDark.matches && !printing ? DARK : LIGHT;
}

/** Calls back whenever the colours change: by the reader's system, or because the page is printed. */
export function onThemeChange(listener: () => void): void {
  if (listeners.length === 0) {
    const tell = (): void => listeners.forEach((each) => each());
    const print = (now: boolean) => (): void => {
      printing = now;
      tell();
    };
    prefersDark.addEventListener("change", tell);
    addEventListener("beforeprint", print(true));
    addEventListener("afterprint", print(false));
  }
  listeners.push(listener);
}

/** The colour at a place between 0, little, and 1, much. */
export function scaleColour(scale: Colour[], position: number): Colour {
  const place = Math.min(Math.max(position, 0), 1) * (scale.length - 1);
  const below = Math.min(Math.floor(place), scale.length - 2);
  return mixed(scale[below]!, scale[below + 1]!, place - below);
}

/** So much of the way from one colour to another. */
export function mixed(from: Colour, to: Colour, part: number): Colour {
  const mix = (index: 0 | 1 | 2): number => Math.round(from[index] + part * (to[index] - from[index]));
  return [mix(0), mix(1), mix(2)];
}

export function css(colour: Colour): string {
  return `rgb(${colour[0]},${colour[1]},${colour[2]})`;
}

/** As one number of an image's pixels, opaque; browsers run on little-endian processors. */
export function packed(colour: Colour): number {
  return (0xff000000 | (colour[2] << 16) | (colour[1] << 8) | colour[0]) >>> 0;
}
