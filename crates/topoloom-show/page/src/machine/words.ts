// What is told about a point or a link.

import type { MachineData, ReportData } from "../data";
import { grouped, plural, type WriteAmount } from "../numbers";
import type { RanksOfPoints } from "../selection";
import type { Thing } from "./pick";

const MOST_RANKS_NAMED = 6;

/** Under one placement, beside the pointer. */
export function shortWords(thing: Thing, machine: MachineData, placement: number, ranks: RanksOfPoints | null, amount: WriteAmount): string {
  return `${nameOf(thing, machine)}\n${underPlacement(thing, machine, placement, ranks, amount)}`;
}

/** Under the placements that are shown, below the panels. */
export function longWords(
  thing: Thing,
  data: ReportData,
  machine: MachineData,
  shown: { placement: number; ranks: RanksOfPoints | null }[],
  amount: WriteAmount,
): string {
  const each = shown.map(({ placement, ranks }) => {
    return `${data.placements[placement]!}: ${underPlacement(thing, machine, placement, ranks, amount).replace(/\n/g, ", ")}`;
  });
  return `${nameOf(thing, machine)} – ${each.join("; ")}`;
}

function nameOf(thing: Thing, machine: MachineData): string {
  if (thing.kind === "point") return capital(machine.names[thing.point]!);
  const [a, b] = endsOf(thing.edge, machine);
  return machine.boundaries ? `Boundary of ${a}` : `Link between ${a} and ${b}`;
}

function underPlacement(thing: Thing, machine: MachineData, placement: number, ranks: RanksOfPoints | null, amount: WriteAmount): string {
  const loads = machine.loads[placement]!;
  if (thing.kind === "edge") {
    const [forward, backward] = [loads.forward[thing.edge]!, loads.backward[thing.edge]!];
    if (machine.boundaries) return `${amount(forward)} go out and ${amount(backward)} come in`;
    if (forward === 0 && backward === 0) return "carries nothing";
    return `carries ${amount(forward)} there and ${amount(backward)} back`;
  }
  if (thing.point >= machine.holding) return "holds no ranks";
  const traffic = amount(loads.traffic[thing.point]!);
  const exchanges = `exchanges ${traffic} with others`;
  return ranks === null ? exchanges : `holds ${ranksInWords(ranks.at(thing.point))}\n${exchanges}`;
}

function ranksInWords(ranks: Uint32Array): string {
  if (ranks.length === 0) return "no ranks";
  if (ranks.length === 1) return `rank ${grouped(ranks[0]!)}`;
  const named = [...ranks.subarray(0, MOST_RANKS_NAMED)].map(grouped).join(", ");
  const more = ranks.length - MOST_RANKS_NAMED;
  return `${plural(ranks.length, "rank")}: ${named}${more > 0 ? ` and ${grouped(more)} more` : ""}`;
}

function endsOf(edge: number, { edges, names }: MachineData): [string, string] {
  return [names[edges[2 * edge]!]!, names[edges[2 * edge + 1]!]!];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
