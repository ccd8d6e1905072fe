// What is under the pointer. Every point and link is looked at: some thousand are done in less time than an index
// of them could be built after each turn.

import type { MachineData } from "../data";
import type { Projection } from "./camera";
import type { Painter } from "./painter";

export type Thing = { kind: "point"; point: number } | { kind: "edge"; edge: number };

export function sameThing(one: Thing | null, other: Thing | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.kind === "point") return other.kind === "point" && one.point === other.point;
  return other.kind === "edge" && one.edge === other.edge;
}

/** The nearest point within reach, the front one of several; else the nearest link that is shown. */
export function thingAt(
  machine: MachineData,
  projection: Projection,
  painter: Painter,
  atX: number,
  atY: number,
  ratio: number,
): Thing | null {
  const point = pointAt(projection, painter, atX, atY, ratio);
  if (point !== null) return { kind: "point", point };
  const edge = edgeAt(machine, projection, painter, atX, atY, 5 * ratio);
  return edge === null ? null : { kind: "edge", edge };
}

function pointAt({ x, y, nearness }: Projection, painter: Painter, atX: number, atY: number, ratio: number): number | null {
  let found: number | null = null;
  let best = -Infinity;
  for (let point = 0; point < x.length; point++) {
    const reach = painter.radiusOf(point, ratio) + 3 * ratio;
    const distance = Math.hypot(x[point]! - atX, y[point]! - atY);
    if (distance > reach) continue;
    const score = nearness[point]! - distance / reach;
    if (score > best) [best, found] = [score, point];
  }
  return found;
}

function edgeAt(
  { edges }: MachineData,
  { x, y, nearness }: Projection,
  painter: Painter,
  atX: number,
  atY: number,
  reach: number,
): number | null {
  let found: number | null = null;
  let best = -Infinity;
  const consider = (edge: number, distance: number, depth: number): void => {
    const score = depth - distance / reach;
    if (distance <= reach && score > best) [best, found] = [score, edge];
  };
  for (let edge = 0; edge < edges.length / 2; edge++) {
    if (!painter.isDrawn(edge)) continue;
    const [a, b] = [edges[2 * edge]!, edges[2 * edge + 1]!];
    const [ax, ay, bx, by] = [x[a]!, y[a]!, x[b]!, y[b]!];
    const stub = painter.stubPart(edge);
    if (stub === 0) {
      const [middleX, middleY] = [painter.middleX(edge), painter.middleY(edge)];
      const depth = 0.5 * (nearness[a]! + nearness[b]!);
      consider(edge, distanceTo(atX, atY, ax, ay, middleX, middleY), depth);
      consider(edge, distanceTo(atX, atY, middleX, middleY, bx, by), depth);
    } else {
      const [stubX, stubY] = [(ax - bx) * stub, (ay - by) * stub];
      consider(edge, distanceTo(atX, atY, ax, ay, ax + stubX, ay + stubY), nearness[a]!);
      consider(edge, distanceTo(atX, atY, bx, by, bx - stubX, by - stubY), nearness[b]!);
    }
  }
  return found;
}

/** From a point to a piece of a line. */
function distanceTo(x: number, y: number, fromX: number, fromY: number, toX: number, toY: number): number {
  const [alongX, alongY] = [toX - fromX, toY - fromY];
  const square = alongX * alongX + alongY * alongY;
  const part = square === 0 ? 0 : ((x - fromX) * alongX + (y - fromY) * alongY) / square;
  const within = Math.min(Math.max(part, 0), 1);
  return Math.hypot(x - fromX - within * alongX, y - fromY - within * alongY);
}
