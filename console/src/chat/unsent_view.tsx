// A message that the gateway has refused, where it was said, with the reason and what can be done with it.
import { useMemo } from 'preact/hooks';
import type { Chat } from './chat';
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
  const failed = {
    error: unsent.error,
    provider: null,
    again: (options: Options) => void chat.sendAgain(unsent, options),
    edit: () => chat.takeBack(unsent),
  };
  return (
    <>
      <TurnView chat={chat} turn={turn} live={false} joined={false} hit={false} unsent />
      <FailedNotice failed={failed} options={options} busy={chat.activity.value !== 'idle'} />
    </>
  );
}
