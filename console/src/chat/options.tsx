// What a call can be told beside the message, in a dialog.
import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog';
import { may } from '../session';
import { words } from '../words';
import type { Options } from './options_of';

interface OptionsDialogProps {
  options: Options;
  change: (options: Partial<Options>) => void;
  close: () => void;
}

export function OptionsDialog({ options, change, close }: OptionsDialogProps) {
  const [tools, setTools] = useState(options.tools);
  const wrong = tools.trim() !== '' && !isList(tools);
  return (
    <Dialog title={words.chat.options} onClose={close}>
      <form method="dialog">
        <label>
          {words.chat.instruction}
          <textarea
            rows={3}
            dir="auto"
            placeholder={words.chat.instructionHint}
            value={options.instruction}
            onInput={(event) => change({ instruction: event.currentTarget.value })}
          />
        </label>
        <div class="pair">
          <label>
            {words.chat.temperature}
            <input
              type="number"
              min="0"
              max="2"
              step="any"
              placeholder={words.chat.byModel}
              value={options.temperature}
              onInput={(event) => change({ temperature: event.currentTarget.value })}
            />
          </label>
          <label>
            {words.chat.maxTokens}
            <input
              type="number"
              min="1"
              max="1000000"
              step="1"
              placeholder={words.chat.byModel}
              value={options.max_tokens}
              onInput={(event) => change({ max_tokens: event.currentTarget.value })}
            />
          </label>
        </div>
        <label>
          {words.chat.tools}
          <textarea
            rows={3}
            class="mono"
            spellcheck={false}
            aria-invalid={wrong}
            value={tools}
            onInput={(event) => {
              const text = event.currentTarget.value;
              setTools(text);
              if (text.trim() === '' || isList(text)) change({ tools: text });
            }}
          />
          <span class="fine">{wrong ? words.chat.toolsWrong : words.chat.toolsHint}</span>
        </label>
        <Check label={words.chat.lmc} checked={options.lmc} change={(lmc) => change({ lmc })} />
        <Check label={words.chat.store} checked={options.store} change={(store) => change({ store })} />
        {may('execute') && options.store && (
          <Check label={words.chat.computer} checked={options.computer} change={(computer) => change({ computer })} />
        )}
        <footer>
          <button class="primary">{words.actions.close}</button>
        </footer>
      </form>
    </Dialog>
  );
}

function Check({ label, checked, change }: { label: string; checked: boolean; change: (on: boolean) => void }) {
  return (
    <label class="choice">
      <input type="checkbox" checked={checked} onChange={(event) => change(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

function isList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
