// Finding things on the canvases of a page, as a reader does: by moving the pointer.

/** Moves over a canvas in steps until what is told fits; gives the place, or null. */
export async function findOn(page, canvas, told, fits, steps = 24) {
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  for (let row = 1; row < steps; row++) {
    for (let column = 1; column < steps; column++) {
      // Rows are shifted against each other, so that no grid of points is missed as a whole.
      const x = box.x + (box.width * (column + (row % 4) / 4)) / (steps + 1);
      const y = box.y + (box.height * row) / steps;
      await page.mouse.move(x, y);
      const text = (await told.textContent()) ?? "";
      if (fits(text)) return { x, y, text };
    }
  }
  return null;
}

/** The number that follows a word in a text, without separators. */
export function numbersIn(text) {
  return (text.match(/\d[\d,]*/g) ?? []).map((number) => Number(number.replace(/,/g, "")));
}

/** Clicks and gives what was saved. */
export async function savedBy(page, button) {
  const { readFileSync } = await import("node:fs");
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path(), "utf8") };
}
