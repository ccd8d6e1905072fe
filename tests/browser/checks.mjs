// What must hold for every report, whatever is in it. Parts that a report does not have are passed over.

import { findOn, numbersIn, savedBy } from "./machine_page.mjs";

export const CHECKS = {
  "pointing at the matrix tells a value": async (page, expect) => {
    const canvas = page.locator("#matrix-view canvas").first();
    if ((await canvas.count()) === 0) return;
    const told = page.locator("#matrix-view .live");
    const found = await findOn(page, canvas, told, (text) => / sends? \d/.test(text));
    expect(found !== null, "no cell of the matrix tells that something is sent");
    await page.mouse.move(0, 0);
    await canvas.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    expect(/ sends? .* to /.test(await told.textContent()), "arrow keys tell no cell of the matrix");
  },

  "a click on a node shows partners": async (page, expect) => {
    const canvas = page.locator("#machine-view canvas").first();
    if ((await canvas.count()) === 0) return;
    const told = page.locator("#machine-view .live");
    const found = await findOn(page, canvas, told, (text) => /holds (rank|\d)/.test(text), 60);
    expect(found !== null, "no node is found on the machine");
    if (found === null) return;
    await page.mouse.click(found.x, found.y);
    const rank = await page.locator("#rank").inputValue();
    expect(/^\d+$/.test(rank), "a click on a node selects no rank");
    expect(numbersIn(found.text).includes(Number(rank)), `rank ${rank} is not at what was clicked: ${found.text}`);
    const shown = await page.locator("#machine-view .partners").textContent();
    expect(shown.includes(`Rank ${Number(rank).toLocaleString("en")}`), "the selected rank is not told");
    expect(/partner|exchanges nothing/.test(shown), "partners are not told");
    await page.keyboard.press("Escape");
    expect((await page.locator("#rank").inputValue()) === "", "Escape does not clear the rank");
    await page.getByRole("button", { name: "Next rank" }).click();
    expect((await page.locator("#rank").inputValue()) === "0", "Next does not select rank 0 first");
  },

  "the slider hides links": async (page, expect) => {
    const slider = page.locator("#least-load");
    if ((await slider.count()) === 0) return;
    const counts = page.locator("#machine-view .counts");
    const sum = async () => {
      const after = (await counts.textContent()).split(":").slice(1).join(":");
      return numbersIn(after.replace(/under [^,]*/g, "")).reduce((a, b) => a + b, 0);
    };
    const before = await sum();
    await slider.focus();
    await page.keyboard.press("End");
    const after = await sum();
    // All may be equally busy.
    expect(after <= before, `the slider leaves ${after} of ${before} links`);
    await page.keyboard.press("Home");
    expect((await sum()) === before, "the slider does not bring links back");
  },

  "turning and zooming change both machines alike": async (page, expect) => {
    const canvases = page.locator("#machine-view canvas");
    if ((await canvases.count()) === 0) return;
    const pictures = () => canvases.evaluateAll((all) => all.map((canvas) => canvas.toDataURL()));
    const settle = () => page.waitForTimeout(400);
    await canvases.first().scrollIntoViewIfNeeded();
    await settle();
    const first = await pictures();
    const box = await canvases.first().boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const scrolled = () => page.evaluate(() => scrollY);
    const before = await scrolled();
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -120);
    await settle();
    await page.mouse.move(0, 0);
    await settle();
    expect((await scrolled()) !== before || before === 0, "the wheel is held back before the machine was clicked");
    expect((await pictures()).every((picture, number) => picture === first[number]), "the wheel zooms before a click");
    await canvases.first().scrollIntoViewIfNeeded();
    const again = await canvases.first().boundingBox();
    await page.mouse.move(again.x + again.width / 3, again.y + again.height / 3);
    await page.keyboard.down("Control");
    for (let turn = 0; turn < 3; turn++) await page.mouse.wheel(0, -60);
    // On a busy machine the key would be up before the wheel has turned.
    await settle();
    await page.keyboard.up("Control");
    await page.mouse.move(0, 0);
    await settle();
    expect((await pictures()).every((picture, number) => picture !== first[number]), "the wheel with Ctrl does not zoom");
    await canvases.first().focus();
    await page.keyboard.press("0");
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowLeft");
    await settle();
    const moved = await pictures();
    expect(moved.every((picture, number) => picture !== first[number]), "keys do not move every machine");
    await page.getByRole("button", { name: "Reset view" }).click();
    await settle();
    expect((await pictures()).every((picture, number) => picture === first[number]), "reset does not show the first view");
    const place = await canvases.first().boundingBox();
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    await page.mouse.down();
    await page.mouse.move(place.x + place.width / 2 + 60, place.y + place.height / 2 + 25, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(0, 0);
    await settle();
    expect((await pictures()).every((picture, number) => picture !== first[number]), "dragging does not move every machine");
    expect((await page.locator("#rank").inputValue()) === "", "dragging selects a rank");
  },

  "tables are sorted by their headers": async (page, expect) => {
    const table = page.locator("table.sortable").first();
    if ((await table.count()) === 0) return;
    const button = table.locator("th button.sort").last();
    await button.focus();
    await page.keyboard.press("Enter");
    const column = await button.evaluate((element) => element.closest("th").cellIndex);
    const values = () =>
      table.evaluate(
        (element, at) => [...element.tBodies[0].rows].map((row) => Number(row.cells[at].dataset.value ?? NaN)),
        column,
      );
    const falling = (list) => list.every((value, number) => number === 0 || !(list[number - 1] < value));
    expect(falling(await values()), "the first click does not sort numbers with the largest first");
    expect((await button.locator("..").getAttribute("aria-sort")) === "descending", "the order is not told");
    await button.click();
    expect(falling((await values()).reverse()), "the second click does not turn the order around");
  },

  "everything can be saved": async (page, expect) => {
    const names = new Set();
    for (const button of await page.locator("button.csv:visible, button.download:visible").all()) {
      const { name, content } = await savedBy(page, button);
      expect(content.length > 0, `${name} is empty`);
      names.add(name);
      if (name.endsWith(".csv") && (await button.getAttribute("class")).includes("csv")) {
        expect(/\r\n$/.test(content), `${name} does not end its lines as RFC 4180 has them`);
      }
    }
    expect(names.size > 0 || (await page.locator("button.csv, button.download").count()) === 0, "nothing can be saved");
  },

  "dark mode changes colours": async (page, expect) => {
    const look = () =>
      page.evaluate(() => ({
        ground: getComputedStyle(document.body).backgroundColor,
        canvases: [...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
      }));
    const light = await look();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForTimeout(300);
    const dark = await look();
    expect(light.ground !== dark.ground, "the ground stays the same");
    dark.canvases.forEach((picture, number) => expect(picture !== light.canvases[number], `canvas ${number} stays the same`));
  },

  "a narrow window is not scrolled sideways": async (page, expect) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForTimeout(300);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width <= 390, `at 390 pixels the page is ${width} wide`);
  },

  "paper shows no controls": async (page, expect) => {
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.length > 5000, "the page prints as nothing");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const shown = await page
      .locator("button:visible:not(.sort):not(.link), select:visible:not(.choice), input:visible, body > nav:visible")
      .count();
    expect(shown === 0, `${shown} controls are printed`);
    const ground = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--paper").trim());
    expect(/^#f+$/i.test(ground), `paper is ${ground}`);
  },

  "everything has a name": async (page, expect) => {
    const nameless = await page.evaluate(() => {
      const named = (element) =>
        element.getAttribute("aria-label") ||
        (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).some((id) => document.getElementById(id)?.textContent) ||
        (element.labels && element.labels.length > 0) ||
        (element.tagName === "BUTTON" && element.textContent.trim() !== "");
      return [...document.querySelectorAll("canvas, svg, button, input, select, nav")]
        .filter((element) => !named(element) && element.getAttribute("aria-hidden") !== "true")
        .map((element) => element.outerHTML.slice(0, 100));
    });
    for (const each of nameless) expect(false, `has no name: ${each}`);
    const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
    const twice = ids.filter((id, number) => ids.indexOf(id) !== number);
    expect(twice.length === 0, `ids that are there twice: ${twice.join(", ")}`);
  },

  "texts can be read in both modes": async (page, expect) => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(200);
      for (const [text, ratio] of await page.evaluate(weakTexts)) {
        expect(false, `${colorScheme}: contrast of ${ratio.toFixed(2)} at "${text}"`);
      }
    }
  },
};

/** Runs in the page: texts whose contrast with what is behind them is below 4.5. */
function weakTexts() {
  const parse = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red, green, blue]) => {
    const part = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  };
  // A text of a picture may stand on a bar: the last one that was drawn below it counts.
  const barBelow = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const bars = [...element.closest("svg").querySelectorAll("rect:not(.paper)")].filter((bar) => {
      const box = bar.getBoundingClientRect();
      const before = bar.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
      return before && box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
    });
    const fills = bars.map((bar) => parse(getComputedStyle(bar).fill)).filter((fill) => fill.length >= 3);
    return fills.at(-1);
  };
  const groundOf = (element) => {
    if (element instanceof SVGElement) {
      const bar = barBelow(element);
      if (bar !== undefined) return bar;
    }
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join("");
    if (text === "" || element.closest("script, style, [hidden], title, desc, option") || element.disabled) continue;
    if (element.getClientRects().length === 0) continue;
    const style = getComputedStyle(element);
    const colour = parse(element instanceof SVGElement ? style.fill : style.color);
    const [one, other] = [luminance(colour), luminance(groundOf(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) weak.push([text.slice(0, 40), ratio]);
  }
  return weak;
}
