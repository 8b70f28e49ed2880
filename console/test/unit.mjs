// Bundles the unit tests and runs them with Node's test runner: node test/unit.mjs
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'parley-console-'));
await build({
  entryPoints: readdirSync(join(here, 'unit')).filter((name) => name.endsWith('.test.ts')).map((name) => join(here, 'unit', name)),
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  external: ['node:*'],
  logLevel: 'warning',
});
const files = readdirSync(out).map((name) => join(out, name));
const { status } = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
rmSync(out, { recursive: true });
process.exit(status ?? 1);
