// What is wrong now, with a way to each thing; and what the answer cache has done.
import { get } from '../api';
import { bytes as size, number, percent } from '../parts/format';
import { Icon } from '../parts/icon';
import { useLoad } from '../parts/load';
import { Time } from '../parts/time';
import { href } from '../router';
import { fill, words } from '../words';
import type { Alert, Overview } from './overview';

export function Alerts({ turn }: { turn: number }) {
  const { data } = useLoad((signal) => get<Overview>('/v1/admin/overview', { signal }), [turn]);
  return (
    <>
      {data && data.alerts.length > 0 && <List of={data.alerts} />}
      {data?.cache && <Cache of={data.cache} />}
    </>
  );
}

// Cache: nothing, where no call has asked for it.
function Cache({ of: { hits, misses, bytes } }: { of: Overview['cache'] }) {
  if (hits + misses === 0) return null;
  return (
    <p class="fine">
      {fill(words.overview.cache, {
        share: percent(hits / (hits + misses)),
        n: number(hits + misses),
        size: size(bytes),
      })}
    </p>
  );
}

function List({ of }: { of: Alert[] }) {
  return (
    <ul class="alerts" aria-label={words.alerts.title}>
      {of.map((one) => (
        <li key={`${one.type} ${one.subject}`} class="notice bad">
          <Icon name="warn" />
          <p>
            <a href={placeOf(one)}>{words.alerts.types[one.type] ?? one.type}</a>: {one.text}{' '}
            <span class="fine">
              <Time at={one.at} />
            </span>
          </p>
        </li>
      ))}
    </ul>
  );
}

function placeOf({ type, subject }: Alert): string {
  if (type.startsWith('provider')) return href('models', null, { show: 'providers' });
  if (subject?.startsWith('grp_')) return href('groups');
  return href(type.startsWith('budget') ? 'keys' : 'settings');
}
