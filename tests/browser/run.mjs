// Opens reports in a real browser and tries everything a reader can do.
//
//   node run.mjs [--update] [--only NAME] [report.html ...]
//
// Sample pages are made and tried first, then the given reports. `--update` rewrites the reference pictures.
// CHROMIUM names another browser than /usr/bin/chromium. Times are printed, never asserted.

import { chromium } from "playwright-core";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CHECKS } from "./checks.mjs";
import { checkSample } from "./sample_checks.mjs";
import { comparePictures } from "./pictures.mjs";
import { measure } from "./measure.mjs";
import { SAMPLES, writeSample } from "./sample.mjs";

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

const given = process.argv.slice(2);
const updating = given.includes("--update");
const onlyAt = given.indexOf("--only");
const only = onlyAt < 0 ? null : given[onlyAt + 1];
const reports = given.filter((argument, number) => !argument.startsWith("--") && (onlyAt < 0 || number !== onlyAt + 1));

const folder = mkdtempSync(join(tmpdir(), "topoloom-browser-"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
let failures = 0;

/** Reports that are tried at once: most of the time is spent waiting for frames. */
const AT_ONCE = 3;
/** What is tried on every report; the rest on the small sample and on the first report that is given. */
const ALWAYS = new Set(["the slider hides links", "a narrow window is not scrolled sideways", "everything has a name"]);

try {
  const tasks = [];
  for (const name of Object.keys(SAMPLES)) {
    if (only !== null && only !== name) continue;
    const path = join(folder, `${name}.html`);
    const made = writeSample(name, path);
    tasks.push(() =>
      tryReport(`sample ${name}`, path, name === "mesh", async (page, expect) => {
        await checkSample(page, made, expect);
        await comparePictures(browser, path, name, updating, expect);
      }),
    );
  }
  reports.forEach((path, number) => tasks.push(() => tryReport(basename(path), resolve(path), number === 0, null)));
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) await task();
  });
  await Promise.all(workers);
  // By itself, so that nothing else takes the processor.
  for (const path of reports) console.log(`${basename(path)}: ${await measure(browser, resolve(path))}`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? "all reports work" : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);

/** Checks on one report, all if it is tried thoroughly; `more` are those that know what is in it. */
async function tryReport(name, path, thoroughly, more) {
  const problems = [];
  const expect = (condition, message) => {
    if (!condition) problems.push(message);
  };
  const address = pathToFileURL(path).href;
  for (const [title, check] of Object.entries(CHECKS)) {
    if (!thoroughly && !ALWAYS.has(title)) continue;
    await withPage(address, expect, `${name}: ${title}`, (page) => check(page, expect));
  }
  if (more !== null) await withPage(address, expect, `${name}: its content`, (page) => more(page, expect));
  for (const problem of problems) console.error(`${name}: FAILED: ${problem}`);
  failures += problems.length;
  console.log(`${name}: ${problems.length === 0 ? "passed" : "failed"}`);
}

/** A fresh page, watched for errors and for requests; whatever a check throws is one of its problems. */
async function withPage(address, expect, title, action) {
  const context = await browser.newContext({ acceptDownloads: true, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") expect(false, `${title}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => expect(false, `${title}: ${error.message}`));
  page.on("request", (request) => {
    // What the page saves is made by itself.
    const own = request.url() === address || request.url().startsWith("blob:") || request.url().startsWith("data:");
    expect(own, `${title}: asks for ${request.url()}`);
  });
  try {
    await page.goto(address);
    await page.waitForFunction(() => performance.getEntriesByName("report-ready").length > 0, null, { timeout: 20_000 });
    await action(page);
  } catch (error) {
    expect(false, `${title}: ${error.message.split("\n")[0]}`);
  } finally {
    await context.close();
  }
}
