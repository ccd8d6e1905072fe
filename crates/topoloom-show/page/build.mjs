// Bundles the script and the style of the page into `dist`, and collects the licences of what is inside.
// `--verify` writes nothing and fails where `dist` is not what the sources give.

import { build } from "esbuild";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const MOST_BYTES_OF_SCRIPT = 150_000;

const result = await build({
  absWorkingDir: here,
  entryPoints: { report: "src/main.ts", style: "src/report.css" },
  entryNames: "[name]",
  outdir: "dist",
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  sourcemap: false,
  legalComments: "none",
  format: "iife",
  target: ["es2020"],
  charset: "utf8",
  define: { "process.env.NODE_ENV": '"production"' },
});

const built = new Map();
for (const file of result.outputFiles) {
  const name = relative(join(here, "dist"), file.path).replace("style.css", "report.css");
  built.set(name, file.text.trim() + "\n");
}
built.set("licences.txt", licences(packagesOf(result.metafile)));

const script = built.get("report.js");
const style = built.get("report.css");
// Both are put between tags of the page, which these words would end.
if (/<\/script|<!--/i.test(script)) fail("report.js holds words that end a script");
if (/<\/style/i.test(style)) fail("report.css holds words that end a style");
if (script.length > MOST_BYTES_OF_SCRIPT) fail(`report.js has ${script.length} bytes`);

const verifying = process.argv.includes("--verify");
mkdirSync(join(here, "dist"), { recursive: true });
for (const [name, text] of built) {
  const path = join(here, "dist", name);
  if (!verifying) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
    fail(`dist/${name} is not what the sources give; run npm run build`);
  }
  console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
}

/** Folders of the packages whose code is in the bundle. */
function packagesOf(metafile) {
  const folders = new Set();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (found && bytesInOutput > 0) folders.add(found[1]);
    }
  }
  return [...folders].sort();
}

/** Names, versions and licence texts of packages. */
function licences(folders) {
  const parts = folders.map((folder) => {
    const about = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
    const file = readdirSync(join(here, folder)).find((name) => /^licen[cs]e/i.test(name));
    if (!file) fail(`${about.name} has no file with its licence`);
    const text = readFileSync(join(here, folder, file), "utf8").replace(/\r\n/g, "\n").trim();
    return `${about.name} ${about.version} (${about.license})\n\n${text}\n`;
  });
  const start = "The script of this report holds code of these packages.\n";
  return [start, ...parts].join(`\n${"-".repeat(78)}\n\n`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
