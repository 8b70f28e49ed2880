// What is left of the budgets of keys and groups, those near their end first.
import { useLoad } from '../parts/load';
import { href } from '../router';
import { words } from '../words';
import { leftText } from './allowance';
import { readBudgets, type BudgetRow } from './groups_list';
import type { Budget } from './usage_budget';

const SHOWN = 8;
const NEAR = 0.8;

// used: the part of a budget that is spent or reserved; of two limits, the one that is nearer.
export function used({ cost, tokens }: Budget): number {
  const part = (of: Budget['cost'] | Budget['tokens']) =>
    of ? (Number(of.spent) + Number(of.reserved)) / (Number(of.limit) || 1) : 0;
  return Math.max(part(cost), part(tokens));
}

export function Budgets({ turn }: { turn: number }) {
  const read = useLoad((signal) => readBudgets(SHOWN, signal), [turn]);
  if (!read.data || read.data.length === 0) return null;
  return (
    <section class="card stack" aria-label={words.overview.budgets}>
      <header class="row wrap between">
        <h2>{words.overview.budgets}</h2>
        <a href={href('keys')}>{words.overview.allKeys}</a>
      </header>
      <ul class="budget-list">
        {read.data.map((budget) => (
          <Row key={budget.key ?? budget.group} of={budget} />
        ))}
      </ul>
    </section>
  );
}

function Row({ of }: { of: BudgetRow }) {
  const part = used(of);
  const id = of.key ?? of.group ?? '';
  return (
    <li>
      <a class="quiet name" href={href('runs', null, of.key ? { key: id } : { group: id })} title={id}>
        {of.name || id}
        {of.group && <span class="badge">{words.keys.group}</span>}
      </a>
      <svg class="budget-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="budget-left" width="100" height="4" />
        <rect class={part >= NEAR ? 'budget-near' : 'budget-spent'} width={100 * Math.min(1, part)} height="4" />
      </svg>
      <span class="fine">{leftText(of)}</span>
    </li>
  );
}
