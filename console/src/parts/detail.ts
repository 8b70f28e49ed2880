// The message of an error, as it is shown: the gateway's sums have no currency, and its waits are seconds.
import { byGateway, type Blamed } from './blame';
import { duration, money } from './format';

const LEFT = /, and ([\d.]+) (?:is|are) left of /;
const SUMS = /(?<= may cost up to )[\d.]+(?=,)|[\d.]+(?= is left of )|(?<= of )[\d.]+(?=;|$| is used up)/g;

// somethingLeft: whether a budget that a call was refused for is not used up; the call may need more.
export const somethingLeft = (message: string): boolean => Number(LEFT.exec(message)?.[1]) > 0;

// What is said of a wait, in the gateway's texts of limits, budgets and providers that are not asked for a while.
const WAIT = /(; (?:try again|the next try is|the budget is renewed) in )(\d+) s\b/;

// detailOf: with retry_after, the wait is said elsewhere.
export function detailOf(error: Blamed & { message: string; retry_after?: number | null }): string {
  if (!byGateway(error) && error.code !== 'upstream_rate_limited') return error.message;
  const path = `${error.param}: `; // such as `key`: the text names whose limit or budget it is
  const named = error.code === 'insufficient_quota' || error.code === 'rate_limit_exceeded';
  const text = named && error.message.startsWith(path) ? error.message.slice(path.length) : error.message;
  const sums = error.code === 'insufficient_quota' ? text.replace(SUMS, money) : text;
  return sums.replace(WAIT, (_, before, seconds) => (error.retry_after ? '' : before + duration(1000 * seconds)));
}
