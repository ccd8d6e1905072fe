// The machine under one placement: a canvas with links and points, and marks over them.

import type { Loads, ReportData, MachineData } from "../data";
import { css, scaleColour, theme } from "../colours";
import { make } from "../elements";
import { grouped, plural, type WriteAmount } from "../numbers";
import type { Selection } from "../selection";
import { Projection, type Camera } from "./camera";
import { Painter, STUB_LENGTH } from "./painter";
import { thingAt, type Thing } from "./pick";
import { Raster } from "./raster";

/** More pixels than these a side of a pixel of the page cost more than they show. */
const MOST_RATIO = 2;
const ROW_FONT = "12px system-ui, sans-serif";
const FONT = "600 13px system-ui, sans-serif";

export class MachinePanel {
  readonly canvas: HTMLCanvasElement;
  readonly painter: Painter;
  private readonly projection: Projection;
  private raster: Raster | null = null;
  private ratio = 1;

  constructor(
    private readonly data: ReportData,
    private readonly machine: MachineData,
    readonly placement: number,
    private readonly camera: Camera,
    private readonly selection: Selection,
    most: number,
    mostTraffic: number,
    amount: WriteAmount,
  ) {
    const loads: Loads = machine.loads[placement]!;
    const beyond = machine.around.some((around) => around === 1) ? STUB_LENGTH : 0;
    this.projection = Projection.of(machine.points, machine.turns, beyond);
    this.painter = new Painter(machine, this.projection, loads, most, mostTraffic);
    this.painter.setTheme(theme());
    const moves = machine.turns ? "turn it" : "move it";
    this.canvas = make("canvas", {
      class: "machine",
      tabindex: "0",
      role: "application",
      "aria-label":
        `The machine under ${data.placements[placement]!}: ${plural(machine.names.length, "point")}, ` +
        `${plural(machine.edges.length / 2, "link")}, the busiest carries ${amount(loads.most)}. ` +
        `Arrow keys ${moves}, plus and minus zoom, 0 resets; choose a rank below to see its partners.`,
    });
  }

  /** How wide the first view is for its height. */
  get aspect(): number {
    return this.projection.viewWidth / this.projection.viewHeight;
  }

  /** Takes the size that the page gives it. False while it has none. */
  resize(): boolean {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return false;
    this.ratio = Math.min(Math.max(1, devicePixelRatio), MOST_RATIO);
    const width = Math.round(clientWidth * this.ratio);
    const height = Math.round(clientHeight * this.ratio);
    if (this.raster?.width !== width || this.raster.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.raster = new Raster(width, height);
    }
    return true;
  }

  /** Draws links and points anew, and everything over them. */
  paint(quick: boolean, looked: Thing | null): void {
    if (this.raster === null && !this.resize()) return;
    this.projection.update(this.camera, this.raster!.width, this.raster!.height);
    this.painter.paint(this.raster!, this.ratio, quick);
    this.paintMarks(looked);
  }

  /** Only what is over links and points: the selected rank, its partners, and what is pointed at. */
  paintMarks(looked: Thing | null): void {
    const context = this.canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    if (context === null || this.raster === null) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.putImageData(this.raster.image, 0, 0);
    this.paintRows(context);
    if (this.selection.rank !== null) this.paintPartners(context, this.selection.rank);
    if (looked !== null) this.paintLooked(context, looked);
  }

