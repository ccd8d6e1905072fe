// Draws links and points from back to front into pixels. Nothing is allocated while the machine turns.

import type { Loads, MachineData } from "../data";
import { mixed, packed, scaleColour, SHADES, type Theme } from "../colours";
import type { Projection } from "./camera";
import type { Raster } from "./raster";

const SLICES = 32;
/** How much of the ground shows through what is farthest away. */
const FAINTEST = 0.5;
/** A link along an axis that is longer than this would run through points between, so that it bends. */
const STRAIGHT_LENGTH = 1.5;
/** How far it bends, as a part of its length on the screen, and of the distance of neighbours at most. */
const BEND = 0.1;
const MOST_BEND = 0.4;
/** In how many straight pieces an arc is drawn. */
const ARC_PIECES = 10;
/** How long a stub is, in the layout, where points are about 1 apart. */
export const STUB_LENGTH = 0.42;

/** The busier direction of each edge. */
export function busierOf({ forward, backward }: Loads): Float32Array {
  return forward.map((load, edge) => Math.max(load, backward[edge]!));
}

export class Painter {
  readonly busier: Float32Array;
  /** What part of its whole edge a stub is; 0 for edges that do not go around. */
  private readonly stubParts: Float32Array;
  /** The busiest link of each node that is a cell, as a shade. */
  private readonly cellShades: Uint8Array;
  private readonly bends: Uint8Array;
  private readonly shadeOf: Uint8Array;
  private readonly traffic: Float32Array;
  private readonly colours = new Uint32Array((SHADES + 1) * SLICES);
  private readonly pointColours = new Uint32Array((SHADES + 1) * SLICES);
  private readonly order: Uint32Array;
  private readonly sliceOf: Uint8Array;
  private readonly sliceStart = new Uint32Array(SLICES + 1);
  private ground = 0;
  /** Links that carry less are not drawn. */
  private least = 0;

  /** `most` is the end of the scale; `mostTraffic` that of the points. */
  constructor(
    private readonly machine: MachineData,
    private readonly projection: Projection,
    loads: Loads,
    private readonly most: number,
    mostTraffic: number,
  ) {
    const edges = machine.edges.length / 2;
    this.busier = busierOf(loads);
    this.traffic = loads.traffic.map((traffic) => (mostTraffic > 0 ? traffic / mostTraffic : 0));
    this.shadeOf = Uint8Array.from(this.busier, (load) =>
      load > 0 ? 1 + Math.round(this.part(load) * (SHADES - 1)) : 0,
    );
    this.stubParts = new Float32Array(edges);
    this.bends = new Uint8Array(edges);
    for (let edge = 0; edge < edges; edge++) {
      if (machine.turns && this.isLongAlongAnAxis(edge)) this.bends[edge] = 1;
      if (machine.around[edge] === 1) this.stubParts[edge] = STUB_LENGTH / Math.max(1, this.lengthOf(edge));
    }
    this.cellShades = new Uint8Array(machine.cells ? machine.holding : 0);
    for (let edge = 0; edge < edges; edge++) {
      if (!this.isInCell(edge)) continue;
      const node = Math.min(...this.endsOf(edge));
      this.cellShades[node] = Math.max(this.cellShades[node]!, this.shadeOf[edge]!);
    }
    this.order = new Uint32Array(edges + machine.names.length);
    this.sliceOf = new Uint8Array(edges + machine.names.length);
  }

  /** How much of its whole length a stub is; 0 for edges that do not go around. */
  stubPart(edge: number): number {
    return this.stubParts[edge]!;
  }

  /** Where an edge that bends has its corner; the middle of one that is straight. */
  middleX(edge: number): number {
    const { x, y } = this.projection;
    const [a, b] = this.endsOf(edge);
    const bend = this.machine.bends[edge]!;
    if (bend !== 0) return (x[a]! + x[b]!) / 2 + (this.isAlongRow(a, b) ? 0 : bend * this.projection.spacing);
    return (x[a]! + x[b]!) / 2 + this.asideOf(edge) * (y[b]! - y[a]!);
  }

  middleY(edge: number): number {
    const { x, y } = this.projection;
    const [a, b] = this.endsOf(edge);
    const bend = this.machine.bends[edge]!;
    if (bend !== 0) return (y[a]! + y[b]!) / 2 - (this.isAlongRow(a, b) ? bend * this.projection.spacing : 0);
    return (y[a]! + y[b]!) / 2 - this.asideOf(edge) * (x[b]! - x[a]!);
  }

  private isAlongRow(a: number, b: number): boolean {
    const { x, y } = this.projection;
    return Math.abs(y[a]! - y[b]!) < Math.abs(x[a]! - x[b]!);
  }

  /** Whether a link is shown by the colour of its node. */
  private isInCell(edge: number): boolean {
    const { cells, edges, holding } = this.machine;
    return cells && Math.min(edges[2 * edge]!, edges[2 * edge + 1]!) < holding;
  }

  private endsOf(edge: number): [number, number] {
    const { edges } = this.machine;
    return [edges[2 * edge]!, edges[2 * edge + 1]!];
  }

