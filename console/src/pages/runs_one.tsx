// One run: what became of it and why, each call of a provider, and its stream once more.
import type { ComponentChildren } from 'preact';
import { ApiError, call, get } from '../api';
import { useAction } from '../parts/action';
import { announce } from '../parts/announce';
import { Copy } from '../parts/copy';
import { money, timeExact } from '../parts/format';
import { Icon } from '../parts/icon';
import { useLoad } from '../parts/load';
import { Refused, State } from '../parts/state';
import { go, href } from '../router';
import { admin, may } from '../session';
import { words } from '../words';
import { mine, ms, StatusBadge, Tokens } from './runs';
import { Attempts, type Attempt } from './runs_attempts';
import { keyOf, live, whole, type Run } from './runs_model';
import { RunStream } from './runs_stream';
import { Why } from './runs_why';

type RunRead = Run & { attempt_list?: Attempt[] };

const read = async (path: string, more: { method?: string; signal?: AbortSignal }): Promise<RunRead> => {
  const run = await get<RunRead>(path, more);
  return { ...whole(run), attempt_list: run.attempt_list };
};

// Of a run of another key, administrators see everything but its content.
async function find(id: string, signal: AbortSignal): Promise<RunRead> {
  try {
    return await read(`/v1/runs/${id}`, { signal });
  } catch (error) {
    if (!admin.value || !(error instanceof ApiError) || error.status !== 404) throw error;
    return read(`/v1/admin/runs/${id}`, { signal });
  }
}

export function RunPage({ id }: { id: string }) {
  const of = useLoad((signal) => find(id, signal), [id]);
  return (
    <div class="page runs">
      <p>
        <a href={href('runs')}>{words.runs.back}</a>
      </p>
      <header class="row wrap between">
        <h1>{words.runs.one}</h1>
        <p class="fine row run-id">
          <code>{id}</code>
          <Copy text={id} bare label={words.runs.copyId} />
        </p>
      </header>
      <State of={of}>{(run) => <Details run={run} onChange={of.set} onEnd={of.reload} />}</State>
    </div>
  );
}

interface DetailsProps {
  run: RunRead;
  onChange: (run: RunRead) => void;
  onEnd: () => void;
}

function Details({ run, onChange, onEnd }: DetailsProps) {
  const own = mine(run);
  return (
    <>
      <section class="card stack">
        <header class="row wrap between">
          <span class="row wrap">
            <StatusBadge of={run} />
            {run.status === 'incomplete' && <span class="fine">{words.runs.incomplete}</span>}
            {!run.stored && <span class="badge">{words.runs.notStored}</span>}
          </span>
          {own && <Actions run={run} onChange={onChange} />}
        </header>
        <Why of={run} />
        <Facts run={run} />
        {run.continues && (
          <p>
            {words.runs.continues} <a href={href('runs', run.continues)}>{run.continues}</a>
          </p>
        )}
      </section>
      {run.attempt_list && run.attempt_list.length > 0 && <Attempts run={run} of={run.attempt_list} />}
      {own && (run.stored || live(run.status)) ? (
        <RunStream key={run.id} run={run.id} going={live(run.status)} onEnd={onEnd} />
      ) : (
        <p class="fine">{run.stored ? words.runs.otherKey : words.runs.notStoredText}</p>
      )}
    </>
  );
}

function Facts({ run }: { run: RunRead }) {
  const key = keyOf(run);
  const link = (name: 'model' | 'provider', value: string | null) =>
    value === null ? words.units.none : <a href={href('runs', null, { [name]: value })}>{value}</a>;
  return (
    <dl class="fact-list">
      <Fact name={words.runs.begun} value={timeExact(run.created_at_ms)} />
      <Fact
        name={words.runs.ended}
        value={run.duration_ms === null ? words.units.none : timeExact(run.created_at_ms + run.duration_ms)}
      />
      <Fact name={words.runs.duration} value={ms(run.duration_ms)} />
      <Fact name={words.runs.first} value={ms(run.first_token_ms)} />
      <Fact name={words.runs.model} value={link('model', run.model)} />
      <Fact name={words.runs.provider} value={link('provider', run.provider)} />
      {key && (
        <Fact
          name={words.runs.key}
          value={
            admin.value ? <a href={href('runs', null, { key: key.id })}>{key.name || key.id}</a> : key.id
          }
        />
      )}
      <Fact name={words.runs.family} value={run.family ?? words.units.none} />
      <Fact name={words.runs.httpStatus} value={run.http_status ?? words.units.none} />
      <Fact name={words.runs.finish} value={run.finish_reason ?? words.units.none} />
      <Fact name={words.runs.tokensIn} value={<Tokens of={run} which="prompt_tokens" />} />
      <Fact name={words.runs.tokensOut} value={<Tokens of={run} which="completion_tokens" />} />
      <Fact name={words.runs.cost} value={money(run.cost)} />
      <Fact name={words.runs.attempts} value={run.attempts} />
      {run.cache && <Fact name={words.runs.cache} value={<Cached run={run} />} />}
    </dl>
  );
}

// Cached: what the answer cache has done, and the run whose answer was given again.
function Cached({ run }: { run: RunRead }) {
  return (
    <>
      {words.runs.caches[run.cache!]}
      {run.cached_from && (
        <>
          {' '}
          <a href={href('runs', run.cached_from)}>{words.runs.cachedFrom}</a>
        </>
      )}
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

function Actions({ run, onChange }: { run: RunRead; onChange: (run: RunRead) => void }) {
  const action = useAction();
  const cancel = () =>
    action.run(async () => {
      onChange(await read(`/v1/runs/${run.id}/cancel`, { method: 'POST' }));
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
      {may('chat') && run.stored && (run.status === 'incomplete' || run.status === 'cancelled') && (
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
