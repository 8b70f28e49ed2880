// The API keys: made, changed, rotated, revoked. On an open gateway the first one closes it.
import { useState } from 'preact/hooks';
import { get, query, type List } from '../api';
import { number, time } from '../parts/format';
import { Icon } from '../parts/icon';
import { More, useList } from '../parts/list';
import { Empty, State } from '../parts/state';
import { Table } from '../parts/table';
import { Time } from '../parts/time';
import { me, open } from '../session';
import { fill, words } from '../words';
import { Made, Revoke, Rotate } from './keys_change';
import { FirstKey } from './keys_first';
import { KeyForm } from './keys_form';

export interface Rate {
  count: number;
  window: string;
}

export interface ApiKey {
  id: string;
  name: string;
  status: 'active' | 'expired' | 'revoked';
  scopes: string[];
  models: string[] | null;
  metadata: Record<string, string>;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  grace_until: number | null;
  last_used_at: number | null;
  limits: { requests?: Rate | null; tokens?: Rate | null; concurrent?: number | null; max_body?: number | null } | null;
  budget: { money?: string | null; tokens?: number | null; window?: string | null } | null;
}

export type KeyMade = ApiKey & { key: string };

type Open = { kind: 'make' } | { kind: 'edit' | 'rotate' | 'revoke'; of: ApiKey } | { kind: 'made'; of: KeyMade };

const PAGE = 50;

export default function Keys() {
  // the first key's text stays on the screen although the gateway is not open any more
  const [first, setFirst] = useState(open.value);
  return first ? <FirstKey onDone={() => setFirst(false)} /> : <AllKeys />;
}

function AllKeys() {
  const [shown, setShown] = useState<Open | null>(null);
  const list = useList<ApiKey>(
    (after, signal) =>
      get<List<ApiKey>>(`/v1/admin/keys${query({ limit: PAGE, after: after ?? undefined })}`, { signal }),
    [],
  );
  const close = () => setShown(null);
  const put = (key: ApiKey) => {
    const rows = list.data ?? [];
    list.set(
      rows.some((row) => row.id === key.id) ? rows.map((row) => (row.id === key.id ? key : row)) : [key, ...rows],
    );
  };
  // The text of a key is shown once, and kept nowhere.
  const made = ({ key, ...rest }: KeyMade) => {
    put(rest);
    setShown({ kind: 'made', of: { ...rest, key } });
  };
  return (
    <div class="page keys-page">
      <header class="row wrap between">
        <h1>{words.pages.keys}</h1>
        <button type="button" class="primary" onClick={() => setShown({ kind: 'make' })}>
          <Icon name="plus" />
          {words.keys.make}
        </button>
      </header>
      <State
        of={list}
        empty={(data) => data.length === 0}
        none={
          <Empty title={words.keys.none}>
            <p>{words.keys.noneText}</p>
          </Empty>
        }
      >
        {(data) => <KeyTable rows={data} onOpen={setShown} />}
      </State>
      <More of={list} />
      {shown?.kind === 'make' && <KeyForm of={null} onClose={close} onMade={made} onChanged={put} />}
      {shown?.kind === 'edit' && <KeyForm of={shown.of} onClose={close} onMade={made} onChanged={put} />}
      {shown?.kind === 'rotate' && <Rotate of={shown.of} onClose={close} onMade={made} />}
      {shown?.kind === 'revoke' && <Revoke of={shown.of} onClose={close} onRevoked={put} />}
      {shown?.kind === 'made' && <Made of={shown.of} onClose={close} />}
    </div>
  );
}

function KeyTable({ rows, onOpen }: { rows: ApiKey[]; onOpen: (what: Open) => void }) {
  return (
    <Table
      caption={words.pages.keys}
      rows={rows}
      id={(key) => key.id}
      columns={[
        { title: words.keys.name, cell: (key) => <Name of={key} /> },
        { title: words.keys.status, cell: (key) => <Status of={key} /> },
        {
          title: words.keys.scopes,
          cell: (key) => (
            <span class="row wrap">
              {key.scopes.map((scope) => (
                <span key={scope} class="badge">
                  {scope}
                </span>
              ))}
            </span>
          ),
        },
        { title: words.keys.models, cell: (key) => key.models?.join(', ') ?? words.keys.allModels },
        { title: words.keys.allowance, cell: (key) => <Allowance of={key} /> },
        {
          title: words.keys.lastUse,
          cell: (key) => (key.last_used_at === null ? words.keys.never : <Time at={key.last_used_at} />),
        },
        { title: words.keys.actions, cell: (key) => <Actions of={key} onOpen={onOpen} /> },
      ]}
    />
  );
}

function Name({ of }: { of: ApiKey }) {
  return (
    <>
      {of.name || words.keys.noName}
      {of.id === me.value?.id && <span class="badge good own">{words.keys.own}</span>}
      <br />
      <code class="fine">{of.id}</code>
    </>
  );
}

function Status({ of }: { of: ApiKey }) {
  const kind = of.status === 'active' ? 'badge good' : 'badge bad';
  return (
    <>
      <span class={kind}>{words.keys.statuses[of.status]}</span>
      {of.status === 'active' && of.expires_at !== null && (
        <p class="fine">{fill(words.keys.until, { when: time(of.expires_at) })}</p>
      )}
      {of.grace_until !== null && of.grace_until * 1000 > Date.now() && (
        <p class="fine">{fill(words.keys.graceUntil, { when: time(of.grace_until) })}</p>
      )}
    </>
  );
}

function Allowance({ of }: { of: ApiKey }) {
  const lines: string[] = [];
  const rate = (words_: string, limit: Rate | null | undefined) =>
    limit && lines.push(fill(words_, { n: number(limit.count), window: limit.window }));
  rate(words.keys.requestsIn, of.limits?.requests);
  rate(words.keys.tokensIn, of.limits?.tokens);
  if (of.limits?.concurrent) lines.push(fill(words.keys.atOnce, { n: number(of.limits.concurrent) }));
  const window = of.budget?.window ? fill(words.keys.every, { window: of.budget.window }) : '';
  if (of.budget?.money) lines.push(fill(words.keys.budgetMoney, { n: of.budget.money, window }));
  if (of.budget?.tokens) lines.push(fill(words.keys.budgetTokens, { n: number(of.budget.tokens), window }));
  if (lines.length === 0) return <>{words.units.none}</>;
  return (
    <ul class="plain fine">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function Actions({ of, onOpen }: { of: ApiKey; onOpen: (what: Open) => void }) {
  if (of.status === 'revoked') return null;
  const name = of.name || of.id;
  const button = (kind: 'edit' | 'rotate' | 'revoke', icon: 'edit' | 'again' | 'trash') => (
    <button
      type="button"
      class="bare"
      title={words.keys[kind]}
      aria-label={`${words.keys[kind]}: ${name}`}
      onClick={() => onOpen({ kind, of })}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <span class="row">
      {button('edit', 'edit')}
      {button('rotate', 'again')}
      {button('revoke', 'trash')}
    </span>
  );
}
