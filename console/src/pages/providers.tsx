// The providers: how each is doing, a test with one small call, and the models that it lists by itself.
import { useState } from 'preact/hooks';
import { get } from '../api';
import { useAction } from '../parts/action';
import { announce } from '../parts/announce';
import { Copy } from '../parts/copy';
import { Dialog } from '../parts/dialog';
import { duration } from '../parts/format';
import { HealthStrip, useHealth } from '../parts/health';
import { useLoad } from '../parts/load';
import { Empty, Refused, State } from '../parts/state';
import { Table } from '../parts/table';
import { Time } from '../parts/time';
import { fill, words } from '../words';
import { HealthBadge } from '../parts/health_badge';
import type { Auth, Provider } from './overview';

interface Tested {
  model: string;
  ok: boolean;
  duration_ms: number;
  first_token_ms: number | null;
  text: string | null;
  error: { code: string; message: string; http_status: number | null } | null;
}

interface Listed {
  id: string;
  configured: boolean;
  yaml: string;
}

// keysOf: an entry's rows in the list of providers: one for each key.
const keysOf = <Row extends { name: string }>(rows: Row[], name: string) =>
  rows.filter((row) => row.name === name || row.name.startsWith(`${name}#`));

const at = (name: string, what: string) => `/v1/admin/providers/${encodeURIComponent(name)}/${what}`;

export function Providers({ of }: { of: Provider[] }) {
  const [listing, setListing] = useState<Provider | null>(null);
  const health = useHealth();
  return (
    <>
      <Table
        caption={words.models.providers}
        rows={of}
        id={(provider) => provider.name}
        columns={[
          { title: words.models.name, cell: (provider) => <Name of={provider} /> },
          {
            title: words.models.healthTitle,
            cell: (provider) => (
              <div class="stack">
                <span>
                  <HealthBadge of={provider.health} />
                </span>
                {health.data &&
                  keysOf(health.data.data, provider.name).map((one) => (
                    <div key={one.name}>
                      {one.name !== provider.name && <span class="fine">{one.name}</span>}
                      <HealthStrip of={one.history} from={health.data!.from} to={health.data!.to} />
                    </div>
                  ))}
              </div>
            ),
          },
          {
            title: words.models.address,
            cell: (provider) => <Address of={provider} />,
          },
          {
            title: words.models.key,
            cell: (provider) => (provider.auth ? <Fetched of={provider.auth} /> : words.settings.secretStates[provider.key]),
          },
          {
            title: words.providers.actions,
            bare: true,
            cell: (provider) => (
              <Actions
                of={provider}
                keys={keysOf(health.data?.data ?? [], provider.name).map((one) => one.name)}
                onList={() => setListing(provider)}
              />
            ),
          },
        ]}
      />
      {listing && <Models of={listing} onClose={() => setListing(null)} />}
    </>
  );
}

// Name: with the dialect, and the place in the configuration.
function Name({ of: { name, dialect, place } }: { of: Provider }) {
  return (
    <>
      <span dir="auto">{name}</span>
      <p class="fine">
        <code title={words.models.dialect}>{dialect}</code>
        {place && (
          <>
            {' · '}
            <code title={words.settings.place}>{place}</code>
          </>
        )}
      </p>
    </>
  );
}

function Address({ of: { base_url: url, headers } }: { of: Provider }) {
  return (
    <div class="address">
      {url ? <code>{url}</code> : words.models.builtIn}
      {headers.length > 0 && (
        <p class="fine">
          {words.models.headers}: {headers.join(', ')}
        </p>
      )}
    </div>
  );
}

// Fetched: where the keys of an entry come from, when they end, and why there are no new ones.
function Fetched({ of: { kind, source, expires_at: end, error } }: { of: Auth }) {
  const names = { kind: words.providers.authKinds[kind], source: source ?? '' };
  return (
    <div class="fetched stack">
      <span>{fill(source ? words.providers.fetched : words.providers.notFetched, names)}</span>
      {end !== null && (
        <span class="fine">
          {words.providers.ends} <Time at={end} />
        </span>
      )}
      {error && <p class="tested bad">{error}</p>}
    </div>
  );
}

