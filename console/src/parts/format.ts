// Numbers, times and sizes in the browser's language.
import { fill, words, type Plural } from '../words';

const plurals = new Intl.PluralRules(undefined);
const integers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const compacts = new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 3 });
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const clocks = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const exactDays = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const shorts = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const relatives = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const number = (value: number | null | undefined): string =>
  value === null || value === undefined ? words.units.none : integers.format(value);

const percents = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
// percent: of a part of one. What is there at all is not zero.
export const percent = (part: number): string =>
  part > 0 && part < 0.0005 ? `< ${percents.format(0.001)}` : percents.format(part);

export const compact = (value: number): string => compacts.format(value);

// count: "1 token", "2 tokens".
export const count = (value: number, forms: Plural): string =>
  fill(plurals.select(value) === 'one' ? forms.one : forms.other, { n: integers.format(value) });

// The currency of all money, which session.ts learns with the key; '': not known.
let currency = '';
export function nameCurrency(code: string): void {
  currency = code;
}

// money: a decimal string of the gateway, in its currency; of small sums, the first three digits.
export function money(value: string | null | undefined): string {
  if (value === null || value === undefined) return words.units.none;
  const amount = Number(value);
  const digits = amount !== 0 && Math.abs(amount) < 0.1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
  const unit = currency ? ({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const) : {};
  return new Intl.NumberFormat(undefined, { ...unit, ...digits }).format(amount);
}

export function bytes(value: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const step = Math.min(units.length - 1, value > 0 ? Math.floor(Math.log10(value) / 3) : 0);
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: units[step],
    unitDisplay: 'short',
    maximumSignificantDigits: 3,
  }).format(value / 1000 ** step);
}

// duration: "340 ms", "1.25 s", "59 min 55 s", "1 h", "2 d 3 h": from two minutes on in the two units that fit.
const LONG = [
  { size: 86400, from: 2 * 86400, unit: words.units.d },
  { size: 3600, from: 3600, unit: words.units.h },
  { size: 60, from: 120, unit: words.units.min },
  { size: 1, from: 0, unit: words.units.s },
];

export function duration(ms: number): string {
  if (ms < 1000) return fill(words.units.ms, { n: Math.round(ms) });
  const seconds = Math.round(ms / 1000);
  const place = LONG.findIndex(({ from }) => seconds >= from);
  const [unit, next] = [LONG[place]!, LONG[place + 1]];
  if (!next) return fill(words.units.s, { n: decimals.format(ms / 1000) });
  const parts = Math.round(seconds / next.size); // of the smaller unit
  const whole = Math.floor((parts * next.size) / unit.size);
  const rest = parts - (whole * unit.size) / next.size;
  const said = fill(unit.unit, { n: integers.format(whole) });
  return rest > 0 ? `${said} ${fill(next.unit, { n: rest })}` : said;
}

// Seconds since 1970, as all times of the gateway.
export const time = (seconds: number): string => times.format(seconds * 1000);
export const day = (seconds: number): string => days.format(seconds * 1000);
export const clock = (seconds: number): string => clocks.format(seconds * 1000);
// Milliseconds since 1970, where a call's order and duration are looked at.
export const clockWithMs = (at: number): string => exact.format(at);
export const timeExact = (at: number): string => exactDays.format(at);
export const dayShort = (at: number): string => shorts.format(at);
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

// ago: "5 minutes ago", "yesterday"; the day itself from a week on.
export function ago(seconds: number, now = Date.now() / 1000): string {
  const past = seconds - now;
  if (Math.abs(past) < 60) return relatives.format(Math.round(past), 'second');
  if (Math.abs(past) < 3600) return relatives.format(Math.round(past / 60), 'minute');
  if (Math.abs(past) < 86400) return relatives.format(Math.round(past / 3600), 'hour');
  if (Math.abs(past) < 7 * 86400) return relatives.format(Math.round(past / 86400), 'day');
  return day(seconds);
}

/** An excerpt without the marks of Markdown. The gateway ends it after 120 characters, wherever they end. */
export function plainWords(excerpt: string): string {
  const whole = [...excerpt].length < 120;
  return excerpt.replace(/\*\*|`|(^|\s)#+(?=\s)/g, '$1') + (whole ? '' : '…');
}