  /** How far the corner is from the middle, as a part of the length. */
  private asideOf(edge: number): number {
    if (this.bends[edge] === 0) return 0;
    const { x, y } = this.projection;
    const [a, b] = this.endsOf(edge);
    const along = Math.hypot(x[b]! - x[a]!, y[b]! - y[a]!);
    return along > 0 ? Math.min(BEND, (MOST_BEND * this.projection.spacing) / along) : 0;
  }

  hideBelow(least: number): void {
    this.least = least;
  }

  shows(edge: number): boolean {
    return this.busier[edge]! >= this.least;
  }

  /** Whether a line is drawn for an edge. */
  isDrawn(edge: number): boolean {
    return this.shows(edge) && !this.isInCell(edge);
  }

  countShown(): number {
    let count = 0;
    for (let edge = 0; edge < this.busier.length; edge++) if (this.shows(edge)) count++;
    return count;
  }

  /** Colours faded by depth, prepared once a theme. */
  setTheme(theme: Theme): void {
    this.ground = packed(theme.paper);
    for (let slice = 0; slice < SLICES; slice++) {
      const fading = this.machine.turns ? FAINTEST * (1 - slice / (SLICES - 1)) : 0;
      for (let shade = 0; shade <= SHADES; shade++) {
        const part = (shade - 1) / (SHADES - 1);
        const link = shade === 0 ? theme.unused : scaleColour(theme.scale, part);
        // Points are grey, so that they are not taken for loads.
        const point = mixed(theme.paper, theme.ink, 0.35 + 0.5 * Math.max(0, part));
        this.colours[slice * (SHADES + 1) + shade] = packed(mixed(link, theme.paper, fading));
        this.pointColours[slice * (SHADES + 1) + shade] = packed(mixed(point, theme.paper, fading));
      }
    }
  }

  /** Draws everything; `quick` leaves out soft edges and thickness. `ratio` is pixels of the screen a pixel. */
  paint(raster: Raster, ratio: number, quick: boolean): void {
    raster.clear(this.ground);
    this.sortIntoSlices();
    const edges = this.busier.length;
    const { order, sliceOf } = this;
    const thin = clamp(this.projection.spacing * 0.045, 0.8 * ratio, 2.6 * ratio);
    const items = this.sliceStart[SLICES]!;
    for (let index = 0; index < items; index++) {
      const item = order[index]!;
      const slice = sliceOf[item]!;
      if (item < edges) this.paintEdge(raster, item, slice, thin, quick);
      else this.paintPoint(raster, item - edges, slice, ratio, quick);
    }
  }

  /** Half the size that a point is drawn with. */
  radiusOf(point: number, ratio: number): number {
    if (this.machine.cells && point < this.machine.holding) return Math.max(0.42 * this.projection.spacing, 0.6 * ratio);
    // A flat machine has room: its points do not hide each other.
    const least = this.machine.turns ? 1.1 : 2.6;
    const size = clamp(this.projection.spacing * 0.08, least * ratio, 7 * ratio) * this.projection.closeness[point]!;
    if (point >= this.machine.holding) return 1.1 * size;
    return size * (0.55 + 0.75 * Math.sqrt(this.traffic[point]!));
  }

  private paintEdge(raster: Raster, edge: number, slice: number, thin: number, quick: boolean): void {
    const { x, y } = this.projection;
    const { edges } = this.machine;
    const a = edges[2 * edge]!;
    const b = edges[2 * edge + 1]!;
    const shade = this.shadeOf[edge]!;
    const part = shade === 0 ? 0 : (shade - 1) / (SHADES - 1);
    const colour = this.colours[slice * (SHADES + 1) + shade]!;
    // Busy links stand out from the many that carry little.
    const strength = shade === 0 ? 120 : 196 + 60 * part;
    const thickness = shade === 0 ? 0.7 * thin : thin * (0.9 + 1.5 * part);
    const stub = this.stubParts[edge]!;
    if (this.machine.bends[edge] !== 0) {
      this.paintArc(raster, edge, quick ? 0 : thickness, colour, strength);
      return;
    }
    if (this.bends[edge] === 1 && stub === 0) {
      const middleX = this.middleX(edge);
      const middleY = this.middleY(edge);
      if (quick) {
        raster.quickLine(x[a]!, y[a]!, middleX, middleY, colour, strength);
        raster.quickLine(middleX, middleY, x[b]!, y[b]!, colour, strength);
      } else {
        raster.line(x[a]!, y[a]!, middleX, middleY, thickness, colour, strength);
        raster.line(middleX, middleY, x[b]!, y[b]!, thickness, colour, strength);
      }
      return;
    }
    if (stub === 0) {
      if (quick) raster.quickLine(x[a]!, y[a]!, x[b]!, y[b]!, colour, strength);
      else raster.line(x[a]!, y[a]!, x[b]!, y[b]!, thickness, colour, strength);
      return;
    }
    const stubX = (x[a]! - x[b]!) * stub;
    const stubY = (y[a]! - y[b]!) * stub;
    if (quick) {
      raster.quickLine(x[a]!, y[a]!, x[a]! + stubX, y[a]! + stubY, colour, strength);
      raster.quickLine(x[b]!, y[b]!, x[b]! - stubX, y[b]! - stubY, colour, strength);
    } else {
      raster.line(x[a]!, y[a]!, x[a]! + stubX, y[a]! + stubY, thickness, colour, strength);
      raster.line(x[b]!, y[b]!, x[b]! - stubX, y[b]! - stubY, thickness, colour, strength);
    }
  }

