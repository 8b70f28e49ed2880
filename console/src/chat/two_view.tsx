// Two answers side by side, below the message that both answer; on a phone one below the other.
import { words } from '../words';
import type { Chat } from './chat';
import { FailedNotice } from './failed';
import { TurnView } from './turn';
import type { Half } from './two';
import type { Turn } from './store';

export function TwoView({ chat, code }: { chat: Chat; code: (turn: Turn) => void }) {
  return (
    <div class="two" role="group" aria-label={words.chat.two}>
      {chat.two.value?.map((half) => (
        <section key={half.turn.key} aria-label={half.turn.model!}>
          <header class="row between">
            <strong dir="auto">{half.turn.model}</strong>
            <Choice chat={chat} half={half} />
          </header>
          {(!half.error.value || half.turn.segments.length > 0) && (
            <TurnView chat={half} turn={half.turn} live={half.busy} joined={false} hit={false} code={code} />
          )}
          {half.error.value && (
            <FailedNotice failed={{ error: half.error.value, provider: half.run?.provider ?? null }} />
          )}
        </section>
      ))}
    </div>
  );
}

function Choice({ chat, half }: { chat: Chat; half: Half }) {
  if (half.busy)
    return (
      <button type="button" onClick={() => void chat.stopOf(half)}>
        {words.chat.stop}
      </button>
    );
  return half.answered ? (
    <button type="button" onClick={() => void chat.keep(half)}>
      {words.chat.keep}
    </button>
  ) : null;
}
