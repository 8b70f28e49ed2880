// The pictures of the overview: calls by how they ended, durations, the first token, spend; and the hours as a table.
import { useState } from 'preact/hooks';
import { Chart, Legend, type Series } from '../parts/chart';
import { clock, compact, dayShort, duration, money, number, percent, time } from '../parts/format';
import { Table, type Column } from '../parts/table';
import { words } from '../words';
import {
  bucketed,
  completed,
  errorRate,
  hoursBetween,
  stepOf,
  type HourRow,
  type Percentiles,
  type Sums,
} from './overview_hours';
import { runsOf, type Question } from './overview_page';

interface ChartsProps {
  of: HourRow[];
  from: number;
  last: number;
  question: Question;
}

const HEIGHT = 200;

export function Charts({ of, from, last, question }: ChartsProps) {
  const step = stepOf(question.range);
  const buckets = bucketed(of, from, last, step);
  const hours = hoursBetween(from, last);
  const known = new Map(of.map((row) => [row.hour, row]));
  const percentile = (name: keyof Percentiles) => hours.map((hour) => known.get(hour)?.[name] ?? null);
  const ends = (name: string, tone: string, value: (sums: Sums) => number): Series => ({
    name,
    tone,
    values: buckets.map(({ sums }) => value(sums)),
  });
  const pick = (start: number, length: number) => {
    location.hash = runsOf(question, { from: String(start), to: String(start + length) });
  };
  const bars = {
    kind: 'bars' as const,
    places: buckets.map((bucket) => placeName(bucket.from, step)),
    tick: tickOf(buckets.map((bucket) => bucket.from), question),
    onPick: (i: number) => pick(buckets[i]!.from, step),
  };
  const lines = {
    kind: 'lines' as const,
    places: hours.map((hour) => placeName(hour, 3600)),
    tick: tickOf(hours, question),
    format: duration,
    onPick: (i: number) => pick(hours[i]!, 3600),
  };
  return (
    <>
      <div class="charts">
        <Picture
          {...bars}
          title={words.overview.calls}
          sums
          format={compact}
          series={[
            ends(words.runs.words.completed, 'tone-good', completed),
            ends(words.overview.leftName, 'tone-left', (sums) => sums.cancelled + sums.client_left),
            ends(words.runs.words.refused, 'tone-warn', (sums) => sums.refused),
            ends(words.runs.words.failed, 'tone-bad', (sums) => sums.failed),
          ]}
        />
        <Picture
          {...lines}
          title={words.overview.durations}
          series={[
            { name: words.overview.percentiles.p50, tone: 'tone-good', values: percentile('p50_ms') },
            { name: words.overview.percentiles.p95, tone: 'part-1', values: percentile('p95_ms') },
            { name: words.overview.percentiles.p99, tone: 'part-4', values: percentile('p99_ms') },
          ]}
        />
        <Picture
          {...lines}
          title={words.overview.first}
          series={[
            { name: words.overview.percentiles.p50, tone: 'tone-good', values: percentile('first_token_p50_ms') },
            { name: words.overview.percentiles.p95, tone: 'part-1', values: percentile('first_token_p95_ms') },
          ]}
        />
        <Picture
          {...bars}
          title={words.overview.spend}
          format={(value) => money(String(value))}
          series={[ends(words.overview.spend, 'part-2', (sums) => Number(sums.cost))]}
        />
      </div>
      <HourTable of={of} question={question} />
    </>
  );
}

function Picture({ title, ...chart }: { title: string } & Omit<Parameters<typeof Chart>[0], 'label' | 'height'>) {
  return (
    <figure class="card">
      <figcaption class="row wrap between">
        <h2>{title}</h2>
        {chart.series.length > 1 && <Legend of={chart.series.filter(({ values }) => values.some((value) => value))} />}
      </figcaption>
      <Chart {...chart} height={HEIGHT} label={`${title}. ${words.overview.chart}`} />
    </figure>
  );
}

const placeName = (from: number, step: number) =>
  step >= 86_400 ? dayShort(1000 * from) : `${time(from)} – ${clock(from + step)}`;

// Hours have the clock below them, and days their name where they begin.
function tickOf(places: number[], { range }: Question): (place: number) => string | null {
  if (range === '1h' || range === '24h') return (i) => clock(places[i]!);
  let before = '';
  const names = places.map((at) => {
    const name = dayShort(1000 * at);
    if (name === before) return null;
    before = name;
    return name;
  });
  return (i) => names[i]!;
}

const ms = (value: number | null): string => (value === null ? words.units.none : duration(value));

// Up to 720 rows: they are made when they are wanted.
function HourTable({ of, question }: { of: HourRow[]; question: Question }) {
  const [shown, setShown] = useState(false);
  return (
    <details class="stack" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>{words.overview.asTable}</summary>
      {shown && (
        <Table
          caption={words.overview.asTable}
          rows={[...of].sort((a, b) => b.hour - a.hour)}
          id={(row) => String(row.hour)}
          columns={columns(question)}
        />
      )}
    </details>
  );
}

function columns(question: Question): Column<HourRow>[] {
  const figure = (title: string, cell: (row: HourRow) => string): Column<HourRow> => ({ title, cell, numeric: true });
  return [
    {
      title: words.overview.hour,
      cell: (row) => (
        <a href={runsOf(question, { from: String(row.hour), to: String(row.hour + 3600) })}>{time(row.hour)}</a>
      ),
    },
    figure(words.overview.calls, (row) => number(row.calls)),
    figure(words.overview.errors, (row) => {
      const rate = errorRate(row);
      return rate === null ? words.units.none : percent(rate);
    }),
    figure(words.runs.words.failed, (row) => number(row.failed)),
    figure(words.runs.words.refused, (row) => number(row.refused)),
    figure(words.overview.percentiles.p50, (row) => ms(row.p50_ms)),
    figure(words.overview.percentiles.p95, (row) => ms(row.p95_ms)),
    figure(words.overview.percentiles.p99, (row) => ms(row.p99_ms)),
    figure(words.overview.firstP50, (row) => ms(row.first_token_p50_ms)),
    figure(words.overview.firstP95, (row) => ms(row.first_token_p95_ms)),
    figure(words.overview.spend, (row) => money(row.cost)),
  ];
}
