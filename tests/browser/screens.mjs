// A page of pictures: every help text as a terminal of 100 columns shows it, and reports as they open.
//
//   node screens.mjs FOLDER [report.html ...]
//
// The help texts are those of docs/commands.md, which a test compares with the program. The page is FOLDER/index.html: for people
// who read everything at once before a release.

import { chromium } from "playwright-core";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...reports] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node screens.mjs FOLDER [report.html ...]");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });

const escape = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
const pageOfCommands = readFileSync(new URL("../../docs/commands.md", import.meta.url), "utf8");
const commands = [...pageOfCommands.matchAll(/^## (.*)\n\n```text\n([^]*?)\n```/gm)].map(([, name, help]) => ({
  name,
  help,
  file: `${name.replaceAll(" ", "-")}.png`,
}));
if (commands.length === 0) throw new Error("docs/commands.md has no help texts");
const terminals = commands
  .map(({ name, help }, number) => `<pre id="c${number}"><b>$ ${escape(name)} --help</b>\n${escape(help)}</pre>`)
  .join("\n");
const style = `pre { font: 14px/1.3 "DejaVu Sans Mono", monospace; width: 100ch; padding: 1ch 2ch; margin: 8px;
  background: #16181d; color: #d8dee9; display: block; } b { color: #8fbcbb; }`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
const figures = [];
let tooWide = 0;
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${style}</style>${terminals}`);
  for (const [number, { name, help, file }] of commands.entries()) {
    const terminal = page.locator(`#c${number}`);
    if (help.split("\n").some((line) => [...line].length > 100)) {
      console.error(`the help of '${name}' is wider than 100 columns`);
      tooWide += 1;
    }
    await terminal.screenshot({ path: join(folder, file) });
    figures.push([`${name} --help`, file]);
  }
  for (const report of reports) {
    const file = `${basename(report, ".html")}.png`;
    await page.goto(pathToFileURL(resolve(report)).href);
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(folder, file), fullPage: true });
    figures.push([basename(report), file]);
  }
} finally {
  await browser.close();
}
const shown = figures.map(([title, file]) => `<h2>${escape(title)}</h2><img src="${file}" alt="${escape(title)}">`);
writeFileSync(
  join(folder, "index.html"),
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Topoloom in pictures</title>
<style>body { font-family: sans-serif; margin: 2em; } img { max-width: 100%; }</style>
<h1>Topoloom in pictures</h1>\n${shown.join("\n")}\n`,
);
console.log(`${figures.length} pictures in ${join(folder, "index.html")}`);
process.exitCode = tooWide > 0 ? 1 : 0;
