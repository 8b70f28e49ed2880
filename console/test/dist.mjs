// Two builds have the same bytes, and dist/ is one of them. Ends with 1 and names the files otherwise.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = join(dirname(fileURLToPath(import.meta.url)), '..');

function contents(folder) {
  const names = ['index.html', ...readdirSync(join(folder, 'a')).map((name) => `a/${name}`)];
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function differences(one, other) {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name)).sort();
}

const folder = mkdtempSync(join(tmpdir(), 'parley-dist-'));
const [first, second] = ['first', 'second'].map((name) => {
  execFileSync(process.execPath, [join(home, 'build.mjs'), join(folder, name)], { stdio: ['ignore', 'ignore', 'inherit'] });
  return contents(join(folder, name));
});
rmSync(folder, { recursive: true });

const unsteady = differences(first, second);
const stale = differences(first, contents(join(home, 'dist')));
if (unsteady.length) console.error(`two builds differ: ${unsteady.join(', ')}`);
if (stale.length) console.error(`console/dist is not what the sources give (npm run build): ${stale.join(', ')}`);
process.exit(unsteady.length || stale.length ? 1 : 0);
