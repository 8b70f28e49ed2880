// The groups of keys, and what is left of budgets, as several pages read them.
import { ApiError, get, query, type List } from '../api';
import { useLoad, type Load } from '../parts/load';
import type { Allowance } from './allowance';
import type { Budget } from './usage_budget';

export interface Group extends Allowance {
  id: string;
  name: string;
  models: string[] | null;
  hooks: string[] | null;
  metadata: Record<string, string>;
  created_at: number;
  keys: number; // those that are not revoked
  left: Budget | null;
}

export interface BudgetRow extends Budget {
  key: string | null;
  group: string | null; // one of both
  name: string | null;
}

const PAGE = 100;
const GROUPS_MOST = 1000; // that a gateway has

export const nameOf = (of: { id: string; name: string }) => of.name || of.id;

export async function readGroups(signal: AbortSignal): Promise<Group[]> {
  const found: Group[] = [];
  for (let after: string | undefined; found.length < GROUPS_MOST; ) {
    const page: List<Group> = await get(`/v1/admin/groups${query({ limit: PAGE, after })}`, { signal });
    found.push(...page.data);
    if (!page.has_more || !page.last_id) break;
    after = page.last_id;
  }
  return found;
}

// useGroups: all of them, newest first.
export function useGroups(): Load<Group[]> {
  return useLoad(readGroups, []);
}

// readBudgets: those nearest to their end; none where this listener has no such route.
export async function readBudgets(limit: number, signal: AbortSignal): Promise<BudgetRow[]> {
  try {
    return (await get<{ data: BudgetRow[] }>(`/v1/admin/budgets?limit=${limit}`, { signal })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}
