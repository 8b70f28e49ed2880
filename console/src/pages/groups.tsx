// The groups of keys: what each may use, what is left of it, and whose keys it has.
import { useState } from 'preact/hooks';
import { get } from '../api';
import { FormDialog } from '../parts/action';
import { announce } from '../parts/announce';
import { count, number } from '../parts/format';
import { Icon } from '../parts/icon';
import { Empty, State } from '../parts/state';
import { Table } from '../parts/table';
import { href } from '../router';
import { fill, words } from '../words';
import {
  allowanceBody,
  allowanceFields,
  AllowanceInputs,
  allowanceLines,
  namesOf,
  type AllowanceFields,
} from './allowance';
import { nameOf, useGroups, type Group } from './groups_list';

type Open = { kind: 'make' } | { kind: 'edit' | 'remove'; of: Group };

export default function Groups() {
  const [shown, setShown] = useState<Open | null>(null);
  const read = useGroups();
  const close = () => setShown(null);
  const done = (said: string) => {
    announce(said);
    close();
    read.reload();
  };
  return (
    <div class="page keys-page">
      <header class="row wrap between">
        <h1>{words.pages.groups}</h1>
        <button type="button" class="primary" onClick={() => setShown({ kind: 'make' })}>
          <Icon name="plus" />
          {words.groups.make}
        </button>
      </header>
      <p class="fine">{words.groups.text}</p>
      <State
        of={read}
        empty={(data) => data.length === 0}
        none={
          <Empty title={words.groups.none}>
            <p>{words.groups.noneText}</p>
          </Empty>
        }
      >
        {(data) => <GroupTable rows={data} onOpen={setShown} />}
      </State>
      {shown?.kind === 'make' && <GroupForm of={null} onClose={close} onDone={done} />}
      {shown?.kind === 'edit' && <GroupForm of={shown.of} onClose={close} onDone={done} />}
      {shown?.kind === 'remove' && <Remove of={shown.of} onClose={close} onDone={done} />}
    </div>
  );
}

function GroupTable({ rows, onOpen }: { rows: Group[]; onOpen: (what: Open) => void }) {
  return (
    <Table
      caption={words.pages.groups}
      rows={rows}
      id={(group) => group.id}
      columns={[
        {
          title: words.keys.name,
          cell: (group) => (
            <>
              {group.name || words.keys.noName}
              <br />
              <code class="fine">{group.id}</code>
            </>
          ),
        },
        {
          title: words.groups.keys,
          numeric: true,
          cell: (group) => (
            <a href={href('keys', null, { group: group.id })} aria-label={fill(words.groups.keysOf, { n: number(group.keys), name: nameOf(group) })}>
              {number(group.keys)}
            </a>
          ),
        },
        { title: words.keys.models, cell: (group) => group.models?.join(', ') ?? words.keys.allModels },
        { title: words.keys.allowance, cell: (group) => allowanceLines(group, group.left) },
        { title: words.groups.hooks, cell: (group) => group.hooks?.join(', ') ?? words.units.none },
        {
          title: words.groups.calls,
          cell: (group) => (
            <span class="row wrap">
              <a href={href('runs', null, { group: group.id })} aria-label={fill(words.overview.runsOf, { name: nameOf(group) })}>
                {words.pages.runs}
              </a>
              <a href={href('usage', null, { by: 'group' })}>{words.pages.usage}</a>
            </span>
          ),
        },
        { title: words.keys.actions, bare: true, cell: (group) => <Actions of={group} onOpen={onOpen} /> },
      ]}
    />
  );
}

function Actions({ of, onOpen }: { of: Group; onOpen: (what: Open) => void }) {
  const button = (kind: 'edit' | 'remove', icon: 'edit' | 'trash') => (
    <button
      type="button"
      class="bare"
      title={words.groups[kind]}
      aria-label={`${words.groups[kind]}: ${nameOf(of)}`}
      onClick={() => onOpen({ kind, of })}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <span class="row">
      {button('edit', 'edit')}
      {button('remove', 'trash')}
    </span>
  );
}

interface DialogProps<T> {
  of: T;
  onClose: () => void;
  onDone: (said: string) => void;
}

interface Fields extends AllowanceFields {
  name: string;
  models: string; // one a line, or with commas between
  hooks: string; // likewise
}

function GroupForm({ of, onClose, onDone }: DialogProps<Group | null>) {
  const [fields, setFields] = useState<Fields>(() => ({
    name: of?.name ?? '',
    models: of?.models?.join('\n') ?? '',
    hooks: of?.hooks?.join(', ') ?? '',
    ...allowanceFields(of),
  }));
  const put = (change: Partial<Fields>) => setFields((old) => ({ ...old, ...change }));
  const submit = async () => {
    const models = namesOf(fields.models);
    const body = {
      name: fields.name,
      models: models.length ? models : of ? ['*'] : undefined, // ["*"] removes a list of models
      hooks: namesOf(fields.hooks),
      ...allowanceBody(fields, of),
    };
    await get<Group>(`/v1/admin/groups${of ? `/${of.id}` : ''}`, { method: 'POST', body });
    onDone(of ? words.groups.changed : words.groups.made);
  };
  return (
    <FormDialog
      title={of ? words.groups.edit : words.groups.make}
      submit={of ? words.actions.save : words.groups.make}
      onSubmit={submit}
      onClose={onClose}
    >
      <label>
        {words.keys.name}
        <input
          value={fields.name}
          maxLength={128}
          required
          autocomplete="off"
          onInput={(event) => put({ name: event.currentTarget.value })}
        />
      </label>
      <label>
        {words.keys.modelsOnly}
        <textarea
          rows={2}
          placeholder={words.keys.modelsHint}
          value={fields.models}
          onInput={(event) => put({ models: event.currentTarget.value })}
        />
      </label>
      <AllowanceInputs of={of} fields={fields} onChange={put} />
      <label>
        {words.groups.hooksToo}
        <input
          value={fields.hooks}
          placeholder={words.groups.hooksHint}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => put({ hooks: event.currentTarget.value })}
        />
      </label>
    </FormDialog>
  );
}

// Remove: a group that has keys is not deleted, and the dialog says what to do first.
function Remove({ of, onClose, onDone }: DialogProps<Group>) {
  const submit = async () => {
    await get(`/v1/admin/groups/${of.id}`, { method: 'DELETE' });
    onDone(words.groups.removed);
  };
  return (
    <FormDialog
      title={fill(words.groups.removeTitle, { name: nameOf(of) })}
      submit={words.groups.remove}
      danger
      disabled={of.keys > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      {of.keys > 0 ? (
        <p>
          {count(of.keys, words.groups.inUse)}{' '}
          <a href={href('keys', null, { group: of.id })}>{words.groups.showKeys}</a>
        </p>
      ) : (
        <p>{words.groups.removeText}</p>
      )}
    </FormDialog>
  );
}