  thingUnder(event: { clientX: number; clientY: number }): Thing | null {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) * this.ratio, (event.clientY - box.top) * this.ratio];
    return thingAt(this.machine, this.projection, this.painter, x, y, this.ratio);
  }

  private paintPartners(context: CanvasRenderingContext2D, rank: number): void {
    const { partners, pointsOfRanks } = this.data;
    const points = pointsOfRanks?.[this.placement];
    if (points === undefined) return;
    const { x, y } = this.projection;
    const colours = theme();
    // The rest steps back.
    context.fillStyle = css(colours.paper);
    context.globalAlpha = colours.dark ? 0.55 : 0.65;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.globalAlpha = 1;
    const own = points[rank]!;
    const { from, to, heaviest } = this.selection.partners();
    context.lineCap = "round";
    // The heaviest last, over the others.
    for (let index = to - 1; index >= from && partners !== null; index--) {
      const partner = points[partners.rank[index]!]!;
      const part = heaviest > 0 ? partners.weight[index]! / heaviest : 0;
      context.strokeStyle = context.fillStyle = css(scaleColour(colours.scale, part));
      context.lineWidth = (1.5 + 2 * part) * this.ratio;
      context.beginPath();
      context.moveTo(x[own]!, y[own]!);
      // Points of flat machines often stand in rows, where straight lines would hide each other.
      const bow = this.machine.turns ? 0 : 0.3 * Math.abs(x[partner]! - x[own]!);
      context.quadraticCurveTo((x[own]! + x[partner]!) / 2, (y[own]! + y[partner]!) / 2 - bow, x[partner]!, y[partner]!);
      context.stroke();
      this.paintDisc(context, partner, 1.2);
    }
    context.fillStyle = css(colours.mark);
    this.paintDisc(context, own, 1.5);
    this.paintLabel(context, own, `rank ${grouped(rank)}`);
  }

  /** What the rows of a machine in rows are called, at the left of the panel. */
  private paintRows(context: CanvasRenderingContext2D): void {
    const { ratio } = this;
    const colours = theme();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = ROW_FONT;
    context.textBaseline = "bottom";
    for (const { name, point } of this.machine.rows) {
      const y = this.projection.y[point]! / ratio - 8;
      const width = context.measureText(name).width + 6;
      context.fillStyle = css(colours.paper);
      context.globalAlpha = 0.8;
      context.fillRect(2, y - 14, width, 15);
      context.globalAlpha = 1;
      context.fillStyle = css(colours.soft);
      context.fillText(name, 5, y);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  private paintDisc(context: CanvasRenderingContext2D, point: number, size: number): void {
    const { x, y } = this.projection;
    context.beginPath();
    context.arc(x[point]!, y[point]!, Math.max(3 * this.ratio, size * this.painter.radiusOf(point, this.ratio)), 0, 7);
    context.fill();
  }

  private paintLabel(context: CanvasRenderingContext2D, point: number, text: string): void {
    const colours = theme();
    const { ratio } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    const width = context.measureText(text).width + 10;
    const room = this.canvas.width / ratio;
    const left = Math.min(Math.max(this.projection.x[point]! / ratio + 10, 2), room - width - 2);
    // Below the point where lines to partners bow upwards.
    const above = this.machine.turns ? -30 : 9;
    const top = Math.min(Math.max(this.projection.y[point]! / ratio + above, 2), this.canvas.height / ratio - 22);
    context.fillStyle = css(colours.paper);
    context.globalAlpha = 0.85;
    context.fillRect(left, top, width, 20);
    context.globalAlpha = 1;
    context.fillStyle = css(colours.mark);
    context.textBaseline = "middle";
    context.fillText(text, left + 5, top + 11);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  private paintLooked(context: CanvasRenderingContext2D, looked: Thing): void {
    const { x, y } = this.projection;
    context.strokeStyle = css(theme().mark);
    context.lineWidth = 2 * this.ratio;
    context.beginPath();
    if (looked.kind === "point") {
      const radius = this.painter.radiusOf(looked.point, this.ratio) + 3 * this.ratio;
      context.arc(x[looked.point]!, y[looked.point]!, radius, 0, 7);
    } else {
      const [a, b] = [this.machine.edges[2 * looked.edge]!, this.machine.edges[2 * looked.edge + 1]!];
      const stub = this.painter.stubPart(looked.edge);
      const [stubX, stubY] = [(x[a]! - x[b]!) * stub, (y[a]! - y[b]!) * stub];
      context.moveTo(x[a]!, y[a]!);
      if (stub === 0) context.lineTo(this.painter.middleX(looked.edge), this.painter.middleY(looked.edge));
      context.lineTo(stub === 0 ? x[b]! : x[a]! + stubX, stub === 0 ? y[b]! : y[a]! + stubY);
      if (stub !== 0) {
        context.moveTo(x[b]!, y[b]!);
        context.lineTo(x[b]! - stubX, y[b]! - stubY);
      }
    }
    context.stroke();
  }
}
