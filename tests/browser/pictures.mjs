// Loose comparison with committed pictures: small grey blocks, so that fonts and rounding do not matter.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "references");
const COLUMNS = 32;
const ROWS = 24;
/** Mean difference of blocks, of 255. */
const TOLERANCE = 6;

const VIEWS = [
  { part: "#machine-view .panels", width: 1280, colorScheme: "light" },
  { part: "#machine-view .panels", width: 1280, colorScheme: "dark" },
  { part: "#matrix-view .panels", width: 1280, colorScheme: "light" },
  { part: "#machine-view .panels", width: 390, colorScheme: "light" },
];

export async function comparePictures(browser, path, name, updating, expect) {
  for (const { part, width, colorScheme } of VIEWS) {
    const title = `${name}-${part.slice(1).split("-")[0]}-${width}-${colorScheme}`;
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    try {
      const page = await context.newPage();
      await page.goto(pathToFileURL(path).href);
      await page.waitForTimeout(400);
      const picture = await page.locator(part).screenshot();
      const blocks = await blocksOf(context, picture);
      const file = join(folder, `${title}.json`);
      if (updating) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(file, `${JSON.stringify(blocks)}\n`);
        continue;
      }
      if (!existsSync(file)) {
        expect(false, `${title} has no reference; run with --update`);
        continue;
      }
      const reference = JSON.parse(readFileSync(file, "utf8"));
      const difference = blocks.reduce((sum, value, at) => sum + Math.abs(value - reference[at]), 0) / blocks.length;
      expect(difference < TOLERANCE, `${title} differs by ${difference.toFixed(1)} of 255 from its reference`);
    } finally {
      await context.close();
    }
  }
}

/** Grey values of blocks of a PNG, made by the browser, which can read it. */
async function blocksOf(context, picture) {
  const page = await context.newPage();
  const address = `data:image/png;base64,${picture.toString("base64")}`;
  const blocks = await page.evaluate(
    async ([source, columns, rows]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const sums = new Array(columns * rows).fill(0);
      const counts = new Array(columns * rows).fill(0);
      for (let y = 0; y < image.height; y++) {
        for (let x = 0; x < image.width; x++) {
          const at = 4 * (y * image.width + x);
          const block = Math.floor((y * rows) / image.height) * columns + Math.floor((x * columns) / image.width);
          sums[block] += 0.3 * data[at] + 0.59 * data[at + 1] + 0.11 * data[at + 2];
          counts[block]++;
        }
      }
      return sums.map((sum, block) => Math.round(sum / Math.max(1, counts[block])));
    },
    [address, COLUMNS, ROWS],
  );
  await page.close();
  return blocks;
}
