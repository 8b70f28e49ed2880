// The API keys: made, changed, rotated, revoked. On an open gateway the first one closes it.
import { useState } from 'preact/hooks';
import { get, query, type List } from '../api';
import type { PageProps } from '../pages';
import { time } from '../parts/format';
import { Icon } from '../parts/icon';
import { More, useList } from '../parts/list';
import { useLoad } from '../parts/load';
import { Empty, State } from '../parts/state';
import { Table } from '../parts/table';
import { Time } from '../parts/time';
import { href } from '../router';
import { me, open } from '../session';
import { fill, words } from '../words';
import { allowanceLines, type Allowance } from './allowance';
import { readBudgets, useGroups, type BudgetRow } from './groups_list';
import { Made, Revoke, Rotate } from './keys_change';
import { FirstKey } from './keys_first';
import { KeyForm } from './keys_form';

export interface ApiKey extends Allowance {
  id: string;
  name: string;
  status: 'active' | 'expired' | 'revoked';
  scopes: string[];
  models: string[] | null;
  group: string | null;
  metadata: Record<string, string>;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  grace_until: number | null;
  last_used_at: number | null;
}

export type KeyMade = ApiKey & { key: string };

type Open = { kind: 'make' } | { kind: 'edit' | 'rotate' | 'revoke'; of: ApiKey } | { kind: 'made'; of: KeyMade };

const PAGE = 50;
const PAGE_MOST = 100;

export default function Keys({ route }: PageProps) {
  // the first key's text stays on the screen although the gateway is not open any more
  const [first, setFirst] = useState(open.value);
  if (!first) return <AllKeys group={route.query.get('group')} />;
  return (
    <div class="page">
      <h1>{words.pages.keys}</h1>
      <FirstKey onDone={() => setFirst(false)} />
    </div>
  );
}

// ask: a page of the keys, or of those of a group: the gateway lists all, so a page of these may take several of its own.
async function ask(group: string | null, after: string | null, signal: AbortSignal): Promise<List<ApiKey>> {
  const found: ApiKey[] = [];
  for (;;) {
    const limit = group ? PAGE_MOST : PAGE;
    const page: List<ApiKey> = await get(`/v1/admin/keys${query({ limit, after: after ?? undefined })}`, { signal });
    found.push(...page.data.filter((key) => !group || key.group === group));
    if (found.length >= PAGE || !page.has_more || !group) return { ...page, data: found };
    after = page.last_id;
  }
}

function AllKeys({ group }: { group: string | null }) {
  const [shown, setShown] = useState<Open | null>(null);
  const list = useList<ApiKey>((after, signal) => ask(group, after, signal), [group]);
  const groups = useGroups();
  const budgets = useLoad((signal) => readBudgets(PAGE_MOST, signal), []);
  const groupName = (id: string) => groups.data?.find((one) => one.id === id)?.name || id;
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
      {group && (
        <ul class="chips">
          <li>
            {fill(words.keys.ofGroup, { name: groupName(group) })}
            <a class="button bare" href={href('keys')} title={words.keys.ofAll} aria-label={words.keys.ofAll}>
              <Icon name="close" />
            </a>
          </li>
        </ul>
      )}
      <State
        of={list}
        empty={(data) => data.length === 0}
        none={
          <Empty title={group ? words.keys.noneOf : words.keys.none}>
            <p>{words.keys.noneText}</p>
          </Empty>
        }
      >
        {(data) => (
          <KeyTable
            rows={data}
            onOpen={setShown}
            groupName={groupName}
            left={(key) => budgets.data?.find((row) => row.key === key.id)}
          />
        )}
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

interface KeyTableProps {
  rows: ApiKey[];
  onOpen: (what: Open) => void;
  groupName: (id: string) => string;
  left: (key: ApiKey) => BudgetRow | undefined; // of a budget that was used
}

function KeyTable({ rows, onOpen, groupName, left }: KeyTableProps) {
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
        {
          title: words.keys.group,
          cell: (key) =>
            key.group === null ? (
              words.units.none
            ) : (
              <a href={href('keys', null, { group: key.group })} title={key.group}>
                {groupName(key.group)}
              </a>
            ),
        },
        { title: words.keys.allowance, cell: (key) => allowanceLines(key, left(key)) },
        {
          title: words.keys.lastUse,
          cell: (key) =>
            key.last_used_at === null ? (
              words.keys.never
            ) : (
              <a href={href('runs', null, { key: key.id })} title={words.keys.runs}>
                <Time at={key.last_used_at} />
              </a>
            ),
        },
        { title: words.keys.actions, bare: true, cell: (key) => key.status !== 'revoked' && <Actions of={key} onOpen={onOpen} /> },
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

function Actions({ of, onOpen }: { of: ApiKey; onOpen: (what: Open) => void }) {
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
