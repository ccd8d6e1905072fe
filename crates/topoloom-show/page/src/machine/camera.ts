// From where the machine is looked at, and where its points are then on the screen.

const FIRST_YAW = -0.6;
const FIRST_PITCH = 0.42;
const STEEPEST = Math.PI / 2;
const LEAST_ZOOM = 0.5;
const MOST_ZOOM = 40;
/** The eye is so many half diagonals away: near enough to see depth, far enough to keep lines parallel. */
const EYE_DISTANCE = 3.6;
/** A flat machine that is longer than this is stretched, so that its levels can be told apart. */
const LONGEST = 2.6;

/** One for all panels, so that they turn together. */
export class Camera {
  yaw = 0;
  pitch = 0;
  zoom = 1;
  /** In widths of the smaller side of a panel. */
  panX = 0;
  panY = 0;

  constructor(readonly turns: boolean) {
    this.reset();
  }

  reset(): void {
    this.yaw = this.turns ? FIRST_YAW : 0;
    this.pitch = this.turns ? FIRST_PITCH : 0;
    this.zoom = 1;
    this.panX = 0;
    this.panY = 0;
  }

  turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.min(Math.max(this.pitch + pitch, -STEEPEST), STEEPEST);
  }

  pan(x: number, y: number): void {
    // What is looked at can always be found again.
    const limit = this.zoom;
    this.panX = Math.min(Math.max(this.panX + x, -limit), limit);
    this.panY = Math.min(Math.max(this.panY + y, -limit), limit);
  }

  /** Zooms so that what is at (x, y) from the middle stays there. False where there is no more to zoom. */
  zoomBy(factor: number, x = 0, y = 0): boolean {
    const zoom = Math.min(Math.max(this.zoom * factor, LEAST_ZOOM), MOST_ZOOM);
    const ratio = zoom / this.zoom;
    if (ratio === 1) return false;
    this.zoom = zoom;
    this.pan(x - (x - this.panX) * ratio - this.panX, y - (y - this.panY) * ratio - this.panY);
    return true;
  }
}

/** Points of a machine, moved to its middle, and scaled to fit a panel in the first view. */
export class Projection {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** 0 at the back to 1 at the front. */
  readonly nearness: Float32Array;
  /** How much nearer points are drawn larger. */
  readonly closeness: Float32Array;
  /** Pixels that are 1 of the layout in the middle of the machine. */
  spacing = 1;

  private constructor(
    private readonly turns: boolean,
    private readonly centred: Float32Array,
    private readonly halfDiagonal: number,
    /** Width and height of the first view, in units of the layout. */
    readonly viewWidth: number,
    readonly viewHeight: number,
    private readonly offsetX: number,
    private readonly offsetY: number,
  ) {
    const count = centred.length / 3;
    this.x = new Float32Array(count);
    this.y = new Float32Array(count);
    this.nearness = new Float32Array(count);
    this.closeness = new Float32Array(count);
  }

  /** `beyond` is how far lines reach beyond the outermost points. */
  static of(points: Float32Array, turns: boolean, beyond: number): Projection {
    const lowest = [Infinity, Infinity, Infinity];
    const highest = [-Infinity, -Infinity, -Infinity];
    for (let index = 0; index < points.length; index++) {
      lowest[index % 3] = Math.min(lowest[index % 3]!, points[index]!);
      highest[index % 3] = Math.max(highest[index % 3]!, points[index]!);
    }
    const size = lowest.map((low, axis) => (points.length === 0 ? 0 : highest[axis]! - low));
    const stretched = !turns && size[1]! > 0 ? Math.max(1, size[0]! / LONGEST / size[1]!) : 1;
    const centred = points.map((value, index) => {
      const moved = value - (lowest[index % 3]! + highest[index % 3]!) / 2;
      return index % 3 === 1 ? moved * stretched : moved;
    });
    size[1] = size[1]! * stretched;
    const halfDiagonal = Math.max(0.5, Math.hypot(size[0]!, size[1]!, size[2]!) / 2);
    // Seen once as in the first view, to know how large that is.
    const trial = new Projection(turns, centred, halfDiagonal, 1, 1, 0, 0);
    trial.apply(new Camera(turns), 0, 0, 1);
    const [left, right] = extremes(trial.x);
    const [top, bottom] = extremes(trial.y);
    const [width, height] = [Math.max(1, right - left + 2 * beyond), Math.max(1, bottom - top + 2 * beyond)];
    return new Projection(turns, centred, halfDiagonal, width, height, (left + right) / 2, (top + bottom) / 2);
  }

  /** Where every point is on a panel, in its pixels. Allocates nothing. */
  update(camera: Camera, width: number, height: number): void {
    const fit = Math.min((0.88 * width) / this.viewWidth, (0.88 * height) / this.viewHeight);
    const smaller = Math.min(width, height);
    const pixels = fit * camera.zoom;
    this.apply(
      camera,
      width / 2 + camera.panX * smaller - this.offsetX * pixels,
      height / 2 + camera.panY * smaller - this.offsetY * pixels,
      pixels,
    );
  }

  private apply(camera: Camera, middleX: number, middleY: number, pixels: number): void {
    const { centred, x, y, nearness, closeness, turns, halfDiagonal } = this;
    const [sinYaw, cosYaw] = [Math.sin(camera.yaw), Math.cos(camera.yaw)];
    const [sinPitch, cosPitch] = [Math.sin(camera.pitch), Math.cos(camera.pitch)];
    const eye = EYE_DISTANCE * halfDiagonal;
    this.spacing = pixels;
    for (let point = 0, at = 0; point < x.length; point++, at += 3) {
      const turnedX = cosYaw * centred[at]! + sinYaw * centred[at + 2]!;
      const turnedZ = cosYaw * centred[at + 2]! - sinYaw * centred[at]!;
      const raised = cosPitch * centred[at + 1]! - sinPitch * turnedZ;
      const depth = cosPitch * turnedZ + sinPitch * centred[at + 1]!;
      const closer = turns ? eye / (eye - depth) : 1;
      x[point] = middleX + turnedX * closer * pixels;
      y[point] = middleY - raised * closer * pixels;
      closeness[point] = closer;
      nearness[point] = turns ? 0.5 + (0.5 * depth) / halfDiagonal : 1;
    }
  }
}

function extremes(values: Float32Array): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return values.length === 0 ? [0, 0] : [least, most];
}
