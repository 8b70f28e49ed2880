// The limits and the budget of a key or a group: as a form has them, and as a table says them.
import { money, number, time } from '../parts/format';
import { fill, words } from '../words';
import type { Budget } from './usage_budget';

export interface Rate {
  count: number;
  window: string;
}

export interface Allowance {
  limits: { requests?: Rate | null; tokens?: Rate | null; concurrent?: number | null; max_body?: number | null } | null;
  budget: {
    money?: string | null;
    tokens?: number | null;
    window?: string | null;
    each?: { tag: string; money: string; window: string } | null;
  } | null;
  keep?: string | null; // how long conversations are kept
}

export interface AllowanceFields {
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

export function allowanceFields(of: Allowance | null): AllowanceFields {
  return {
    requests: text(of?.limits?.requests?.count),
    requestsWindow: of?.limits?.requests?.window ?? '1m',
    tokens: text(of?.limits?.tokens?.count),
    tokensWindow: of?.limits?.tokens?.window ?? '1m',
    concurrent: text(of?.limits?.concurrent),
    money: text(of?.budget?.money),
    budgetTokens: text(of?.budget?.tokens),
    budgetWindow: of ? text(of.budget?.window) : '30d',
  };
}

const rate = (count: string, window: string): Rate | undefined =>
  count ? { count: Number(count), window } : undefined;

// A change replaces the whole of limits and budget, and {} removes them: what the form does not have stays.
export function allowanceBody(fields: AllowanceFields, of: Allowance | null) {
  const has_budget = fields.money !== '' || fields.budgetTokens !== '';
  return {
    limits: {
      requests: rate(fields.requests, fields.requestsWindow),
      tokens: rate(fields.tokens, fields.tokensWindow),
      concurrent: fields.concurrent ? Number(fields.concurrent) : undefined,
      max_body: of?.limits?.max_body ?? undefined,
    },
    budget: {
      money: fields.money || undefined,
      tokens: fields.budgetTokens ? Number(fields.budgetTokens) : undefined,
      window: (has_budget && fields.budgetWindow) || undefined,
      each: of?.budget?.each ?? undefined,
    },
  };
}

export const namesOf = (text: string) =>
  text
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter(Boolean);

const window_field = { pattern: '[0-9]+[smhd]', title: words.keys.windowHint, placeholder: words.keys.windowExample };

interface AllowanceInputsProps {
  of: Allowance | null;
  fields: AllowanceFields;
  onChange: (change: Partial<AllowanceFields>) => void;
}

export function AllowanceInputs({ of, fields, onChange }: AllowanceInputsProps) {
  const field = (name: keyof AllowanceFields, more: Record<string, unknown>) => (
    <input value={fields[name]} onInput={(event) => onChange({ [name]: event.currentTarget.value })} {...more} />
  );
  const count = { type: 'number', min: 1, step: 1 };
  return (
    <>
      <details open={of !== null && of.limits !== null}>
        <summary>{words.keys.limits}</summary>
        <div class="pairs">
          <label>
            {words.keys.requests}
            {field('requests', count)}
          </label>
          <label>
            {words.keys.window}
            {field('requestsWindow', window_field)}
          </label>
          <label>
            {words.keys.tokens}
            {field('tokens', count)}
          </label>
          <label>
            {words.keys.window}
            {field('tokensWindow', window_field)}
          </label>
          <label>
            {words.keys.concurrent}
            {field('concurrent', count)}
          </label>
        </div>
      </details>
      <details open={of !== null && of.budget !== null}>
        <summary>{words.keys.budget}</summary>
        <div class="pairs">
          <label>
            {words.keys.money}
            {field('money', { inputMode: 'decimal', pattern: '[0-9]+(\\.[0-9]{1,9})?' })}
          </label>
          <label>
            {words.keys.tokens}
            {field('budgetTokens', count)}
          </label>
          <label>
            {words.keys.renews}
            {field('budgetWindow', window_field)}
          </label>
        </div>
      </details>
    </>
  );
}

function linesOf({ limits, budget, keep }: Allowance): string[] {
  const lines: string[] = [];
  const limit = (words_: string, of: Rate | null | undefined) =>
    of && lines.push(fill(words_, { n: number(of.count), window: of.window }));
  limit(words.keys.requestsIn, limits?.requests);
  limit(words.keys.tokensIn, limits?.tokens);
  if (limits?.concurrent) lines.push(fill(words.keys.atOnce, { n: number(limits.concurrent) }));
  const window = budget?.window ? fill(words.keys.every, { window: budget.window }) : '';
  if (budget?.money) lines.push(fill(words.keys.budgetMoney, { n: money(budget.money), window }));
  if (budget?.tokens) lines.push(fill(words.keys.budgetTokens, { n: number(budget.tokens), window }));
  const each = budget?.each;
  if (each)
    lines.push(
      fill(words.keys.budgetEach, {
        n: money(each.money),
        tag: each.tag,
        window: fill(words.keys.every, { window: each.window }),
      }),
    );
  if (keep) lines.push(fill(words.keys.keeps, { time: keep }));
  return lines;
}

// allowanceLines: the word for none, where nothing is limited. left: what is left of the budget, where that is known.
export function allowanceLines(of: Allowance, left: Budget | null | undefined) {
  const lines = linesOf(of);
  if (lines.length === 0) return words.units.none;
  return (
    <ul class="plain fine">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
      {left && (
        <li>
          <strong>{leftText(left)}</strong>
        </li>
      )}
    </ul>
  );
}

// leftText: "0.8 of 10 left · Resets …".
export function leftText({ cost, tokens, renewed_at }: Budget): string {
  const parts = [
    cost && fill(words.overview.leftOf, { left: money(cost.left), limit: money(cost.limit) }),
    tokens && fill(words.overview.leftOfTokens, { left: number(tokens.left), limit: number(tokens.limit) }),
    renewed_at !== null && fill(words.usage.renewed, { when: time(renewed_at) }),
  ];
  return parts.filter(Boolean).join(' · ');
}
