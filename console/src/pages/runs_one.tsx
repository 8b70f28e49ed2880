// One run: what became of it, each call of a provider, and its stream once more.
import type { ComponentChildren } from 'preact';
import { call, get } from '../api';
import { useAction } from '../parts/action';
import { announce } from '../parts/announce';
import { Copy } from '../parts/copy';
import { duration, money, time } from '../parts/format';
import { Icon } from '../parts/icon';
import { useLoad } from '../parts/load';
import { Refused, State } from '../parts/state';
import { Table } from '../parts/table';
import { go, href } from '../router';
import { may } from '../session';
import { words } from '../words';
import { live, StatusBadge, Tokens, type Run, type Usage } from './runs';
import { RunStream } from './runs_stream';

interface Attempt {
  provider: string | null;
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

type RunRead = Run & { attempt_list?: Attempt[] };

export function RunPage({ id }: { id: string }) {
  const read = useLoad((signal) => get<RunRead>(`/v1/runs/${id}`, { signal }), [id]);
  return (
    <div class="page runs">
      <p>
        <a href={href('runs')}>{words.runs.back}</a>
      </p>
      <header class="row wrap between">
        <h1>{words.runs.one}</h1>
        <p class="fine row">
          <code>{id}</code>
          <Copy text={id} bare label={words.runs.copyId} />
        </p>
      </header>
      <State of={read}>{(run) => <Details run={run} onChange={read.set} onEnd={read.reload} />}</State>
    </div>
  );
}

interface DetailsProps {
  run: RunRead;
  onChange: (run: RunRead) => void;
  onEnd: () => void;
}

function Details({ run, onChange, onEnd }: DetailsProps) {
  return (
    <>
      <section class="card stack">
        <header class="row wrap between">
          <StatusBadge of={run.status} />
          <Actions run={run} onChange={onChange} />
        </header>
        {run.error && <Failed of={run.error} />}
        <dl class="fact-list">
          <Fact name={words.runs.model} value={run.model} />
          <Fact name={words.runs.provider} value={run.provider ?? words.units.none} />
          <Fact name={words.runs.begun} value={time(run.created_at)} />
          <Fact name={words.runs.ended} value={run.completed_at === null ? words.units.none : time(run.completed_at)} />
          <Fact name={words.runs.finish} value={run.finish_reason ?? words.units.none} />
          <Fact name={words.runs.tokensIn} value={<Tokens of={run} which="prompt_tokens" />} />
          <Fact name={words.runs.tokensOut} value={<Tokens of={run} which="completion_tokens" />} />
          <Fact name={words.runs.cost} value={money(run.cost)} />
        </dl>
        {run.continues && (
          <p>
            {words.runs.continues} <a href={href('runs', run.continues)}>{run.continues}</a>
          </p>
        )}
      </section>
      {run.attempt_list && run.attempt_list.length > 0 && (
        <section class="stack">
          <h2>{words.runs.attemptsTitle}</h2>
          <Attempts of={run.attempt_list} />
        </section>
      )}
      <RunStream key={run.id} run={run.id} going={live(run.status)} onEnd={onEnd} />
    </>
  );
}

function Fact({ name, value }: { name: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Failed({ of }: { of: { code: string; message: string } }) {
  return (
    <div class="notice bad">
      <Icon name="warn" />
      <div>
        <strong>{of.code}</strong>
        {of.message && <p>{of.message}</p>}
      </div>
    </div>
  );
}

function Actions({ run, onChange }: { run: RunRead; onChange: (run: RunRead) => void }) {
  const action = useAction();
  const cancel = () =>
    action.run(async () => {
      onChange(await get<RunRead>(`/v1/runs/${run.id}/cancel`, { method: 'POST' }));
      announce(words.runs.cancelled);
    });
  // The new run goes on in the background: its page shows it.
  const goOn = () =>
    action.run(async () => {
      const answer = await call(`/v1/runs/${run.id}/continue`, {
        method: 'POST',
        body: { background: true },
        headers: { 'Idempotency-Key': crypto.randomUUID() },
      });
      go('runs', ((await answer.json()) as Run).id);
    });
  return (
    <div class="row wrap">
      {may('chat') && live(run.status) && (
        <button type="button" class="danger" disabled={action.busy} onClick={cancel}>
          <Icon name="stop" />
          {words.runs.cancel}
        </button>
      )}
      {may('chat') && (run.status === 'incomplete' || run.status === 'cancelled') && (
        <button type="button" class="primary" disabled={action.busy} onClick={goOn}>
          <Icon name="again" />
          {words.runs.goOn}
        </button>
      )}
      {run.conversation && (
        <a class="button" href={href('chat', run.conversation)}>
          <Icon name="chat" />
          {words.runs.conversation}
        </a>
      )}
      {action.error && <Refused error={action.error} />}
    </div>
  );
}

const span = (from: number | null, to: number | null) =>
  from === null || to === null ? words.units.none : duration(to - from);

// The wait of an attempt is the time since the one before it, or since the run began to ask.
function Attempts({ of }: { of: Attempt[] }) {
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
              {attempt.provider ?? words.units.none}
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