  /** A curve through its middle; without thickness, it is drawn quickly. */
  private paintArc(raster: Raster, edge: number, thickness: number, colour: number, strength: number): void {
    const { x, y } = this.projection;
    const [a, b] = this.endsOf(edge);
    // A curve comes half as near as the point that it bends to.
    const towardsX = 2 * this.middleX(edge) - (x[a]! + x[b]!) / 2;
    const towardsY = 2 * this.middleY(edge) - (y[a]! + y[b]!) / 2;
    let [lastX, lastY] = [x[a]!, y[a]!];
    for (let piece = 1; piece <= ARC_PIECES; piece++) {
      const part = piece / ARC_PIECES;
      const [first, second, third] = [(1 - part) * (1 - part), 2 * part * (1 - part), part * part];
      const nextX = first * x[a]! + second * towardsX + third * x[b]!;
      const nextY = first * y[a]! + second * towardsY + third * y[b]!;
      if (thickness === 0) raster.quickLine(lastX, lastY, nextX, nextY, colour, strength);
      else raster.line(lastX, lastY, nextX, nextY, thickness, colour, strength);
      [lastX, lastY] = [nextX, nextY];
    }
  }

  private paintPoint(raster: Raster, point: number, slice: number, ratio: number, quick: boolean): void {
    const radius = this.radiusOf(point, ratio);
    const x = this.projection.x[point]!;
    const y = this.projection.y[point]!;
    if (point >= this.machine.holding) {
      raster.square(x, y, radius, this.pointColours[slice * (SHADES + 1) + SHADES / 2]!, 256);
      return;
    }
    if (this.machine.cells) {
      const shade = this.cellShades[point]!;
      raster.square(x, y, radius, this.colours[slice * (SHADES + 1) + shade]!, 256);
      return;
    }
    const shade = 1 + Math.round(this.traffic[point]! * (SHADES - 1));
    const colour = this.pointColours[slice * (SHADES + 1) + shade]!;
    // A small disc that moves looks like a square.
    if (quick && radius < 4 * ratio) raster.square(x, y, 0.85 * radius, colour, 256);
    else raster.disc(x, y, radius, colour, 256);
  }

  /** Back to front in slices; where nothing turns, the busiest links last, and points over all. */
  private sortIntoSlices(): void {
    const { order, sliceOf, sliceStart } = this;
    const { edges, turns } = this.machine;
    const { nearness } = this.projection;
    const edgeCount = this.busier.length;
    sliceStart.fill(0);
    for (let edge = 0; edge < edgeCount; edge++) {
      if (!this.isDrawn(edge)) continue;
      // By the farther end, so that both points are drawn over the link.
      const depth = turns
        ? Math.min(nearness[edges[2 * edge]!]!, nearness[edges[2 * edge + 1]!]!)
        : (this.shadeOf[edge]! / SHADES) * 0.9;
      const slice = sliceAt(depth);
      sliceOf[edge] = slice;
      sliceStart[slice + 1]!++;
    }
    for (let point = 0; point < nearness.length; point++) {
      const slice = sliceAt(turns ? nearness[point]! : 1);
      sliceOf[edgeCount + point] = slice;
      sliceStart[slice + 1]!++;
    }
    for (let slice = 0; slice < SLICES; slice++) sliceStart[slice + 1]! += sliceStart[slice]!;
    for (let edge = 0; edge < edgeCount; edge++) {
      if (this.isDrawn(edge)) order[sliceStart[sliceOf[edge]!]!++] = edge;
    }
    for (let point = 0; point < nearness.length; point++) {
      order[sliceStart[sliceOf[edgeCount + point]!]!++] = edgeCount + point;
    }
  }

  private part(load: number): number {
    return this.most > 0 ? Math.min(load / this.most, 1) : 0;
  }

  private isLongAlongAnAxis(edge: number): boolean {
    const { edges, points } = this.machine;
    const [a, b] = [3 * edges[2 * edge]!, 3 * edges[2 * edge + 1]!];
    const differing = [0, 1, 2].filter((axis) => Math.abs(points[a + axis]! - points[b + axis]!) > 1e-3).length;
    return differing === 1 && this.lengthOf(edge) > STRAIGHT_LENGTH;
  }

  private lengthOf(edge: number): number {
    const { edges, points } = this.machine;
    const [a, b] = [3 * edges[2 * edge]!, 3 * edges[2 * edge + 1]!];
    return Math.hypot(points[a]! - points[b]!, points[a + 1]! - points[b + 1]!, points[a + 2]! - points[b + 2]!);
  }
}

function sliceAt(depth: number): number {
  return clamp(Math.floor(depth * SLICES), 0, SLICES - 1);
}

function clamp(value: number, least: number, most: number): number {
  return value < least ? least : value > most ? most : value;
}
