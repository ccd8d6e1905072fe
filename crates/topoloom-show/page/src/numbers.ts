// Numbers as people read them, written as the rest of the report writes them.

/** With separators between thousands, and one decimal where there are decimals. */
export function grouped(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15) return scientific(value, 6);
  if (value !== 0 && size < 0.05) return scientific(value, 3);
  const [whole, decimals] = (Number.isInteger(value) ? size.toFixed(0) : size.toFixed(1)).split(".");
  const separated = whole!.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${value < 0 ? "-" : ""}${separated}${decimals === undefined ? "" : `.${decimals}`}`;
}

const UNITS_OF_BYTES = ["kB", "MB", "GB", "TB", "PB", "EB"];

/** A number of bytes in the unit that suits it. */
export function bytes(value: number): string {
  if (value < 999.5) return `${value.toFixed(0)} B`;
  let scaled = value;
  for (const unit of UNITS_OF_BYTES) {
    scaled /= 1e3;
    if (scaled < 999.5) return `${scaled.toFixed(1)} ${unit}`;
  }
  return `${scientific(value, 3)} B`;
}

/** How many there are of what: `1 node`, `2 nodes`. */
export function plural(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** Writes amounts in the unit of the report. */
export type WriteAmount = (value: number) => string;

export function amountsIn(weight: "bytes" | "messages"): WriteAmount {
  return weight === "bytes" ? bytes : (value) => plural(value, "message");
}

/** The same for scales, whose title says of what: without the unit where it is a word, in few digits. */
export function briefAmountsIn(weight: "bytes" | "messages"): WriteAmount {
  return weight === "bytes" ? bytes : (value) => grouped(Number(value.toPrecision(3)));
}

/** `rank 4`, `ranks 4 to 7`. */
export function span(what: string, first: number, last: number): string {
  return first === last ? `${what} ${grouped(first)}` : `${what}s ${grouped(first)} to ${grouped(last)}`;
}

/** The shortest text that gives the same 32-bit number, for files. */
export function shortest(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === Math.fround(value)) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}

/** Without the plus that JavaScript puts into exponents. */
function scientific(value: number, decimals: number): string {
  return value.toExponential(decimals).replace("e+", "e");
}
