// The instruction of a conversation, at its top: what the model is told before all messages.
import { useState } from 'preact/hooks';
import { Icon } from '../parts/icon';
import { words } from '../words';

interface InstructionProps {
  text: string;
  begun: boolean; // something was said already
  change: (text: string) => void;
}

export function Instruction({ text, begun, change }: InstructionProps) {
  const [edited, setEdited] = useState<string | null>(null);
  if (edited !== null)
    return (
      <form
        class="instruction"
        onSubmit={(event) => {
          event.preventDefault();
          change(edited);
          setEdited(null);
        }}
      >
        <label>
          {words.chat.instruction}
          <textarea
            rows={Math.min(10, edited.split('\n').length + 2)}
            dir="auto"
            autofocus
            value={edited}
            onInput={(event) => setEdited(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || event.isComposing) return;
              event.preventDefault();
              setEdited(null);
            }}
          />
        </label>
        {begun && <p class="fine">{words.chat.instructionLater}</p>}
        <div class="row">
          <button class="primary">{words.actions.save}</button>
          <button type="button" onClick={() => setEdited(null)}>
            {words.actions.cancel}
          </button>
        </div>
      </form>
    );
  if (!text) return null;
  return (
    <section class="instruction" aria-label={words.chat.instruction}>
      <div class="row between">
        <h2 class="fine">{words.chat.instruction}</h2>
        <button
          type="button"
          class="bare"
          title={words.chat.instructionEdit}
          aria-label={words.chat.instructionEdit}
          onClick={() => setEdited(text)}
        >
          <Icon name="edit" />
        </button>
      </div>
      <p dir="auto">{text}</p>
    </section>
  );
}
