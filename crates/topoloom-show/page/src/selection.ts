// Which rank is looked at; everything that shows it listens here.

import type { ReportData } from "./data";

export class Selection {
  private selected: number | null = null;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly data: ReportData) {}

  get rank(): number | null {
    return this.selected;
  }

  select(rank: number | null): void {
    const valid = rank !== null && Number.isInteger(rank) && rank >= 0 && rank < this.data.ranks ? rank : null;
    if (valid === this.selected) return;
    this.selected = valid;
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Partners of the selected rank that are listed, as places in `partners.rank`. */
  partners(): { from: number; to: number; heaviest: number } {
    const { partners } = this.data;
    if (this.selected === null || partners === null) return { from: 0, to: 0, heaviest: 0 };
    const [from, to] = [partners.start[this.selected]!, partners.start[this.selected + 1]!];
    return { from, to, heaviest: from < to ? partners.weight[from]! : 0 };
  }
}

/** Ranks at each point under one placement. */
export class RanksOfPoints {
  private readonly start: Uint32Array;
  private readonly ranks: Uint32Array;

  constructor(pointOfRank: Uint32Array, points: number) {
    this.start = new Uint32Array(points + 1);
    this.ranks = new Uint32Array(pointOfRank.length);
    for (const point of pointOfRank) this.start[point + 1]!++;
    for (let point = 0; point < points; point++) this.start[point + 1]! += this.start[point]!;
    const next = this.start.slice();
    pointOfRank.forEach((point, rank) => (this.ranks[next[point]!++] = rank));
  }

  /** Rising. */
  at(point: number): Uint32Array {
    return this.ranks.subarray(this.start[point]!, this.start[point + 1]!);
  }
}
