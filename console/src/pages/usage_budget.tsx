// What is left of a key's budget: spent, reserved by running calls, left, and when it begins anew.
import { money, number, time } from '../parts/format';
import { fill, words } from '../words';

interface Part<T> {
  limit: T;
  spent: T;
  reserved: T;
  left: T;
}

export interface Budget {
  cost: Part<string> | null;
  tokens: Part<number> | null;
  renewed_at: number | null;
}

export function BudgetBars({ of }: { of: Budget }) {
  return (
    <section class="card budget">
      <header class="row wrap between">
        <h2>{words.usage.budget}</h2>
        {of.renewed_at !== null && <p class="fine">{fill(words.usage.renewed, { when: time(of.renewed_at) })}</p>}
      </header>
      {of.cost && <Bar title={words.usage.measures.cost} of={of.cost} format={(value) => money(String(value))} />}
      {of.tokens && (
        <Bar title={words.usage.measures.tokens} of={of.tokens} format={(value) => number(Number(value))} />
      )}
    </section>
  );
}

interface BarProps {
  title: string;
  of: Part<string> | Part<number>;
  format: (value: string | number) => string;
}

function Bar({ title, of, format }: BarProps) {
  const limit = Number(of.limit) || 1;
  const share = (value: string | number) => 100 * Math.min(1, Math.max(0, Number(value) / limit));
  const spent = share(of.spent);
  const reserved = Math.min(100 - spent, share(of.reserved));
  return (
    <div class="stack">
      <h3>{title}</h3>
      <svg class="budget-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="budget-left" width="100" height="4" />
        <rect class="budget-spent" width={spent} height="4" />
        <rect class="budget-reserved" x={spent} width={reserved} height="4" />
      </svg>
      <dl class="budget-figures">
        <Figure name="spent" value={format(of.spent)} />
        <Figure name="reserved" value={format(of.reserved)} />
        <Figure name="left" value={format(of.left)} />
        <Figure name="limit" value={format(of.limit)} />
      </dl>
    </div>
  );
}

function Figure({ name, value }: { name: 'spent' | 'reserved' | 'left' | 'limit'; value: string }) {
  return (
    <div>
      <dt>
        {name !== 'limit' && <span class={`swatch budget-${name}`} />}
        {words.usage[name]}
      </dt>
      <dd>{value}</dd>
    </div>
  );
}
