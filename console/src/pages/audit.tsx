// Who did what to which object, newest first, with filters that are in the address; and as CSV.
import { get, query, type List } from '../api';
import type { PageProps } from '../pages';
import { CsvButton } from '../parts/csv_button';
import { iso, time } from '../parts/format';
import { More, useList } from '../parts/list';
import { Empty, State } from '../parts/state';
import { Table } from '../parts/table';
import { replace } from '../router';
import { words } from '../words';
import { useNames } from './names';

type Action = keyof typeof words.audit.actions;

interface Entry {
  id: string;
  at: number;
  actor: string;
  session: string | null;
  address: string | null;
  action: Action;
  object_id: string | null;
  request_id: string | null;
}

const PAGE = 50;
const CSV_PAGE = 10_000,
  CSV_MAX = 100_000;
const FILTERS = ['actor', 'action', 'object', 'from', 'to'] as const;
type Filters = Record<(typeof FILTERS)[number], string>;

// asked: the parameters of the route. Days are the browser's.
function asked({ actor, action, object, from, to }: Filters) {
  const begin = (day: string, further = 0) => {
    const at = new Date(`${day}T00:00:00`);
    at.setDate(at.getDate() + further); // a day is not always 24 hours
    return at.getTime() / 1000;
  };
  return {
    actor,
    action,
    object,
    since: from ? begin(from) : undefined,
    until: to ? begin(to, 1) - 1 : undefined,
  };
}

export default function Audit({ route }: PageProps) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, route.query.get(name) ?? ''])) as Filters;
  const list = useList<Entry>(
    (after, signal) =>
      get<List<Entry>>(`/v1/admin/audit${query({ ...asked(filters), limit: PAGE, after: after ?? undefined })}`, {
        signal,
      }),
    [filters],
  );
  const filter = (change: Partial<Filters>) =>
    replace('audit', null, Object.fromEntries(Object.entries({ ...filters, ...change }).filter(([, value]) => value)));
  const names = useNames((list.data ?? []).flatMap((entry) => [entry.actor, entry.object_id]));
  const csv = (after: string | undefined) =>
    `/v1/admin/audit${query({ ...asked(filters), format: 'csv', limit: CSV_PAGE, after })}`;
  return (
    <div class="page audit">
      <header class="row wrap between">
        <h1>{words.pages.audit}</h1>
        <CsvButton path={csv} most={CSV_MAX} name="audit.csv" />
      </header>
      <p class="fine">{words.audit.text}</p>
      <Filter of={filters} onChange={filter} />
      <State
        of={list}
        empty={(data) => data.length === 0}
        none={<Empty title={Object.values(filters).some(Boolean) ? words.audit.noneFiltered : words.audit.none} />}
      >
        {(data) => (
          <Table
            caption={words.pages.audit}
            rows={data}
            id={(entry) => entry.id}
            columns={[
              {
                title: words.audit.time,
                cell: (entry) => (
                  <time dateTime={iso(entry.at)} title={iso(entry.at)}>
                    {time(entry.at)}
                  </time>
                ),
              },
              { title: words.audit.action, cell: (entry) => words.audit.actions[entry.action] ?? entry.action },
              { title: words.audit.object, cell: (entry) => <Id of={entry.object_id} name={names.get(entry.object_id ?? '')} /> },
              { title: words.audit.actor, cell: (entry) => <Actor of={entry} name={names.get(entry.actor)} /> },
              { title: words.audit.address, cell: (entry) => <Id of={entry.address} /> },
              { title: words.audit.request, cell: (entry) => <Id of={entry.request_id} /> },
            ]}
          />
        )}
      </State>
      <More of={list} />
    </div>
  );
}

// Id: below the name, where it has one.
function Id({ of, name }: { of: string | null; name?: string }) {
  if (!of) return <>{words.units.none}</>;
  return (
    <>
      {name && <p dir="auto">{name}</p>}
      <code class={name ? 'fine' : undefined}>{of}</code>
    </>
  );
}

function Actor({ of, name }: { of: Entry; name: string | undefined }) {
  if (of.actor === 'nobody' || of.actor === 'program') return <>{words.audit.actors[of.actor]}</>;
  return (
    <>
      <Id of={of.actor} name={name} />
      {of.session && (
        <p class="fine" title={of.session}>
          {words.audit.session}
        </p>
      )}
    </>
  );
}

function Filter({ of, onChange }: { of: Filters; onChange: (change: Partial<Filters>) => void }) {
  const text = (name: 'actor' | 'object', label: string, hint: string) => (
    <label>
      {label}
      <input
        type="search"
        placeholder={hint}
        value={of[name]}
        maxLength={63}
        onChange={(event) => onChange({ [name]: event.currentTarget.value.trim() })}
      />
    </label>
  );
  const day = (name: 'from' | 'to', label: string) => (
    <label>
      {label}
      <input type="date" value={of[name]} onChange={(event) => onChange({ [name]: event.currentTarget.value })} />
    </label>
  );
  return (
    <div class="row wrap filters">
      <label>
        {words.audit.action}
        <select value={of.action} onChange={(event) => onChange({ action: event.currentTarget.value })}>
          <option value="">{words.audit.any}</option>
          {Object.entries(words.audit.actions).map(([name, says]) => (
            <option key={name} value={name}>
              {says}
            </option>
          ))}
        </select>
      </label>
      {text('actor', words.audit.actor, words.audit.actorHint)}
      {text('object', words.audit.object, words.audit.objectHint)}
      {day('from', words.audit.from)}
      {day('to', words.audit.to)}
    </div>
  );
}
