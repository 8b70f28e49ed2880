// The form of a key, new or known: what it may do, for how long, and how much.
import { useState } from 'preact/hooks';
import { get } from '../api';
import { FormDialog } from '../parts/action';
import { announce } from '../parts/announce';
import { words } from '../words';
import type { ApiKey, KeyMade, Rate } from './keys';

const SCOPES = ['chat', 'read', 'files', 'admin', 'execute'] as const;

interface Fields {
  name: string;
  scopes: string[];
  models: string; // one a line, or with commas between
  expires: string; // a time as the browser's field has it; '': never
  requests: string;
  requestsWindow: string;
  tokens: string;
  tokensWindow: string;
  concurrent: string;
  money: string;
  budgetTokens: string;
  budgetWindow: string;
}

const text = (value: number | string | null | undefined) =>
  value === null || value === undefined ? '' : String(value);

function fieldsOf(key: ApiKey | null): Fields {
  return {
    name: key?.name ?? '',
    scopes: key?.scopes ?? ['chat', 'read', 'files'],
    models: key?.models?.join('\n') ?? '',
    expires: key?.expires_at ? local(key.expires_at) : '',
    requests: text(key?.limits?.requests?.count),
    requestsWindow: key?.limits?.requests?.window ?? '1m',
    tokens: text(key?.limits?.tokens?.count),
    tokensWindow: key?.limits?.tokens?.window ?? '1m',
    concurrent: text(key?.limits?.concurrent),
    money: text(key?.budget?.money),
    budgetTokens: text(key?.budget?.tokens),
    budgetWindow: key ? text(key.budget?.window) : '30d',
  };
}

// The value of a datetime-local field, which has no zone.
function local(seconds: number): string {
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const rate = (count: string, window: string): Rate | undefined =>
  count ? { count: Number(count), window } : undefined;

// A change replaces the whole of limits and budget; {} removes them, as ["*"] removes a list of models.
function bodyOf(fields: Fields, key: ApiKey | null) {
  const models = fields.models
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter(Boolean);
  const limits = {
    requests: rate(fields.requests, fields.requestsWindow),
    tokens: rate(fields.tokens, fields.tokensWindow),
    concurrent: fields.concurrent ? Number(fields.concurrent) : undefined,
    max_body: key?.limits?.max_body ?? undefined,
  };
  const has_budget = fields.money !== '' || fields.budgetTokens !== '';
  const budget = {
    money: fields.money || undefined,
    tokens: fields.budgetTokens ? Number(fields.budgetTokens) : undefined,
    window: (has_budget && fields.budgetWindow) || undefined,
  };
  const expires_at = fields.expires ? Math.floor(new Date(fields.expires).getTime() / 1000) : 0;
  // a field has minutes: what was not touched keeps its seconds
  const same = key?.expires_at && local(key.expires_at) === fields.expires;
  return {
    name: fields.name,
    scopes: fields.scopes,
    models: models.length ? models : key ? ['*'] : undefined,
    expires_at: same ? key.expires_at : expires_at,
    limits,
    budget,
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
  const field = (name: keyof Omit<Fields, 'scopes'>, more: Record<string, unknown> = {}) => (
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
      <details open={of?.limits !== null && of !== null}>
        <summary>{words.keys.limits}</summary>
        <div class="pairs">
          <label>
            {words.keys.requests}
            {field('requests', { type: 'number', min: 1, step: 1 })}
          </label>
          <label>
            {words.keys.window}
            {field('requestsWindow', window_field)}
          </label>
          <label>
            {words.keys.tokens}
            {field('tokens', { type: 'number', min: 1, step: 1 })}
          </label>
          <label>
            {words.keys.window}
            {field('tokensWindow', window_field)}
          </label>
          <label>
            {words.keys.concurrent}
            {field('concurrent', { type: 'number', min: 1, step: 1 })}
          </label>
        </div>
      </details>
      <details open={of?.budget !== null && of !== null}>
        <summary>{words.keys.budget}</summary>
        <div class="pairs">
          <label>
            {words.keys.money}
            {field('money', { inputMode: 'decimal', pattern: '[0-9]+(\\.[0-9]{1,9})?' })}
          </label>
          <label>
            {words.keys.tokens}
            {field('budgetTokens', { type: 'number', min: 1, step: 1 })}
          </label>
          <label>
            {words.keys.renews}
            {field('budgetWindow', window_field)}
          </label>
        </div>
      </details>
    </FormDialog>
  );
}

const window_field = { pattern: '[0-9]+[smhd]', title: words.keys.windowHint, placeholder: words.keys.windowExample };

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
