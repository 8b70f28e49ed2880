// Why a call failed, in words, and what can be done.
import { byGateway, theirs } from '../parts/blame';
import { detailOf } from '../parts/detail';
import { Icon } from '../parts/icon';
import { words } from '../words';
import { wordOf, type Run } from './runs_model';
import { otherwise, reasons, type Reason } from './runs_words';

export function reasonOf(run: Run): Reason | null {
  const word = wordOf(run);
  if (word === 'client_left') return otherwise.client_left;
  if (!run.error) return null;
  // one code has two meanings: our limit, which asks nobody, and the provider's
  if (run.error.code === 'rate_limit_exceeded')
    return run.attempts > 0 ? otherwise.limitOfProvider : otherwise.limitOfGateway;
  const { code } = run.error;
  if (byGateway({ ...run.error, asked: run.attempts > 0 })) return reasons[code] ?? otherwise.refused;
  return (theirs.has(code) && reasons[code]) || otherwise.provider;
}

export function Why({ of }: { of: Run }) {
  const reason = reasonOf(of);
  if (!reason) return null;
  return (
    <div class={of.error ? 'notice bad' : 'notice'}>
      <Icon name="warn" />
      <div>
        <strong>{reason.why}</strong>
        {of.error?.message && of.stored && <p dir="auto">{detailOf({ ...of.error, message: of.error.message, asked: of.attempts > 0 })}</p>}
        <p>{reason.help}</p>
        {of.error && !of.stored && <p>{words.runs.noErrorText}</p>}
        {of.error && (
          <p class="fine">
            {of.http_status !== null && `${of.http_status} `}
            <code>{of.error.code}</code>
            {of.provider && of.attempts > 0 && ` · ${words.runs.provider} ${of.provider}`}
          </p>
        )}
      </div>
    </div>
  );
}
