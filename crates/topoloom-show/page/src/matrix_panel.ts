// One matrix: its cells as pixels, its axes, and the cell that is looked at.

import type { MatrixData, MatrixOrder, ReportData } from "./data";
import { css, onThemeChange, packed, scaleColour, SHADES, theme } from "./colours";
import { make } from "./elements";
import type { LogScale } from "./log_scale";
import { amountsIn, grouped, span, type WriteAmount } from "./numbers";
import { hideTip, showTip } from "./tip";

const MARGIN_TOP = 40;
/** Room for the name of the axis, and for each sign of the numbers along it. */
const AXIS_NAME = 28;
const AXIS_SIGN = 7;
const FONT = "12px system-ui, sans-serif";
/** Cells of at least so many pixels have gaps between them. */
const GAP_FROM = 7;

/** Part of the room that cells of the same size must fill. */
const LEAST_USED = 0.8;

interface Cell {
  row: number;
  column: number;
}

export class MatrixPanel {
  readonly canvas: HTMLCanvasElement;
  private readonly amount: WriteAmount;
  private readonly marginLeft: number;
  private order: MatrixOrder;
  private looked: Cell | null = null;
  private cells: HTMLCanvasElement | null = null;
  /** Width of the cells together, in pixels of the screen. */
  private extent = 0;
  private ratio = 1;

  constructor(
    private readonly data: ReportData,
    private readonly matrix: MatrixData,
    initial: number,
    private readonly scale: LogScale,
    private readonly tell: (sentence: string | null) => void,
  ) {
    this.amount = amountsIn(data.weight);
    this.marginLeft = AXIS_NAME + AXIS_SIGN * grouped(Math.max(0, data.ranks - 1)).length;
    this.order = matrix.orders[initial]!;
    this.canvas = make("canvas", { class: "matrix", tabindex: "0", role: "application" });
    this.describe();
  }

