// The request as a program, in a dialog.
import { useState } from 'preact/hooks';
import { Copy } from '../parts/copy';
import { Dialog } from '../parts/dialog';
import { words } from '../words';
import { snippet, type Language } from './snippets';

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
