// The form of a key, new or known: what it may do, for how long, and how much.
import { useState } from 'preact/hooks';
import { get } from '../api';
import { FormDialog } from '../parts/action';
import { announce } from '../parts/announce';
import { fill, words } from '../words';
import { allowanceBody, allowanceFields, AllowanceInputs, namesOf, type AllowanceFields } from './allowance';
import { nameOf, useGroups } from './groups_list';
import type { ApiKey, KeyMade } from './keys';
import { useOverview, type Model } from './overview';

const SCOPES = ['chat', 'read', 'files', 'admin', 'execute'] as const;

interface Fields extends AllowanceFields {
  name: string;
  scopes: string[];
  group: string; // its id; '': none
  models: string; // one a line, or with commas between
  expires: string; // a time as the browser's field has it; '': never
}

function fieldsOf(key: ApiKey | null): Fields {
  return {
    name: key?.name ?? '',
    scopes: key?.scopes ?? ['chat', 'read', 'files'],
    group: key?.group ?? '',
    models: key?.models?.join('\n') ?? '',
    expires: key?.expires_at ? local(key.expires_at) : '',
    ...allowanceFields(key),
  };
}

// The value of a datetime-local field, which has no zone.
function local(seconds: number): string {
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

// ["*"] removes a list of models.
function bodyOf(fields: Fields, key: ApiKey | null) {
  const models = namesOf(fields.models);
  const expires_at = fields.expires ? Math.floor(new Date(fields.expires).getTime() / 1000) : 0;
  // a field has minutes: what was not touched keeps its seconds
  const same = key?.expires_at && local(key.expires_at) === fields.expires;
  return {
    name: fields.name,
    scopes: fields.scopes,
    group: fields.group === (key?.group ?? '') ? undefined : fields.group,
    models: models.length ? models : key ? ['*'] : undefined,
    expires_at: same ? key.expires_at : expires_at,
    ...allowanceBody(fields, key),
  };
}

interface KeyFormProps {
  of: ApiKey | null; // null: a new one
  onClose: () => void;
  onMade: (key: KeyMade) => void;
  onChanged: (key: ApiKey) => void;
}

export function KeyForm({ of, onClose, onMade, onChanged }: KeyFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(of));
  const put = (change: Partial<Fields>) => setFields((old) => ({ ...old, ...change }));
  const submit = async () => {
    const body = bodyOf(fields, of);
    if (!of) return onMade(await get<KeyMade>('/v1/admin/keys', { method: 'POST', body }));
    onChanged(await get<ApiKey>(`/v1/admin/keys/${of.id}`, { method: 'POST', body }));
    announce(words.keys.changed);
    onClose();
  };
  const field = (name: 'name' | 'expires', more: Record<string, unknown> = {}) => (
    <input value={fields[name]} onInput={(event) => put({ [name]: event.currentTarget.value })} {...more} />
  );
  return (
    <FormDialog
      title={of ? words.keys.edit : words.keys.make}
      submit={of ? words.actions.save : words.keys.make}
      disabled={fields.scopes.length === 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <label>
        {words.keys.name}
        {field('name', { maxLength: 128, required: true, autocomplete: 'off' })}
      </label>
      <Scopes of={fields.scopes} onChange={(scopes) => put({ scopes })} />
      <GroupChoice value={fields.group} onChange={(group) => put({ group })} />
      <label>
        {words.keys.expires}
        {field('expires', { type: 'datetime-local' })}
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
      {fields.money !== '' && <Unpriced models={fields.models} />}
    </FormDialog>
  );
}

// A budget in money can't be kept for a model without a price, nor for one that leads to it: these are refused.
function Unpriced({ models }: { models: string }) {
  const { data } = useOverview();
  const refused = data ? refusedOf(data.models, namesOf(models)) : [];
  if (refused.length === 0) return null;
  return (
    <p class="fine unsure" role="status">
      {fill(words.keys.unpriced, { names: refused.join(', ') })}
    </p>
  );
}

function refusedOf(models: Model[], allowed: string[]): string[] {
  const unpriced = (of: Model) => of.targets.some((target) => target.price_source === 'none');
  const of = new Map(models.map((model) => [model.name, model]));
  return models
    .filter((model) => allowed.length === 0 || allowed.some((name) => covers(name, model.name)))
    .filter((model) => [model, ...model.fallback.map((name) => of.get(name))].some((one) => one && unpriced(one)))
    .map((model) => model.name);
}

// covers: whether a name of a key's list, which may end in a star, and a model's name have a name in common.
function covers(listed: string, name: string) {
  const [a, b] = [listed, name].map((text) => text.replace(/\*$/, ''));
  return listed.endsWith('*') || name.endsWith('*')
    ? (listed.endsWith('*') && b.startsWith(a)) || (name.endsWith('*') && a.startsWith(b))
    : listed === name;
}

// GroupChoice: nothing, where there are no groups.
function GroupChoice({ value, onChange }: { value: string; onChange: (group: string) => void }) {
  const { data } = useGroups();
  if (!value && !data?.length) return null;
  return (
    <label>
      {words.keys.group}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{words.keys.noGroup}</option>
        {value && !data?.some(({ id }) => id === value) && <option value={value}>{value}</option>}
        {data?.map((group) => (
          <option key={group.id} value={group.id}>
            {nameOf(group)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Scopes({ of, onChange }: { of: string[]; onChange: (scopes: string[]) => void }) {
  return (
    <fieldset class="scopes">
      <legend>{words.keys.scopes}</legend>
      {SCOPES.map((scope) => (
        <label key={scope} class="choice">
          <input
            type="checkbox"
            checked={of.includes(scope)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...of, scope] : of.filter((one) => one !== scope))
            }
          />
          <span>
            <strong>{scope}</strong> <span class="fine">{words.keys.scopeTexts[scope]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
