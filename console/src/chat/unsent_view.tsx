// A message that the gateway has refused, where it was said, with the reason and what can be done with it.
import { useMemo } from 'preact/hooks';
import type { Chat } from './chat';
import { words } from '../words';
import { FailedNotice } from './failed';
import type { Options } from './options_of';
import { TurnView } from './turn';
import type { Unsent } from './unsent';

interface UnsentViewProps {
  chat: Chat;
  unsent: Unsent;
  options: Options; // to send it again with
}

export function UnsentView({ chat, unsent, options }: UnsentViewProps) {
  const turn = useMemo(() => chat.turnOf(unsent), [unsent]);
  const { error } = unsent;
  const again = (options: Options) => void chat.sendAgain(unsent, options);
  const edit = () => chat.takeBack(unsent);
  const busy = chat.activity.value !== 'idle';
  return (
    <>
      <TurnView chat={chat} turn={turn} live={false} joined={false} hit={false} unsent={error ? words.chat.notSent : ''} />
      {error ? (
        <FailedNotice failed={{ error, provider: null, again, edit }} options={options} busy={busy} />
      ) : (
        <div class="notice">
          <div>
            <span>{words.chat.notKnown}</span>
            <span class="row wrap">
              <button type="button" class="primary" disabled={busy} onClick={() => again(options)}>
                {words.failed.retry}
              </button>
              <button type="button" onClick={edit}>
                {words.failed.edit}
              </button>
            </span>
          </div>
        </div>
      )}
    </>
  );
}
