// Builds dist/ from src/. The output is bundled, but has its names and short lines, so that diffs of dist/ can be read and
// what is served can be audited; two builds have the same bytes. All addresses in it are relative.
//   node build.mjs [FOLDER]    writes to FOLDER instead of dist/
import { build, transform } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist');

const entries = { main: 'src/main.tsx', style: 'src/style.css' };

// What packages bring and the console has no use for. Comments are a third of their bytes (licences stay; the code
// itself is printed as it is). Of marked, the lexer alone is used: the classes that make HTML stand behind it.
const withoutRest = {
  name: 'without-rest',
  setup(to) {
    to.onLoad({ filter: /node_modules.*\.m?js$/ }, async ({ path }) => {
      const isMarked = path.endsWith('marked.esm.js'); // it comes with short names, and lexerOf() looks for its form
      const { code } = await transform(await readFile(path, 'utf8'), {
        minifyWhitespace: true,
        minifySyntax: !isMarked,
        minifyIdentifiers: !isMarked,
        legalComments: 'inline',
      });
      return { contents: isMarked ? lexerOf(code) : code };
    });
  },
};

function lexerOf(code) {
  const [lexer, tokenizer, renderer] = ['Lexer', 'Tokenizer', 'Renderer'].map((name) => code.match(`([\\w$]+) as ${name}\\b`)?.[1]);
  const end = code.indexOf(`var ${renderer}=class`);
  if (end < code.indexOf(`var ${lexer}=class`)) throw new Error('marked has another shape: look at lexerOf()');
  return `${code.slice(0, end)}export{${lexer} as Lexer,${tokenizer} as Tokenizer};`;
}

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
  jsxSideEffects: true, // no note at each element that it may be left out
  minifySyntax: true, // shorter forms of the same
  minifyWhitespace: true, // a twelfth of what is served; names stay, and lines are short enough to compare
  lineLimit: 240,
  legalComments: 'inline',
  charset: 'utf8',
  plugins: [withoutRest],
  metafile: true,
  logLevel: 'warning',
});

// The names of the two entries, with their hashes; and the files that the first one imports, which the browser so asks for
// together with it, not after it.
const built = {};
for (const [path, { entryPoint }] of Object.entries(metafile.outputs))
  for (const [name, source] of Object.entries(entries))
    if (entryPoint === source) built[name] = `a/${basename(path)}`;

const together = new Set();
const gather = (path) =>
  metafile.outputs[path].imports.forEach((one) => {
    if (one.kind !== 'import-statement' || together.has(one.path)) return;
    together.add(one.path);
    gather(one.path);
  });
gather(Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === entries.main));
built.together = [...together].map((path) => `<link rel="modulepreload" href="a/${basename(path)}">`).join('\n');

const page = await readFile(join(here, 'src/index.html'), 'utf8');
await mkdir(out, { recursive: true });
await writeFile(join(out, 'index.html'), page.replace(/\{(\w+)\}/g, (_, name) => built[name]));
console.log(`built ${relative(process.cwd(), out) || '.'}`);
