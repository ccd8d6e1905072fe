// Mouse, fingers and keys move the camera.

import { Gesture } from "@use-gesture/vanilla";
import type { Camera } from "./camera";

const TURN_A_PIXEL = 0.0085;
const TURN_A_KEY = Math.PI / 36;
const PAN_A_KEY = 0.06;
const ZOOM_A_KEY = 1.25;

export interface Moves {
  /** The camera moved. */
  moved: () => void;
  /** Something was clicked or tapped. */
  clicked: (event: { clientX: number; clientY: number }) => void;
}

/** A canvas takes the wheel and single fingers only while it has the focus, so that the page can be scrolled. */
export function connectGestures(canvas: HTMLCanvasElement, camera: Camera, { moved, clicked }: Moves): void {
  const smaller = (): number => Math.max(1, Math.min(canvas.clientWidth, canvas.clientHeight));
  const fromMiddle = (clientX: number, clientY: number): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [(clientX - box.left - box.width / 2) / smaller(), (clientY - box.top - box.height / 2) / smaller()];
  };
  const pinched = { scale: 1, x: 0, y: 0 };
  new Gesture(
    canvas,
    {
      onDrag: ({ delta: [x, dragged], shiftKey, pinching, cancel, event }) => {
        if (pinching) return cancel();
        // A finger that goes up or down is about to scroll the page.
        const scrolls = "pointerType" in event && event.pointerType === "touch" && document.activeElement !== canvas;
        const y = scrolls ? 0 : dragged;
        if (x === 0 && y === 0) return;
        if (camera.turns && !shiftKey) camera.turn(x * TURN_A_PIXEL, y * TURN_A_PIXEL);
        else camera.pan(x / smaller(), y / smaller());
        event.preventDefault();
        moved();
      },
      onPinch: ({ first, movement: [scale], origin: [x, y], event }) => {
        const wheel = event instanceof WheelEvent;
        if (!first) {
          const [fromX, fromY] = fromMiddle(x, y);
          camera.zoomBy(scale / pinched.scale, fromX, fromY);
          if (!wheel) camera.pan((x - pinched.x) / smaller(), (y - pinched.y) / smaller());
          moved();
        }
        Object.assign(pinched, { scale: first && !wheel ? 1 : scale, x, y });
      },
      onWheel: ({ event, pinching }) => {
        if (pinching || event.ctrlKey || document.activeElement !== canvas) return;
        const pixels = event.deltaMode === 1 ? 16 * event.deltaY : event.deltaY;
        const [x, y] = fromMiddle(event.clientX, event.clientY);
        // At the end of the zoom the page scrolls on.
        if (!camera.zoomBy(Math.exp(-0.0016 * pixels), x, y)) return;
        event.preventDefault();
        moved();
      },
    },
    {
      eventOptions: { passive: false },
      drag: { filterTaps: true, pointer: { keys: false } },
      pinch: { scaleBounds: { min: 0.01, max: 100 } },
    },
  );
  // Comes only where nothing was dragged: `filterTaps` stops the others.
  canvas.addEventListener("click", (event) => {
    canvas.focus({ preventScroll: true });
    clicked(event);
  });
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    moved();
  });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !pressKey(event, camera)) return;
    event.preventDefault();
    moved();
  });
}

/** Whether the key means something here. */
function pressKey({ key, shiftKey }: KeyboardEvent, camera: Camera): boolean {
  const directions: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const direction = directions[key];
  if (direction !== undefined) step(camera, direction[0], direction[1], shiftKey);
  else if (key === "+" || key === "=") camera.zoomBy(ZOOM_A_KEY);
  else if (key === "-") camera.zoomBy(1 / ZOOM_A_KEY);
  else if (key === "0") camera.reset();
  else return false;
  return true;
}

/** One step of a key or a button: turns where the machine turns, else moves. */
export function step(camera: Camera, x: number, y: number, panning: boolean): void {
  if (camera.turns && !panning) camera.turn(x * TURN_A_KEY, y * TURN_A_KEY);
  else camera.pan(x * PAN_A_KEY, y * PAN_A_KEY);
}

export function zoomStep(camera: Camera, closer: boolean): void {
  camera.zoomBy(closer ? ZOOM_A_KEY : 1 / ZOOM_A_KEY);
}
