// Builds dist/ from src/. The output is bundled but not minified, so that diffs of dist/ can be read and
// what is served can be audited; two builds have the same bytes. All addresses in it are relative.
//   node build.mjs [FOLDER]    writes to FOLDER instead of dist/
import { build } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist');

const entries = { main: 'src/main.tsx', style: 'src/style.css' };

await rm(out, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: entries,
  outdir: out,
  entryNames: 'a/[name].[hash]',
  chunkNames: 'a/[name].[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'inline',
  charset: 'utf8',
  metafile: true,
  logLevel: 'warning',
});

// The names of the two entries, with their hashes.
const built = {};
for (const [path, { entryPoint }] of Object.entries(metafile.outputs))
  for (const [name, source] of Object.entries(entries))
    if (entryPoint === source) built[name] = `a/${basename(path)}`;

const page = await readFile(join(here, 'src/index.html'), 'utf8');
await mkdir(out, { recursive: true });
await writeFile(join(out, 'index.html'), page.replace(/\{(\w+)\}/g, (_, name) => built[name]));
console.log(`built ${relative(process.cwd(), out) || '.'}`);