// A test asks each key of the entry, one after the other. keys: their names in the list of providers.
function Actions({ of, keys, onList }: { of: Provider; keys: string[]; onList: () => void }) {
  const action = useAction();
  const [tested, setTested] = useState<{ name: string; told: Tested }[]>([]);
  const test = () =>
    action.run(async () => {
      const results: typeof tested = [];
      setTested(results);
      for (const name of keys.length > 0 ? keys : [of.name]) {
        results.push({ name, told: await get<Tested>(at(name, 'test'), { method: 'POST' }) });
        setTested([...results]);
      }
      announce(results.every(({ told }) => told.ok) ? words.providers.works : words.providers.fails);
    });
  return (
    <div class="provider-test stack">
      <div class="row">
        <button
          type="button"
          title={fill(words.providers.testOf, { name: of.name })}
          disabled={action.busy}
          onClick={test}
        >
          {action.busy ? words.providers.testing : words.providers.test}
        </button>
        {of.base_url && (
          <button type="button" title={fill(words.providers.modelsOf, { name: of.name })} onClick={onList}>
            {words.providers.models}
          </button>
        )}
      </div>
      {action.error && <Refused error={action.error} />}
      {tested.map(({ name, told }) => (
        <div key={name}>
          {name !== of.name && <span class="fine">{name}</span>}
          <Result of={told} />
        </div>
      ))}
    </div>
  );
}

export function Result({ of }: { of: Tested }) {
  return (
    <div class={`tested ${of.ok ? 'good' : 'bad'}`}>
      <p>
        <strong>{of.ok ? words.providers.works : words.providers.fails}</strong>{' '}
        <span class="fine">
          {fill(words.providers.took, { model: of.model, time: duration(of.duration_ms) })}
          {of.first_token_ms !== null && fill(words.providers.first, { time: duration(of.first_token_ms) })}
        </span>
      </p>
      {of.text && <blockquote dir="auto">{of.text}</blockquote>}
      {of.error && (
        <p>
          {of.error.message} <code>{of.error.code}</code> {of.error.http_status}
        </p>
      )}
    </div>
  );
}

function Models({ of, onClose }: { of: Provider; onClose: () => void }) {
  const list = useLoad((signal) => get<{ data: Listed[] }>(at(of.name, 'models'), { signal }), []);
  const [find, setFind] = useState('');
  const [chosen, setChosen] = useState<Listed | null>(null);
  const fits = (model: Listed) => model.id.toLowerCase().includes(find.toLowerCase());
  return (
    <Dialog title={fill(words.providers.modelsOf, { name: of.name })} onClose={onClose}>
      <State of={list} empty={({ data }) => data.length === 0}>
        {({ data }) => (
          <div class="stack">
            <label>
              {words.providers.find}
              <input type="search" value={find} onInput={(event) => setFind(event.currentTarget.value)} />
            </label>
            <ul class="plain provider-models" tabIndex={0} aria-label={words.providers.models}>
              {data.filter(fits).map((model) => (
                <li key={model.id}>
                  <button
                    type="button"
                    class="bare link"
                    aria-pressed={model === chosen}
                    onClick={() => setChosen(model)}
                  >
                    {model.id}
                  </button>
                  {model.configured && <span class="badge">{words.providers.configured}</span>}
                </li>
              ))}
            </ul>
            {!data.some(fits) && <Empty title={words.providers.noneFound} />}
            {chosen && (
              <section class="stack" aria-label={words.providers.entry}>
                <div class="row wrap between">
                  <p class="fine">{words.providers.entryText}</p>
                  <Copy text={chosen.yaml} label={words.providers.copy} />
                </div>
                <pre class="yaml">{chosen.yaml}</pre>
              </section>
            )}
          </div>
        )}
      </State>
    </Dialog>
  );
}
