// Why there is no answer: who said so, in which words, and what can be done.
import { ApiError } from '../api';
import { byGateway } from '../parts/blame';
import { detailOf, somethingLeft } from '../parts/detail';
import { duration } from '../parts/format';
import { Icon } from '../parts/icon';
import { href } from '../router';
import { may } from '../session';
import { fill, words } from '../words';
import type { Options } from './options_of';
import type { Run } from './store';

export interface Failed {
  error: ApiError;
  provider: string | null; // that was asked
  again?: (options: Options) => void;
  edit?: () => void; // the message goes back to where it was written; absent: it is stored
}

export function errorOfRun({ id, error, status, attempts }: Run): ApiError {
  if (status === 'cancelled') return new ApiError(499, '', 'cancelled');
  return new ApiError(502, error?.message ?? '', error?.code ?? null, null, error?.param, null, attempts > 0, id, error?.type);
}

// titleOf: who refuses or fails. The gateway is named only where it is the gateway.
export function titleOf(error: ApiError, provider: string | null): string {
  const { status, code, type } = error;
  const who = provider ? fill(words.failed.named, { provider }) : words.failed.unnamed;
  if (status === 0) return words.state.offline;
  if (!byGateway(error)) return fill(byProvider(status, code), { who });
  switch (code) {
    case 'cancelled':
      return words.chat.ends.cancelled;
    case 'server_stopped':
    case 'server_shutting_down':
      return words.failed.stopped;
    case 'exported_unfinished':
      return words.failed.exported;
    case 'no_healthy_upstream':
      return words.failed.unhealthy;
    case 'insufficient_quota':
      return somethingLeft(error.message) ? words.failed.overBudget : words.failed.budget;
    case 'rate_limit_exceeded':
      return words.failed.limit;
    case 'model_not_found':
      return words.failed.model;
    default:
      return (type ? type === 'server_error' : status >= 500) ? words.failed.gateway : words.state.refused;
  }
}

// Their titles say all that their messages say.
const ended = new Set(['server_stopped', 'server_shutting_down', 'exported_unfinished']);

// saidOf: who has ended an answer, and why.
export function saidOf(run: Run): string {
  const error = errorOfRun(run);
  const title = titleOf(error, run.provider ?? null);
  return ended.has(error.code ?? '') ? `${title}.` : `${title}: ${detailOf(error)}`;
}

function byProvider(status: number, code: string | null): string {
  if (status === 429 || code === 'rate_limit_exceeded') return words.failed.rate;
  if (code === 'upstream_auth_failed' || code === 'upstream_credentials_exhausted') return words.failed.key;
  if (code === 'upstream_connect_failed' || code === 'connect_timeout') return words.failed.unreachable;
  if (code?.endsWith('_timeout')) return words.failed.slow;
  if (code === 'stream_incomplete') return words.failed.cut;
  return status < 500 ? words.failed.refused : words.failed.broken;
}

// RunLink: to the run that has failed, with all that is known of it.
export function RunLink({ id }: { id: string | null }) {
  return id && may('read') ? <a href={href('runs', id)}>{words.failed.run}</a> : null;
}

const waitOf = (error: ApiError) =>
  error.code === 'insufficient_quota' && byGateway(error) ? words.failed.renewed : words.failed.again;

interface FailedNoticeProps {
  failed: Failed;
  options?: Options; // to ask again with
  busy?: boolean;
}

export function FailedNotice({ failed, options, busy }: FailedNoticeProps) {
  const { error, provider, again, edit } = failed;
  const stopped = error.code === 'cancelled'; // by who reads
  const wait = error.retry_after ? ` (${fill(waitOf(error), { time: duration(error.retry_after * 1000) })})` : '';
  return (
    <div class={stopped ? 'notice' : 'notice bad'} role={stopped ? undefined : 'alert'}>
      {!stopped && <Icon name="warn" />}
      <div>
        <strong>
          {titleOf(error, provider)}
          {wait}
        </strong>
        {error.status !== 0 && !stopped && <p dir="auto">{detailOf(error)}</p>}
        {(error.code || error.request_id) && !stopped && (
          <p class="fine">
            {error.request_id && error.status} {error.code}
            {error.request_id && (
              <>
                {' · '}
                {words.state.request} <code>{error.request_id}</code>
              </>
            )}
          </p>
        )}
        <span class="row wrap">
          {again && options && (
            <button type="button" class={stopped ? '' : 'primary'} disabled={busy} onClick={() => again(options)}>
              {words.failed.retry}
            </button>
          )}
          {edit && (
            <button type="button" onClick={edit}>
              {words.failed.edit}
            </button>
          )}
          {!stopped && <RunLink id={error.run} />}
        </span>
      </div>
    </div>
  );
}
