// Places on the colour scale by the logarithm of values, whose sizes differ widely.

/** Smaller values than so much of the largest get the first colour. */
const WIDEST = 1e-6;
/** The largest is at least so many times the begin of the scale. */
const NARROWEST = 10;

export class LogScale {
  private constructor(
    readonly least: number,
    readonly most: number,
  ) {}

  /** Over all values that are not 0. */
  static over(lists: Float32Array[]): LogScale {
    let [least, most] = [Infinity, 0];
    for (const values of lists) {
      for (const value of values) {
        if (value > 0 && value < least) least = value;
        if (value > most) most = value;
      }
    }
    // Values that hardly differ shall not look as if they did.
    if (least < most) least = Math.min(least, most / NARROWEST);
    return new LogScale(Math.max(Math.min(least, most), most * WIDEST), most);
  }

  /** 0 to 1; all values are much where they are the same. */
  position(value: number): number {
    if (value >= this.most || this.least === this.most) return 1;
    if (value <= this.least) return 0;
    return Math.log(value / this.least) / Math.log(this.most / this.least);
  }

  /** Values at even places of the scale. */
  ticks(): { position: number; value: number }[] {
    if (this.most === 0) return [];
    if (this.least === this.most) return [{ position: 1, value: this.most }];
    const steps = this.most / this.least < 4 ? 1 : 4;
    return Array.from({ length: steps + 1 }, (_, step) => ({
      position: step / steps,
      value: this.least * (this.most / this.least) ** (step / steps),
    }));
  }
}
