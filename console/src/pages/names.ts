// The names of keys and groups, for pages that know them by their ids. What has no name stays without one: keys of the
// configuration file, groups that were deleted, and keys beyond the pages that are read for them.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, query, type List } from '../api';
import { readGroups } from './groups_list';

type Names = ReadonlyMap<string, string>;

const PAGE = 100;
const PAGES = 10;

async function namesOfKeys(wanted: string[], signal: AbortSignal): Promise<[string, string][]> {
  const found = new Map<string, string>();
  let after: string | undefined;
  for (let n = 0; n < PAGES && wanted.some((id) => !found.has(id)); n++) {
    const page = await get<List<{ id: string; name: string | null }>>(`/v1/admin/keys${query({ limit: PAGE, after })}`, { signal });
    for (const { id, name } of page.data) found.set(id, name ?? '');
    if (!page.has_more || !page.last_id) break;
    after = page.last_id;
  }
  return [...found];
}

async function read(wanted: string[], signal: AbortSignal): Promise<[string, string][]> {
  const keys = wanted.filter((id) => id.startsWith('key_'));
  const groups = wanted.filter((id) => id.startsWith('grp_'));
  const found = await Promise.all([
    keys.length > 0 ? namesOfKeys(keys, signal) : [],
    groups.length > 0 ? readGroups(signal).then((all) => all.map(({ id, name }): [string, string] => [id, name])) : [],
  ]);
  return found.flat();
}

// useNames: of these ids, once they are known; each is looked for once.
export function useNames(ids: (string | null)[]): Names {
  const [names, setNames] = useState<Names>(new Map());
  const looked = useRef(new Set<string>());
  const wanted = [...new Set(ids)].filter((id): id is string => /^(key|grp)_/.test(id ?? ''));
  useEffect(() => {
    const fresh = wanted.filter((id) => !looked.current.has(id));
    if (fresh.length === 0) return;
    const abort = new AbortController();
    read(fresh, abort.signal).then(
      (found) => {
        for (const id of [...fresh, ...found.map(([id]) => id)]) looked.current.add(id);
        setNames((old) => new Map([...old, ...found]));
      },
      () => {}, // the ids are there
    );
    return () => abort.abort();
  }, [wanted.join()]);
  return names;
}
