// What this browser prefers, for everybody. For administrators, the configuration in force: read-only, for the file is
// the one truth.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { bytes, number, time } from '../parts/format';
import { Icon } from '../parts/icon';
import { State } from '../parts/state';
import { Table } from '../parts/table';
import { Time } from '../parts/time';
import { prefer, preferences, type Theme } from '../preferences';
import { admin } from '../session';
import { fill, words } from '../words';
import { useOverview, type Option, type OptionValue, type Overview } from './overview';

export default function Settings() {
  return (
    <div class="page settings">
      <h1>{words.pages.settings}</h1>
      <Preferences />
      {admin.value && <Gateway />}
    </div>
  );
}

const themes: Theme[] = ['auto', 'light', 'dark'];

function Preferences() {
  return (
    <section class="card stack">
      <h2>{words.settings.preferences}</h2>
      <label class="short">
        {words.frame.theme}
        <select
          value={preferences.value.theme}
          onChange={(event) => prefer({ theme: event.currentTarget.value as Theme })}
        >
          {themes.map((theme) => (
            <option key={theme} value={theme}>
              {words.frame.themes[theme]}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        <input
          type="checkbox"
          checked={preferences.value.letters}
          onChange={(event) => prefer({ letters: event.currentTarget.checked })}
        />
        {words.keyboard.letters}
      </label>
      <p class="fine">{words.settings.preferencesText}</p>
    </section>
  );
}

function Gateway() {
  const read = useOverview();
  return (
    <State of={read}>
      {(overview) => (
        <>
          <Facts of={overview} reload={read.reload} />
          <Retention of={overview} />
          <Reload of={overview.config} />
          <Options of={overview.config.options} />
          <section class="stack">
            <h2>{words.settings.secrets}</h2>
            <p class="fine">{words.settings.secretsText}</p>
            <Table
              caption={words.settings.secrets}
              rows={Object.entries(overview.secrets)}
              id={([name]) => name}
              columns={[
                { title: words.settings.option, cell: ([name]) => <code>{name}</code> },
                {
                  title: words.settings.value,
                  cell: ([, state]) => (
                    <span class={state === 'set' ? 'badge good' : 'badge'}>{words.settings.secretStates[state]}</span>
                  ),
                },
              ]}
            />
          </section>
        </>
      )}
    </State>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const outOf = (n: number, limit: number) => fill(words.settings.outOf, { n: number(n), limit: number(limit) });

function Facts({ of, reload }: { of: Overview; reload: () => void }) {
  const { store, calls, connections } = of;
  return (
    <section class="card stack">
      <header class="row wrap between">
        <h2>{words.settings.gateway}</h2>
        <button type="button" onClick={reload}>
          <Icon name="again" />
          {words.models.reload}
        </button>
      </header>
      {!store.writable && (
        <p class="notice bad" role="alert">
          <Icon name="warn" />
          {fill(words.settings.notWritable, { why: store.problem ?? '' })}
        </p>
      )}
      <dl class="fact-list">
        <Fact name={words.settings.version}>{of.version}</Fact>
        <Fact name={words.settings.started}>{time(of.started_at)}</Fact>
        <Fact name={words.settings.calls}>{outOf(calls.active, calls.max_calls)}</Fact>
        <Fact name={words.settings.waiting}>{outOf(calls.waiting, calls.max_waiting)}</Fact>
        <Fact name={words.settings.connections}>{outOf(connections.open, connections.limit)}</Fact>
        <Fact name={words.settings.streams}>{number(connections.streams)}</Fact>
        <Fact name={words.settings.database}>
          {bytes(store.database_bytes)} <span class="fine">{store.engine}</span>
        </Fact>
        <Fact name={words.settings.log}>{bytes(store.log_bytes)}</Fact>
        <Fact name={words.settings.index}>
          {bytes(store.search.bytes)}{' '}
          <span class="fine">{fill(words.settings.indexed, { n: number(store.search.messages) })}</span>
          {!store.search.complete && <span class="badge bad">{words.settings.indexing}</span>}
        </Fact>
      </dl>
      <h3>{words.settings.listeners}</h3>
      <ul class="plain">
        {of.listeners.map((one) => (
          <li key={one.bound} class="row wrap">
            <code>{one.bound}</code>
            {one.admin && <span class="badge">{words.settings.adminListener}</span>}
            {one.tls && <span class="badge">{words.settings.tls}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

const UNITS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

// secondsOf: of a time as the configuration has it, such as 90d; 0: none.
function secondsOf(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return count && unit ? Number(count) * UNITS[unit]! : 0;
}

// Retention: how long what is stored stays.
function Retention({ of }: { of: Overview }) {
  const option = (name: string) => show(of.config.options.find((one) => one.name === name)?.value ?? '0');
  const keep = option('conversations_keep');
  const oldest = of.store.oldest_conversation_at;
  const none = (text: string, otherwise: string) => (/^0[a-zA-Z]*$/.test(text) ? otherwise : text);
  return (
    <section class="card stack">
      <h2>{words.settings.retention}</h2>
      <dl class="fact-list">
        <Fact name={words.settings.conversationsKeep}>{none(keep, words.settings.forEver)}</Fact>
        <Fact name={words.settings.contentKeep}>{none(option('content_keep'), words.settings.forEver)}</Fact>
        <Fact name={words.settings.sizeKeep}>{none(option('store_keep_size'), words.settings.noSize)}</Fact>
        {oldest !== null && (
          <Fact name={words.settings.oldest}>
            {time(oldest)}{' '}
            {secondsOf(keep) > 0 && (
              <span class="fine">{fill(words.settings.oldestGoes, { when: time(oldest + secondsOf(keep)) })}</span>
            )}
          </Fact>
        )}
      </dl>
      <p class="fine">{words.settings.keepText}</p>
    </section>
  );
}

function Reload({ of }: { of: Overview['config'] }) {
  return (
    <section class="stack">
      <h2>{words.settings.configuration}</h2>
      <p>
        {of.file ? <code>{of.file}</code> : words.settings.noFile} · {words.settings.readAt} <Time at={of.read_at} />
      </p>
      {of.reload?.ok === false && (
        <div class="notice bad">
          <Icon name="warn" />
          <div>
            <strong>{fill(words.settings.reloadFailed, { when: time(of.reload.at) })}</strong>
            <p>{of.reload.error}</p>
          </div>
        </div>
      )}
      {of.reload?.ok && <p class="fine">{fill(words.settings.reloaded, { when: time(of.reload.at) })}</p>}
    </section>
  );
}

function show(value: OptionValue): string {
  if (Array.isArray(value)) return value.join(', ') || words.units.none;
  return value === '' ? words.units.none : String(value);
}

// Options: those that somebody has set, or all of them.
function Options({ of }: { of: Option[] }) {
  const [all, setAll] = useState(false);
  const rows = of.filter((option) => all || option.source !== 'default' || option.pending);
  return (
    <section class="stack">
      <label class="choice">
        <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
        {words.settings.defaultsToo}
      </label>
      {rows.length === 0 ? (
        <p class="fine">{words.settings.allDefault}</p>
      ) : (
        <Table
          caption={words.settings.configuration}
          rows={rows}
          id={(option) => option.name}
          columns={[
            { title: words.settings.option, cell: (option) => <code>{option.name}</code> },
            { title: words.settings.value, cell: (option) => <code>{show(option.value)}</code> },
            { title: words.settings.source, cell: (option) => words.settings.sources[option.source] },
            {
              title: words.settings.place,
              cell: (option) => (option.place ? <code>{option.place}</code> : words.units.none),
            },
            { title: words.settings.onReload, cell: (option) => <OnReload of={option} /> },
          ]}
        />
      )}
    </section>
  );
}

function OnReload({ of }: { of: Option }) {
  if (!of.pending) return <>{words.settings.onReloads[of.on_reload]}</>;
  return (
    <>
      <span class="badge bad">{words.settings.pending}</span> <code>{show(of.pending.value)}</code>
    </>
  );
}
