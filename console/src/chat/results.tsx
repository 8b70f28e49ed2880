// The results of an answer's calls, entered by who reads: the turn goes on with them. The page itself calls nothing.
import { useState } from 'preact/hooks';
import { fill, words } from '../words';
import type { Segment } from './segments';

interface ResultsProps {
  calls: (Segment & { type: 'call' })[];
  send: (results: { id: string; text: string }[]) => void;
}

export function Results({ calls, send }: ResultsProps) {
  const [texts, setTexts] = useState<Record<string, string>>({});
  return (
    <form
      class="results"
      onSubmit={(event) => {
        event.preventDefault();
        send(calls.map(({ id }) => ({ id: id!, text: texts[id!] ?? '' })));
      }}
    >
      <p class="fine">{words.chat.results}</p>
      {calls.map(({ id, name, text }) => (
        <label key={id}>
          <span>
            {fill(words.chat.resultOf, { name })} <code>{text}</code>
          </span>
          <textarea
            rows={2}
            class="mono"
            dir="auto"
            spellcheck={false}
            value={texts[id!] ?? ''}
            onInput={(event) => {
              const { value } = event.currentTarget;
              setTexts((old) => ({ ...old, [id!]: value }));
            }}
          />
        </label>
      ))}
      <div class="row">
        <button class="primary">{words.chat.resultsSend}</button>
      </div>
    </form>
  );
}
