// What a model's name leads to, and how each target is doing; and the providers. Without the admin routes: the names alone.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../api';
import type { Model as Named } from '../chat/models';
import { compact, count, duration, money, number } from '../parts/format';
import { HealthBadge } from '../parts/health_badge';
import { Icon } from '../parts/icon';
import { useLoad } from '../parts/load';
import { Empty, State } from '../parts/state';
import { Table } from '../parts/table';
import { Time } from '../parts/time';
import { href } from '../router';
import { admin } from '../session';
import { fill, words } from '../words';
import type { PageProps } from '../pages';
import { useOverview, type Health, type Model, type Target } from './overview';
import { Providers } from './providers';

export default function Models({ route }: PageProps) {
  return admin.value ? <Configured providers={route.query.get('show') === 'providers'} /> : <Names />;
}

type Sort = keyof typeof words.models.sorts;
const sorts = Object.keys(words.models.sorts) as Sort[];
const PAGE = 50; // models that are drawn at once
const FEW = 20; // models, up to which each shows its targets

// useFinder: the search field and the order, with what is shown of a list of any length.
function useFinder(): { find: string; sort: Sort; shown: number; fields: (orders: Sort[]) => JSX.Element; more: (of: number) => JSX.Element | null } {
  const [find, setFind] = useState('');
  const [sort, setSort] = useState<Sort>('provider');
  const [shown, setShown] = useState(PAGE);
  const fields = (orders: Sort[]) => (
    <div class="row wrap filters">
      <label>
        {words.models.search}
        <input type="search" value={find} onInput={(event) => setFind(event.currentTarget.value)} />
      </label>
      <label>
        {words.models.sort}
        <select value={sort} onChange={(event) => setSort(event.currentTarget.value as Sort)}>
          {orders.map((one) => (
            <option key={one} value={one}>
              {words.models.sorts[one]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
  const more = (of: number) =>
    of > shown ? (
      <button type="button" class="more" onClick={() => setShown(shown + PAGE)}>
        {words.state.more}
      </button>
    ) : null;
  return { find, sort, shown, fields, more };
}

const fits = (find: string, text: string): boolean =>
  find.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
const byName = new Intl.Collator(undefined, { numeric: true }).compare;

function Names() {
  const read = useLoad((signal) => get<{ data: Named[] }>('/v1/models', { signal }), []);
  const finder = useFinder();
  return (
    <div class="page">
      <h1>{words.pages.models}</h1>
      <State of={read} empty={(models) => models.data.length === 0}>
        {(models) => {
          const found = sortNames(models.data.filter((model) => fits(finder.find, textOf(model))), finder.sort);
          return (
            <>
              {finder.fields(['provider', 'name', 'price'])}
              <NameTable rows={found.slice(0, finder.shown)} />
              {found.length === 0 && <Empty title={words.models.notFound} />}
              {finder.more(found.length)}
            </>
          );
        }}
      </State>
    </div>
  );
}

const textOf = (model: Named) => `${model.id} ${model.owned_by} ${model.kind} ${model.capabilities.join(' ')}`;
const costOf = (price: { input: string; output: string } | null) => (price ? Number(price.input) + Number(price.output) : Infinity);

function sortNames(models: Named[], sort: Sort): Named[] {
  if (sort === 'name') return [...models].sort((a, b) => byName(a.id, b.id));
  if (sort === 'price') return [...models].sort((a, b) => costOf(a.price) - costOf(b.price));
  return [...models].sort((a, b) => byName(a.owned_by, b.owned_by));
}

function NameTable({ rows }: { rows: Named[] }) {
  return (
    <Table
      caption={words.pages.models}
      rows={rows}
      id={(model) => model.id}
      columns={[
        {
          title: words.models.name,
          cell: (model) => (
            <>
              <code>{model.id}</code> {model.default && <span class="badge">{words.models.default}</span>}
            </>
          ),
        },
        { title: words.models.provider, cell: (model) => model.owned_by },
        { title: words.models.healthTitle, cell: (model) => <HealthBadge of={model.health} /> },
        {
          title: words.models.price,
          cell: (model) =>
            model.price
              ? fill(words.models.priceText, { input: model.price.input, output: model.price.output })
              : words.units.none,
        },
        {
          title: words.models.contextTitle,
          numeric: true,
          cell: (model) => number(model.context_window),
        },
        {
          title: words.models.takes,
          cell: (model) => model.capabilities.map((one) => words.models.capabilities[one]).join(', ') || words.units.none,
        },
      ]}
    />
  );
}

// Configured: the models or, with their own address, the providers, which hundreds of models would hide.
function Configured({ providers: shown }: { providers: boolean }) {
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
            <Parts providers={shown} worst={worstOf(providers)} />
            {shown ? <Providers of={providers} /> : <Cards of={models} />}
          </>
        )}
      </State>
    </div>
  );
}

const worstOf = (of: { health: Health }[]) => of.find(({ health }) => health !== 'fine')?.health ?? 'fine';

// Parts: of the page. What is wrong with a provider is seen beside the models, too.
function Parts({ providers, worst }: { providers: boolean; worst: Health }) {
  return (
    <nav class="origins" aria-label={words.models.parts}>
      <a href={href('models')} aria-current={providers ? undefined : 'true'}>
        {words.pages.models}
      </a>
      <a href={href('models', null, { show: 'providers' })} aria-current={providers ? 'true' : undefined}>
        {words.models.providers}
        {worst !== 'fine' && <HealthBadge of={worst} />}
      </a>
    </nav>
  );
}

// Cards: found, in order; by provider, each has a heading of its own.
function Cards({ of }: { of: Model[] }) {
  const finder = useFinder();
  const found = sortModels(
    of.filter((model) => fits(finder.find, [model.name, ...model.targets.map((t) => `${t.provider} ${t.upstream_model ?? ''}`)].join(' '))),
    finder.sort,
  );
  const shown = found.slice(0, finder.shown);
  const open = found.length <= FEW;
  return (
    <section class="stack model-list">
      {of.length === 0 ? <Empty title={words.models.none} /> : finder.fields(sorts)}
      {of.length > 0 && <p role="status" class="fine">{count(found.length, words.models.found)}</p>}
      {finder.sort !== 'provider'
        ? shown.map((model) => <ModelCard key={model.name} of={model} open={open} />)
        : groupsOf(shown).map(([provider, models]) => (
            <section class="stack" key={provider} aria-label={provider}>
              {!open && <h2 dir="auto">{provider}</h2>}
              {models.map((model) => (
                <ModelCard key={model.name} of={model} open={open} />
              ))}
            </section>
          ))}
      {finder.more(found.length)}
    </section>
  );
}

const providerOf = (model: Model) => model.targets[0]?.provider ?? '';
const sum = (model: Model, of: (target: Target) => number) => model.targets.reduce((all, target) => all + of(target), 0);
const dearest = (model: Model) => Math.max(...model.targets.map((target) => costOf(target.price)));
const fastest = (model: Model) => Math.min(...model.targets.map((target) => target.first_token_ms ?? Infinity));
const difference = (a: number, b: number) => (a === b ? 0 : a - b); // Infinity too

const orders: Record<Sort, (a: Model, b: Model) => number> = {
  provider: (a, b) => byName(providerOf(a), providerOf(b)),
  name: (a, b) => byName(a.name, b.name),
  price: (a, b) => difference(dearest(a), dearest(b)),
  calls: (a, b) => sum(b, (target) => target.calls) - sum(a, (target) => target.calls),
  failed: (a, b) => sum(b, (target) => target.failed) - sum(a, (target) => target.failed),
  first: (a, b) => difference(fastest(a), fastest(b)),
};

function sortModels(models: Model[], sort: Sort): Model[] {
  return [...models].sort(orders[sort]);
}

function groupsOf(models: Model[]): [string, Model[]][] {
  const groups = new Map<string, Model[]>();
  for (const model of models) groups.set(providerOf(model), [...(groups.get(providerOf(model)) ?? []), model]);
  return [...groups];
}

// ModelCard: of many, each shows its name, price, context and health alone until it is opened.
function ModelCard({ of, open }: { of: Model; open: boolean }) {
  if (open) return <ModelFull of={of} />;
  return (
    <details class="card model-fold">
      <summary>
        <code>{of.name}</code>
        <span class="fine model-facts" title={words.models.priceUnit}>
          {[priceOf(of), contextOf(of)].filter(Boolean).join(' · ')}
        </span>
        <HealthBadge of={worstOf(of.targets)} />
      </summary>
      <ModelFull of={of} />
    </details>
  );
}

// priceOf: in and out; from the least to the most, where targets differ. '': none has a price.
function priceOf(of: Model): string {
  const prices = of.targets.flatMap(({ price }) => price ?? []);
  if (prices.length === 0) return '';
  const range = (part: 'input' | 'output') => {
    const [least, most] = prices
      .map((price) => price[part])
      .sort((a, b) => Number(a) - Number(b))
      .filter((_, i, all) => i === 0 || i === all.length - 1);
    return most === undefined || Number(most) === Number(least) ? money(least) : `${money(least)}–${money(most)}`;
  };
  return fill(words.models.priceText, { input: range('input'), output: range('output') });
}

// contextOf: what each of its targets takes. '': not known.
function contextOf(of: Model): string {
  const known = of.targets.flatMap(({ context }) => context ?? []);
  return known.length === 0 ? '' : fill(words.models.context, { n: compact(Math.min(...known)) });
}

function ModelFull({ of }: { of: Model }) {
  return (
    <article class="card stack">
      <header class="row wrap between">
        <h2>
          <code>{of.name}</code>
        </h2>
        <p class="fine row wrap">
          {contextOf(of) && <span>{contextOf(of)}</span>}
          {of.max_output !== null && <span>{fill(words.models.maxOutput, { n: number(of.max_output) })}</span>}
          {of.place && <code>{of.place}</code>}
        </p>
      </header>
      <Table
        caption={fill(words.models.targetsOf, { name: of.name })}
        rows={of.targets}
        id={(target) => `${target.provider} ${target.key} ${target.upstream_model}`}
        columns={[
          { title: words.models.target, cell: (target) => <TargetName of={target} /> },
          {
            title: words.models.healthTitle,
            cell: (target) => <HealthBadge of={target.health} until={target.until} />,
          },
          { title: words.models.weight, numeric: true, cell: (target) => number(target.weight) },
          { title: words.models.calls, numeric: true, cell: (target) => number(target.calls) },
          {
            title: words.models.failed,
            numeric: true,
            cell: (target) =>
              target.failed === 0 ? (
                number(0)
              ) : (
                <a
                  href={href('runs', null, { model: of.name, provider: target.provider, status: 'failed' })}
                  title={words.models.failedRuns}
                >
                  {number(target.failed)}
                </a>
              ),
          },
          {
            title: words.models.first,
            numeric: true,
            cell: (target) => (target.first_token_ms === null ? words.units.none : duration(target.first_token_ms)),
          },
          {
            title: words.models.cached,
            numeric: true,
            cell: (target) => (
              <span title={words.models.cachedText}>
                {target.tokens_in === 0
                  ? words.units.none
                  : fill(words.models.cachedShare, { share: number(Math.round((100 * target.cached_tokens) / target.tokens_in)) })}
              </span>
            ),
          },
          { title: words.models.price, cell: (target) => <Price of={target} /> },
          { title: words.models.lastError, cell: (target) => target.last_error && <LastError of={target.last_error} /> },
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
      {of.key !== null && <span class="fine"> {fill(words.models.keyPlace, { n: of.key })}</span>}
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

function LastError({ of: { at, code, http_status, message } }: { of: NonNullable<Target['last_error']> }) {
  return (
    <div class="last-error">
      <p>
        <code>{code}</code> {http_status} · <Time at={at} />
      </p>
      <p class="fine">{message}</p>
    </div>
  );
}