  /** Starts drawing and listening; the canvas is about to be in the page. */
  connect(): void {
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    onThemeChange(() => this.paintCells());
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerdown", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => {
      hideTip();
      this.look(null);
    });
    this.canvas.addEventListener("blur", () => this.look(null));
    this.canvas.addEventListener("keydown", (event) => this.press(event));
  }

  showOrder(number: number): void {
    this.order = this.matrix.orders[number] ?? this.order;
    this.looked = null;
    this.describe();
    this.paintCells();
  }

  private describe(): void {
    const { name, cells } = this.order;
    this.canvas.setAttribute(
      "aria-label",
      `Matrix of traffic, ${name}: ${grouped(this.matrix.size)} by ${grouped(this.matrix.size)} cells, ` +
        `${grouped(cells.length)} of them with traffic, at most ${this.amount(this.scale.most)} in one. ` +
        "Arrow keys move from cell to cell.",
    );
  }

  private resize(): void {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    this.ratio = Math.max(1, devicePixelRatio);
    const room = Math.floor((width - this.marginLeft) * this.ratio) - 1;
    // Cells of the same size, so that no pattern is made by rounding, unless that leaves much room unused.
    const even = Math.floor(room / this.matrix.size) * this.matrix.size;
    this.extent = even >= LEAST_USED * room ? even : Math.max(1, room);
    const height = this.extent / this.ratio + MARGIN_TOP + 1;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.paintCells();
  }

  /** Where row or column `index` starts, in pixels of the screen. */
  private edge(index: number): number {
    return Math.floor((index * this.extent) / this.matrix.size);
  }

  private paintCells(): void {
    const { extent } = this;
    if (extent === 0) return;
    const colours = theme();
    const shades = Uint32Array.from({ length: SHADES }, (_, shade) =>
      packed(scaleColour(colours.scale, shade / (SHADES - 1))),
    );
    // One higher than the shade; where several cells share a pixel, the largest shows.
    const shown = new Uint8Array(extent * extent);
    const gap = extent / this.matrix.size >= GAP_FROM ? 1 : 0;
    const { cells, values } = this.order;
    for (let index = 0; index < cells.length; index++) {
      const value = values[index]!;
      if (value <= 0) continue;
      const shade = 1 + Math.round(this.scale.position(value) * (SHADES - 1));
      const row = Math.floor(cells[index]! / this.matrix.size);
      const column = cells[index]! % this.matrix.size;
      const [left, top] = [this.edge(column), this.edge(row)];
      const right = Math.max(left + 1, this.edge(column + 1) - gap);
      const bottom = Math.max(top + 1, this.edge(row + 1) - gap);
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const pixel = y * extent + x;
          if (shown[pixel]! < shade) shown[pixel] = shade;
        }
      }
    }
    const image = new ImageData(extent, extent);
    const pixels = new Uint32Array(image.data.buffer);
    const empty = packed(colours.empty);
    for (let pixel = 0; pixel < pixels.length; pixel++) {
      const shade = shown[pixel]!;
      pixels[pixel] = shade === 0 ? empty : shades[shade - 1]!;
    }
    this.cells ??= document.createElement("canvas");
    this.cells.width = extent;
    this.cells.height = extent;
    this.cells.getContext("2d")?.putImageData(image, 0, 0);
    this.draw();
  }

  private draw(): void {
    const context = this.canvas.getContext("2d");
    if (context === null || this.cells === null) return;
    const { ratio, extent } = this;
    const colours = theme();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const left = Math.round(this.marginLeft * ratio);
    const top = Math.round(MARGIN_TOP * ratio);
    context.drawImage(this.cells, left, top);
    context.strokeStyle = css(colours.soft);
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, top - 0.5, extent + 1, extent + 1);
    this.drawLooked(context, left, top);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawAxes(context);
  }

  private drawLooked(context: CanvasRenderingContext2D, left: number, top: number): void {
    if (this.looked === null) return;
    const { row, column } = this.looked;
    const [x, y] = [left + this.edge(column), top + this.edge(row)];
    const width = Math.max(1, this.edge(column + 1) - this.edge(column));
    const height = Math.max(1, this.edge(row + 1) - this.edge(row));
    context.strokeStyle = css(theme().mark);
    context.fillStyle = css(theme().mark);
    context.globalAlpha = 0.5;
    context.fillRect(left, y + height / 2, x - left, 1);
    context.fillRect(x + width / 2, top, 1, y - top);
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.strokeRect(x - 1, y - 1, width + 2, height + 2);
  }

  private drawAxes(context: CanvasRenderingContext2D): void {
    const size = this.extent / this.ratio;
    const kind = this.order.axis === "place" ? "by its place" : "";
    context.font = FONT;
    context.fillStyle = css(theme().soft);
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.fillText(`receiving rank ${kind}`.trim() + " →", this.marginLeft + size / 2, 14);
    context.save();
    context.translate(14, MARGIN_TOP + size / 2);
    context.rotate(-Math.PI / 2);
    context.fillText("← " + `sending rank ${kind}`.trim(), 0, 0);
    context.restore();
    const steps = size > 260 ? 4 : 2;
    for (let step = 0; step <= steps; step++) {
      const cell = Math.min(Math.floor((this.matrix.size * step) / steps), this.matrix.size - 1);
      const text = grouped(step === steps ? this.data.ranks - 1 : cell * this.matrix.ranksPerCell);
      const place = (this.edge(cell) + this.edge(cell + 1)) / 2 / this.ratio;
      context.textAlign = step === 0 ? "left" : step === steps ? "right" : "center";
      const across = step === 0 ? 0 : step === steps ? size : place;
      context.fillText(text, this.marginLeft + across, MARGIN_TOP - 7);
      context.textAlign = "right";
      context.fillText(text, this.marginLeft - 6, MARGIN_TOP + Math.min(Math.max(place + 4, 10), size));
    }
  }

  private point(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const size = this.extent / this.ratio;
    const column = Math.floor(((event.clientX - box.left - this.marginLeft) / size) * this.matrix.size);
    const row = Math.floor(((event.clientY - box.top - MARGIN_TOP) / size) * this.matrix.size);
    const inside = row >= 0 && column >= 0 && row < this.matrix.size && column < this.matrix.size;
    const sentence = this.look(inside ? { row, column } : null);
    if (sentence === null) hideTip();
    else showTip(sentence, event.clientX, event.clientY);
  }

  private press(event: KeyboardEvent): void {
    const step = event.shiftKey ? Math.max(1, Math.round(this.matrix.size / 16)) : 1;
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-step, 0],
      ArrowDown: [step, 0],
      ArrowLeft: [0, -step],
      ArrowRight: [0, step],
    };
    if (event.key === "Escape") this.look(null);
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const within = (value: number): number => Math.min(Math.max(value, 0), this.matrix.size - 1);
    const from = this.looked ?? { row: -move[0], column: -move[1] };
    this.look({ row: within(from.row + move[0]), column: within(from.column + move[1]) });
  }

  /** Marks a cell and tells what is in it. */
  private look(cell: Cell | null): string | null {
    const same = cell?.row === this.looked?.row && cell?.column === this.looked?.column;
    const sentence = cell === null ? null : this.sentenceOf(cell);
    if (same) return sentence;
    this.looked = cell;
    this.tell(sentence);
    this.draw();
    return sentence;
  }

  private sentenceOf({ row, column }: Cell): string {
    const value = this.valueAt(row * this.matrix.size + column);
    const amount = value > 0 ? this.amount(value) : "nothing";
    const [sender, receiver] = [this.ranksOf(row), this.ranksOf(column)];
    const sends = /^(the )?ranks /.test(sender) ? "send" : "sends";
    const sentence = `${sender} ${sends} ${amount} to ${receiver}`;
    return sentence[0]!.toUpperCase() + sentence.slice(1);
  }

  private ranksOf(position: number): string {
    const first = position * this.matrix.ranksPerCell;
    const last = Math.min(first + this.matrix.ranksPerCell, this.data.ranks) - 1;
    if (this.order.axis === "rank") return span("rank", first, Math.max(first, last));
    return `the rank${first < last ? "s" : ""} at ${span("position", first, Math.max(first, last))} in the order of places`;
  }

  /** Cells rise, so halving finds one. */
  private valueAt(place: number): number {
    const { cells, values } = this.order;
    let [low, high] = [0, cells.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cells[middle]! < place) low = middle + 1;
      else high = middle;
    }
    return cells[low] === place ? values[low]! : 0;
  }
}
