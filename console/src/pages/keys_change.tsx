// The text of a key, once; a new text for it; its end.
import { useState } from 'preact/hooks';
import { get } from '../api';
import { FormDialog } from '../parts/action';
import { announce } from '../parts/announce';
import { Copy } from '../parts/copy';
import { Dialog } from '../parts/dialog';
import { fill, words } from '../words';
import type { ApiKey, KeyMade } from './keys';

export function Made({ of, onClose }: { of: KeyMade; onClose: () => void }) {
  return (
    <Dialog title={words.keys.madeTitle} onClose={onClose}>
      <div class="stack">
        <p>{fill(words.keys.madeText, { name: of.name || of.id })}</p>
        <KeyText text={of.key} />
        <footer>
          <button type="button" class="primary" onClick={onClose}>
            {words.keys.madeDone}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}

// KeyText: a field, so that it can be selected by keyboard where the clipboard is refused.
export function KeyText({ text }: { text: string }) {
  return (
    <div class="row key-text">
      <input
        class="mono"
        aria-label={words.keys.text}
        readOnly
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Copy text={text} />
    </div>
  );
}

const GRACES = [0, 3600, 86400, 7 * 86400, 30 * 86400];

interface RotateProps {
  of: ApiKey;
  onClose: () => void;
  onMade: (key: KeyMade) => void;
}

export function Rotate({ of, onClose, onMade }: RotateProps) {
  const [grace, setGrace] = useState(86400);
  const submit = async () =>
    onMade(await get<KeyMade>(`/v1/admin/keys/${of.id}/rotate`, { method: 'POST', body: { grace } }));
  return (
    <FormDialog title={words.keys.rotateTitle} submit={words.keys.rotate} onSubmit={submit} onClose={onClose}>
      <p>{fill(words.keys.rotateText, { name: of.name || of.id })}</p>
      <label>
        {words.keys.grace}
        <select value={grace} onChange={(event) => setGrace(Number(event.currentTarget.value))}>
          {GRACES.map((seconds) => (
            <option key={seconds} value={seconds}>
              {words.keys.graces[String(seconds) as keyof typeof words.keys.graces]}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}

interface RevokeProps {
  of: ApiKey;
  onClose: () => void;
  onRevoked: (key: ApiKey) => void;
}

// Revoke can't be undone, so the name has to be typed.
export function Revoke({ of, onClose, onRevoked }: RevokeProps) {
  const [typed, setTyped] = useState('');
  const name = of.name || of.id;
  const submit = async () => {
    onRevoked(await get<ApiKey>(`/v1/admin/keys/${of.id}`, { method: 'DELETE' }));
    announce(words.keys.revoked);
    onClose();
  };
  return (
    <FormDialog
      title={words.keys.revokeTitle}
      submit={words.keys.revoke}
      danger
      disabled={typed !== name}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.keys.revokeText}</p>
      <label>
        <span>
          {words.keys.revokeType} <strong>{name}</strong>
        </span>
        <input
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
    </FormDialog>
  );
}
