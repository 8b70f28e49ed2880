// A part of the console that is a file of its own, and why it may not come: the network is away, or the gateway has a
// newer version, whose files have other names.
import { useEffect, useState } from 'preact/hooks';
import { call, offline } from '../api';
import { words } from '../words';
import { Icon } from './icon';
import { Loading } from './state';

export type Missing = 'offline' | 'updated';

export interface Lazy<T> {
  file: T | null;
  missing: Missing | null;
  retry: () => void;
}

// useLazy: the file that `load` imports. It is asked for again when the gateway is back.
export function useLazy<T>(load: (() => Promise<T>) | null): Lazy<T> {
  const [found, setFound] = useState<{ load: unknown; file: T | null; missing: Missing | null }>();
  const [tries, setTries] = useState(0);
  const now = found?.load === load ? found : null;
  const back = now?.missing === 'offline' && !offline.value;

  useEffect(() => {
    if (!load) return;
    let wanted = true;
    const set = (file: T | null, missing: Missing | null) => wanted && setFound({ load, file, missing });
    load().then(
      (file) => set(file, null),
      async () => set(null, await why()),
    );
    return () => {
      wanted = false;
    };
  }, [load, tries]);
  useEffect(() => {
    if (back) setTries(tries + 1);
  }, [offline.value]);
  return { file: now?.file ?? null, missing: now?.missing ?? null, retry: () => setTries(tries + 1) };
}

// why: a gateway that answers, and does not have the file, is another one than the page was of.
function why(): Promise<Missing> {
  return call('/livez').then(
    () => 'updated',
    () => 'offline',
  );
}

// NotYet: what stands in the place of a part that has not come.
export function NotYet({ missing, retry }: Pick<Lazy<unknown>, 'missing' | 'retry'>) {
  if (!missing) return <Loading />;
  const updated = missing === 'updated';
  return (
    <div class={updated ? 'notice' : 'notice bad'} role="alert">
      <Icon name="warn" />
      <div>
        <strong>{updated ? words.state.updated : words.state.offline}</strong>
        {updated && <p>{words.state.updatedText}</p>}
        <button type="button" class={updated ? 'primary' : ''} onClick={updated ? () => location.reload() : retry}>
          {updated ? words.state.reload : words.state.retry}
        </button>
      </div>
    </div>
  );
}
