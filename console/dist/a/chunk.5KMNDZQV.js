import {
  fill,
  words
} from "./chunk.NTQJNANU.js";

// src/parts/format.ts
var plurals = new Intl.PluralRules(void 0);
var integers = new Intl.NumberFormat(void 0, { maximumFractionDigits: 0 });
var decimals = new Intl.NumberFormat(void 0, { maximumSignificantDigits: 3 });
var compacts = new Intl.NumberFormat(void 0, { notation: "compact", maximumSignificantDigits: 3 });
var times = new Intl.DateTimeFormat(void 0, { dateStyle: "medium", timeStyle: "short" });
var days = new Intl.DateTimeFormat(void 0, { dateStyle: "medium" });
var clocks = new Intl.DateTimeFormat(void 0, { timeStyle: "short" });
var relatives = new Intl.RelativeTimeFormat(void 0, { numeric: "auto" });
var number = (value) => value === null || value === void 0 ? words.units.none : integers.format(value);
var compact = (value) => compacts.format(value);
var count = (value, forms) => fill(plurals.select(value) === "one" ? forms.one : forms.other, { n: integers.format(value) });
function money(value) {
  if (value === null || value === void 0) return words.units.none;
  const amount = Number(value);
  const digits = amount !== 0 && Math.abs(amount) < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
  return new Intl.NumberFormat(void 0, digits).format(amount);
}
function bytes(value) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = Math.min(units.length - 1, value > 0 ? Math.floor(Math.log10(value) / 3) : 0);
  return new Intl.NumberFormat(void 0, {
    style: "unit",
    unit: units[step],
    unitDisplay: "short",
    maximumSignificantDigits: 3
  }).format(value / 1e3 ** step);
}
var duration = (ms) => ms < 1e3 ? fill(words.units.ms, { n: Math.round(ms) }) : fill(words.units.s, { n: decimals.format(ms / 1e3) });
var time = (seconds) => times.format(seconds * 1e3);
var day = (seconds) => days.format(seconds * 1e3);
var iso = (seconds) => new Date(seconds * 1e3).toISOString();
function ago(seconds, now = Date.now() / 1e3) {
  const past = seconds - now;
  if (Math.abs(past) < 60) return relatives.format(Math.round(past), "second");
  if (Math.abs(past) < 3600) return relatives.format(Math.round(past / 60), "minute");
  if (Math.abs(past) < 86400) return relatives.format(Math.round(past / 3600), "hour");
  if (Math.abs(past) < 7 * 86400) return relatives.format(Math.round(past / 86400), "day");
  return day(seconds);
}

export {
  number,
  compact,
  count,
  money,
  bytes,
  duration,
  time,
  day,
  iso,
  ago
};
