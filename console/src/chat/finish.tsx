// Why the model has stopped, where the answer may lack something.
import { fill, words } from '../words';

const whole = new Set(['stop', 'tool_calls', 'function_call']);

export function Finish({ reason }: { reason: string | null | undefined }) {
  if (!reason || whole.has(reason)) return null;
  return <p class="fine">{words.chat.finishes[reason] ?? fill(words.chat.finish, { reason })}</p>;
}
