// Lines and discs drawn into pixels by hand: for ten thousands of short lines several times faster than a canvas
// without a graphics card, and the same on every computer.

export class Raster {
  readonly image: ImageData;
  private readonly pixels: Uint32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  clear(colour: number): void {
    this.pixels.fill(colour);
  }

  /** A line with soft edges; `strength` is 0 to 256, `colour` packed as in an image. */
  line(fromX: number, fromY: number, toX: number, toY: number, thickness: number, colour: number, strength: number): void {
    if (Math.abs(toX - fromX) >= Math.abs(toY - fromY)) {
      this.walk(fromX, fromY, toX, toY, thickness, colour, strength, this.width, this.height, 1, this.width);
    } else {
      this.walk(fromY, fromX, toY, toX, thickness, colour, strength, this.height, this.width, this.width, 1);
    }
  }

  /** Along the longer direction pixel by pixel, filling the span that the line covers across it. */
  private walk(
    startAlong: number,
    startAcross: number,
    endAlong: number,
    endAcross: number,
    thickness: number,
    colour: number,
    strength: number,
    limitAlong: number,
    limitAcross: number,
    strideAlong: number,
    strideAcross: number,
  ): void {
    const rising = startAlong <= endAlong;
    const from = rising ? startAlong : endAlong;
    const to = rising ? endAlong : startAlong;
    const fromAcross = rising ? startAcross : endAcross;
    const toAcross = rising ? endAcross : startAcross;
    const length = to - from;
    if (!(length > 0)) return;
    const slope = (toAcross - fromAcross) / length;
    // A slanted line covers more across than it is thick.
    const half = 0.5 * thickness * Math.sqrt(1 + slope * slope);
    const first = Math.max(0, Math.round(from));
    const last = Math.min(limitAlong, Math.max(Math.round(to), Math.round(from) + 1));
    let middle = fromAcross + (first + 0.5 - from) * slope;
    for (let along = first; along < last; along++, middle += slope) {
      const low = middle - half;
      const high = middle + half;
      if (high <= 0 || low >= limitAcross) continue;
      const lowPixel = Math.floor(low);
      const highPixel = Math.floor(high);
      const base = along * strideAlong;
      if (lowPixel === highPixel) {
        this.blend(base + lowPixel * strideAcross, colour, strength * (high - low));
        continue;
      }
      if (lowPixel >= 0) this.blend(base + lowPixel * strideAcross, colour, strength * (lowPixel + 1 - low));
      const end = highPixel < limitAcross ? highPixel : limitAcross;
      for (let across = lowPixel < -1 ? 0 : lowPixel + 1; across < end; across++) {
        this.blend(base + across * strideAcross, colour, strength);
      }
      if (highPixel < limitAcross) this.blend(base + highPixel * strideAcross, colour, strength * (high - highPixel));
    }
  }

  /** The same in single pixels without soft edges, for pictures that move. */
  quickLine(fromX: number, fromY: number, toX: number, toY: number, colour: number, strength: number): void {
    const { width, height } = this;
    const acrossX = toX - fromX;
    const acrossY = toY - fromY;
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(acrossX), Math.abs(acrossY))));
    const stepX = acrossX / steps;
    const stepY = acrossY / steps;
    // Of lines that leave the picture only the part inside is walked along.
    partInside(fromX, stepX, width, fromY, stepY, height, steps);
    const first = part[0];
    const last = part[1];
    let x = fromX + first * stepX;
    let y = fromY + first * stepY;
    for (let step = first; step < last; step++, x += stepX, y += stepY) {
      if (x >= 0 && y >= 0 && x < width && y < height) this.blend((y | 0) * width + (x | 0), colour, strength);
    }
  }

  /** A filled circle with a soft edge. */
  disc(x: number, y: number, radius: number, colour: number, strength: number): void {
    const top = Math.max(0, Math.floor(y - radius - 0.5));
    const bottom = Math.min(this.height, Math.ceil(y + radius + 0.5));
    const left = Math.max(0, Math.floor(x - radius - 0.5));
    const right = Math.min(this.width, Math.ceil(x + radius + 0.5));
    for (let row = top; row < bottom; row++) {
      const below = row + 0.5 - y;
      for (let column = left; column < right; column++) {
        const beside = column + 0.5 - x;
        const inside = radius + 0.5 - Math.sqrt(beside * beside + below * below);
        if (inside > 0) this.blend(row * this.width + column, colour, inside < 1 ? strength * inside : strength);
      }
    }
  }

  /** A filled square. */
  square(x: number, y: number, half: number, colour: number, strength: number): void {
    const top = Math.max(0, Math.round(y - half));
    const bottom = Math.min(this.height, Math.round(y + half));
    const left = Math.max(0, Math.round(x - half));
    const right = Math.min(this.width, Math.round(x + half));
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) this.blend(row * this.width + column, colour, strength);
    }
  }

  /** Two channels at a time; what one carries over into the other is masked away. */
  private blend(place: number, colour: number, strength: number): void {
    const share = strength | 0;
    const before = this.pixels[place]!;
    const redAndBlue = before & 0xff00ff;
    const green = before & 0x00ff00;
    const mixedRedAndBlue = (redAndBlue + (Math.imul((colour & 0xff00ff) - redAndBlue, share) >> 8)) & 0xff00ff;
    const mixedGreen = (green + (Math.imul((colour & 0x00ff00) - green, share) >> 8)) & 0x00ff00;
    this.pixels[place] = 0xff000000 | mixedRedAndBlue | mixedGreen;
  }
}

const part: [number, number] = [0, 0];

/** Sets `part` to the steps of a line that lie inside a picture; a new array each time would cost more. */
function partInside(
  x: number,
  stepX: number,
  width: number,
  y: number,
  stepY: number,
  height: number,
  steps: number,
): void {
  let first = 0;
  let last = steps;
  if (stepX > 0) {
    first = Math.max(first, Math.floor(-x / stepX));
    last = Math.min(last, Math.ceil((width - x) / stepX));
  } else if (stepX < 0) {
    first = Math.max(first, Math.floor((width - x) / stepX));
    last = Math.min(last, Math.ceil(-x / stepX));
  }
  if (stepY > 0) {
    first = Math.max(first, Math.floor(-y / stepY));
    last = Math.min(last, Math.ceil((height - y) / stepY));
  } else if (stepY < 0) {
    first = Math.max(first, Math.floor((height - y) / stepY));
    last = Math.min(last, Math.ceil(-y / stepY));
  }
  part[0] = first;
  part[1] = last;
}
