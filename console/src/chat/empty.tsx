// An answer without any words: that there was one, and another try.
import { words } from '../words';
import type { Empty } from './chat';
import { RunLink } from './failed';
import { Finish } from './finish';
import { ModelSelect } from './model_select';
import type { Options } from './options_of';

interface EmptyNoticeProps {
  empty: Empty;
  options: Options; // to ask again with
  busy: boolean;
}

export function EmptyNotice({ empty: { run, again }, options, busy }: EmptyNoticeProps) {
  return (
    <div class="notice">
      <div>
        <span>{words.chat.noWords}</span>
        <Finish reason={run.finish_reason} />
        <span class="row wrap">
          <button type="button" class="primary" disabled={busy} onClick={() => again(options)}>
            {words.chat.again}
          </button>
          {!busy && (
            <ModelSelect
              icon="chevron"
              label={words.chat.againWith}
              value={run.model}
              change={(model) => again({ ...options, model })}
            />
          )}
          <RunLink id={run.id} />
        </span>
      </div>
    </div>
  );
}
