// What a model's name leads to, and how each target is doing. Without the admin routes: the names alone.
import { get } from '../api';
import { duration, number } from '../parts/format';
import { Icon } from '../parts/icon';
import { useLoad } from '../parts/load';
import { Empty, State } from '../parts/state';
import { Table } from '../parts/table';
import { Time } from '../parts/time';
import { admin } from '../session';
import { fill, words } from '../words';
import { useOverview, type Health, type Model, type Provider, type Target } from './overview';

export default function Models() {
  return admin.value ? <Configured /> : <Names />;
}

function Names() {
  const read = useLoad((signal) => get<{ data: { id: string; owned_by?: string }[] }>('/v1/models', { signal }), []);
  return (
    <div class="page">
      <h1>{words.pages.models}</h1>
      <State of={read} empty={(models) => models.data.length === 0}>
        {(models) => (
          <Table
            caption={words.pages.models}
            rows={models.data}
            id={(model) => model.id}
            columns={[
              { title: words.models.name, cell: (model) => <code>{model.id}</code> },
              { title: words.models.provider, cell: (model) => model.owned_by ?? words.units.none },
            ]}
          />
        )}
      </State>
    </div>
  );
}

function Configured() {
  const read = useOverview();
  return (
    <div class="page models">
      <header class="row wrap between">
        <h1>{words.pages.models}</h1>
        <button type="button" disabled={read.busy} onClick={read.reload}>
          <Icon name="again" />
          {words.models.reload}
        </button>
      </header>
      <State of={read}>
        {({ models, providers }) => (
          <>
            <section class="stack">
              {models.length === 0 && <Empty title={words.models.none} />}
              {models.map((model) => (
                <ModelCard key={model.name} of={model} />
              ))}
            </section>
            <section class="stack">
              <h2>{words.models.providers}</h2>
              <Providers of={providers} />
            </section>
          </>
        )}
      </State>
    </div>
  );
}

export function HealthBadge({ of, until }: { of: Health; until?: number | null }) {
  const kind = of === 'fine' ? 'good' : of === 'probe' ? '' : 'bad';
  return (
    <>
      <span class={`badge ${kind}`} title={words.models.healthTexts[of]}>
        {words.models.health[of]}
      </span>
      {until && (
        <p class="fine">
          {words.models.until} <Time at={until} />
        </p>
      )}
    </>
  );
}

function ModelCard({ of }: { of: Model }) {
  return (
    <article class="card stack">
      <header class="row wrap between">
        <h2>
          <code>{of.name}</code>
        </h2>
        <p class="fine row wrap">
          {of.max_output !== null && <span>{fill(words.models.maxOutput, { n: number(of.max_output) })}</span>}
          {of.place && <code>{of.place}</code>}
        </p>
      </header>
      <Table
        caption={fill(words.models.targetsOf, { name: of.name })}
        rows={of.targets}
        id={(target) => `${target.provider} ${target.upstream_model}`}
        columns={[
          { title: words.models.target, cell: (target) => <TargetName of={target} /> },
          {
            title: words.models.healthTitle,
            cell: (target) => <HealthBadge of={target.health} until={target.until} />,
          },
          { title: words.models.weight, numeric: true, cell: (target) => number(target.weight) },
          { title: words.models.calls, numeric: true, cell: (target) => number(target.calls) },
          { title: words.models.failed, numeric: true, cell: (target) => number(target.failed) },
          {
            title: words.models.first,
            numeric: true,
            cell: (target) => (target.first_token_ms === null ? words.units.none : duration(target.first_token_ms)),
          },
          { title: words.models.price, cell: (target) => <Price of={target} /> },
          { title: words.models.lastError, cell: (target) => <LastError of={target} /> },
        ]}
      />
      {of.fallback.length > 0 && (
        <p>
          {words.models.fallback}{' '}
          {of.fallback.map((name, i) => (
            <span key={name}>
              {i > 0 && ' → '}
              <code>{name}</code>
            </span>
          ))}
        </p>
      )}
    </article>
  );
}

function TargetName({ of }: { of: Target }) {
  return (
    <>
      {of.provider}
      <br />
      {of.upstream_model === null ? (
        <span class="fine">{words.models.star}</span>
      ) : (
        <code class="fine">{of.upstream_model}</code>
      )}
    </>
  );
}

function Price({ of }: { of: Target }) {
  if (!of.price) return <span class="fine">{words.models.priceSources[of.price_source]}</span>;
  return (
    <>
      <span title={words.models.priceUnit}>
        {fill(words.models.priceText, { input: of.price.input, output: of.price.output })}
      </span>
      <p class="fine">{words.models.priceSources[of.price_source]}</p>
    </>
  );
}

function LastError({ of }: { of: Target }) {
  if (!of.last_error) return <>{words.units.none}</>;
  const { at, code, http_status, message } = of.last_error;
  return (
    <div class="last-error">
      <p>
        <code>{code}</code> {http_status} · <Time at={at} />
      </p>
      <p class="fine">{message}</p>
    </div>
  );
}

function Providers({ of }: { of: Provider[] }) {
  return (
    <Table
      caption={words.models.providers}
      rows={of}
      id={(provider) => provider.name}
      columns={[
        { title: words.models.name, cell: (provider) => provider.name },
        { title: words.models.healthTitle, cell: (provider) => <HealthBadge of={provider.health} /> },
        { title: words.models.dialect, cell: (provider) => <code>{provider.dialect}</code> },
        {
          title: words.models.address,
          cell: (provider) => (provider.base_url ? <code>{provider.base_url}</code> : words.models.builtIn),
        },
        { title: words.models.key, cell: (provider) => words.settings.secretStates[provider.key] },
        { title: words.models.headers, cell: (provider) => provider.headers.join(', ') || words.units.none },
        {
          title: words.settings.place,
          cell: (provider) => (provider.place ? <code>{provider.place}</code> : words.units.none),
        },
      ]}
    />
  );
}
