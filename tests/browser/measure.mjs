// Numbers that are worth knowing and depend on the computer: printed, never asserted.

import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";

const FRAMES = 120;

export async function measure(browser, path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(pathToFileURL(path).href);
    const ready = await page.evaluate(() => performance.getEntriesByName("report-ready")[0]?.startTime ?? NaN);
    const frames = await page.evaluate(turn, FRAMES);
    const size = (statSync(path).size / 1e3).toFixed(0);
    const turning = frames === null ? "nothing to turn" : `${frames.toFixed(0)} frames a second while turning`;
    return `${size} kB, ready after ${ready.toFixed(0)} ms, ${turning}`;
  } finally {
    await context.close();
  }
}

/** Runs in the page: turns by a key at each frame and gives frames a second. */
async function turn(frames) {
  const canvas = document.querySelector("canvas.machine");
  if (canvas === null) return null;
  canvas.scrollIntoView();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const press = (number) =>
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: number % 40 < 20 ? "ArrowRight" : "ArrowUp", bubbles: true }));
  await frame();
  const start = performance.now();
  for (let number = 0; number < frames; number++) {
    press(number);
    await frame();
  }
  return (1000 * frames) / (performance.now() - start);
}
