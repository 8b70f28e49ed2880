// The small dialogs of a chat: another answer, and the request as a program.
import { useState } from 'preact/hooks';
import { Copy } from '../parts/copy';
import { Dialog } from '../parts/dialog';
import { words } from '../words';
import { ModelChoice } from './options';
import { snippet, type Language } from './snippets';

interface AgainProps {
  model: string;
  answer: (model: string) => void;
  close: () => void;
}

export function AgainDialog({ model, answer, close }: AgainProps) {
  const [chosen, setChosen] = useState(model);
  return (
    <Dialog title={words.chat.again} onClose={close}>
      <form method="dialog" onSubmit={() => answer(chosen)}>
        <p>{words.chat.againText}</p>
        <label>
          {words.chat.model}
          <ModelChoice value={chosen} change={setChosen} />
        </label>
        <footer>
          <button class="primary">{words.chat.again}</button>
        </footer>
      </form>
    </Dialog>
  );
}

const languages: Language[] = ['curl', 'python', 'node'];

export function CodeDialog({ body, close }: { body: unknown; close: () => void }) {
  const [language, setLanguage] = useState<Language>('curl');
  const text = snippet(language, body);
  return (
    <Dialog title={words.chat.code} onClose={close}>
      <div class="stack">
        <div class="row between">
          <span class="row">
            {languages.map((one) => (
              <button key={one} type="button" aria-pressed={one === language} onClick={() => setLanguage(one)}>
                {words.chat.languages[one]}
              </button>
            ))}
          </span>
          <Copy text={text} />
        </div>
        <pre class="snippet" tabIndex={0}>
          {text}
        </pre>
        <p class="fine">{words.chat.codeText}</p>
      </div>
    </Dialog>
  );
}
