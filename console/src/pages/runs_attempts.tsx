// The calls of providers that one run needed: a line of time, and the same as a table.
import { duration, money } from '../parts/format';
import { Table } from '../parts/table';
import { fill, words } from '../words';
import { Tokens } from './runs';
import type { Run, Usage } from './runs_model';

export interface Attempt {
  provider: string | null;
  key: number | null; // the place of the provider's, where it has several
  model: string | null;
  started_at_ms: number | null;
  first_token_at_ms: number | null;
  ended_at_ms: number | null;
  outcome: keyof typeof words.runs.outcomes;
  http_status: number | null;
  error_code: string | null;
  usage: Usage | null;
  usage_source: 'provider' | 'estimated' | null;
  cost: string | null;
}

const span = (from: number | null, to: number | null) =>
  from === null || to === null ? words.units.none : duration(to - from);

export function Attempts({ run, of }: { run: Run; of: Attempt[] }) {
  return (
    <section class="stack">
      <h2>{words.runs.attemptsTitle}</h2>
      {of.some((attempt) => attempt.started_at_ms !== null) && <Timeline run={run} of={of} />}
      <AttemptTable of={of} />
    </section>
  );
}

// Whom an attempt has asked.
function Asked({ of }: { of: Attempt }) {
  return (
    <>
      {of.provider ?? words.units.none}
      {of.key !== null && <span class="fine"> {fill(words.models.keyPlace, { n: of.key })}</span>}
    </>
  );
}

// One bar for each attempt, on the time from the arrival of the call to its end: until its first words, and from then on.
// The table below says the same.
function Timeline({ run, of }: { run: Run; of: Attempt[] }) {
  const begin = Math.min(run.created_at_ms, ...of.map((attempt) => attempt.started_at_ms ?? Infinity));
  const ends = of.map((attempt) => attempt.ended_at_ms ?? attempt.first_token_at_ms ?? attempt.started_at_ms ?? begin);
  const end = Math.max(begin + 1, run.created_at_ms + (run.duration_ms ?? 0), ...ends);
  const share = (at: number) => (100 * (at - begin)) / (end - begin);
  return (
    <figure class="card timeline">
      <ul aria-hidden="true">
        {of.map((attempt, i) => {
          if (attempt.started_at_ms === null) return null;
          const from = share(attempt.started_at_ms),
            first = attempt.first_token_at_ms === null ? null : share(attempt.first_token_at_ms),
            to = share(ends[i]!);
          return (
            <li key={i}>
              <span class="name">
                <Asked of={attempt} />
              </span>
              <svg viewBox="0 0 100 6" preserveAspectRatio="none">
                <rect class="time-all" width="100" height="6" />
                <rect
                  class={attempt.outcome === 'failed' || attempt.outcome === 'lost' ? 'time-failed' : 'time-wait'}
                  x={from}
                  width={Math.max(0.4, (first ?? to) - from)}
                  height="6"
                />
                {first !== null && <rect class="time-words" x={first} width={Math.max(0.4, to - first)} height="6" />}
              </svg>
              <span class="fine">{span(attempt.started_at_ms, attempt.ended_at_ms)}</span>
            </li>
          );
        })}
      </ul>
      <figcaption>
        <ul class="legend">
          {(['wait', 'words', 'failed'] as const).map((name) => (
            <li key={name}>
              <span class={`swatch time-${name}`} />
              {words.runs.timeline[name]}
            </li>
          ))}
        </ul>
        <span class="fine">{fill(words.runs.inAll, { time: duration(end - begin) })}</span>
      </figcaption>
    </figure>
  );
}

// The wait of an attempt is the time since the one before it.
function AttemptTable({ of }: { of: Attempt[] }) {
  const rows = of.map((attempt, i) => ({ attempt, n: i + 1, wait: i === 0 ? null : of[i - 1]!.ended_at_ms }));
  return (
    <Table
      caption={words.runs.attemptsTitle}
      rows={rows}
      id={(row) => String(row.n)}
      columns={[
        { title: words.runs.attempt, cell: (row) => row.n },
        {
          title: words.runs.provider,
          cell: ({ attempt }) => (
            <>
              <Asked of={attempt} />
              {attempt.model && (
                <p class="fine">
                  <code>{attempt.model}</code>
                </p>
              )}
            </>
          ),
        },
        { title: words.runs.outcome, cell: ({ attempt }) => <Outcome of={attempt} /> },
        { title: words.runs.wait, numeric: true, cell: (row) => span(row.wait, row.attempt.started_at_ms) },
        {
          title: words.runs.first,
          numeric: true,
          cell: ({ attempt }) => span(attempt.started_at_ms, attempt.first_token_at_ms),
        },
        {
          title: words.runs.duration,
          numeric: true,
          cell: ({ attempt }) => span(attempt.started_at_ms, attempt.ended_at_ms),
        },
        {
          title: words.runs.tokensIn,
          numeric: true,
          cell: ({ attempt }) => <Tokens of={attempt} which="prompt_tokens" />,
        },
        {
          title: words.runs.tokensOut,
          numeric: true,
          cell: ({ attempt }) => <Tokens of={attempt} which="completion_tokens" />,
        },
        { title: words.runs.cost, numeric: true, cell: ({ attempt }) => money(attempt.cost) },
      ]}
    />
  );
}

function Outcome({ of }: { of: Attempt }) {
  const kind = { running: 'going', completed: 'good', failed: 'bad', cancelled: '', lost: 'bad' }[of.outcome];
  return (
    <>
      <span class={`badge ${kind}`}>{words.runs.outcomes[of.outcome]}</span>
      {(of.http_status !== null || of.error_code) && (
        <p class="fine">
          {of.http_status} <code>{of.error_code}</code>
        </p>
      )}
    </>
  );
}
