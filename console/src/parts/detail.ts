// The message of an error, as it is shown: the gateway's sums have no currency, which is the console's to name.
import { byGateway, type Blamed } from './blame';
import { money } from './format';

const LEFT = /, and ([\d.]+) (?:is|are) left of /;
const SUMS = /(?<= may cost up to )[\d.]+(?=,)|[\d.]+(?= is left of )|(?<= of )[\d.]+(?=;|$| is used up)/g;

// somethingLeft: whether a budget that a call was refused for is not used up; the call may need more.
export const somethingLeft = (message: string): boolean => Number(LEFT.exec(message)?.[1]) > 0;

export function detailOf(error: Blamed & { message: string }): string {
  if (error.code !== 'insufficient_quota' || !byGateway(error)) return error.message;
  const path = `${error.param}: `; // the text names whose budget it is
  const text = error.message.startsWith(path) ? error.message.slice(path.length) : error.message;
  return text.replace(SUMS, money);
}
