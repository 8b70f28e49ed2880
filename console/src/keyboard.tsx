// Shortcuts of the whole page, and the list of them.
import { signal } from '@preact/signals';
import { Dialog } from './parts/dialog';
import { prefer, preferences } from './preferences';
import { go } from './router';
import { words } from './words';

export const keyboardShown = signal(false);

const letters: Record<string, () => void> = {
  '/': () => go('conversations', null, { focus: 'search' }),
  n: () => go('chat', null, { new: crypto.randomUUID() }),
  '?': () => (keyboardShown.value = true),
};

addEventListener('keydown', (event) => {
  const action = letters[event.key];
  if (!action || !preferences.value.letters || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest('input, textarea, select, dialog')) return;
  event.preventDefault();
  action();
});

const rows: [string, keyof typeof words.keyboard][] = [
  ['/', 'search'],
  ['n', 'new'],
  ['Enter', 'send'],
  ['Shift Enter', 'break'],
  ['Esc', 'stop'],
  ['?', 'help'],
];

export function KeyboardList() {
  return (
    <Dialog title={words.keyboard.title} onClose={() => (keyboardShown.value = false)}>
      <dl class="keys">
        {rows.map(([keys, name]) => (
          <div key={name}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words.keyboard[name]}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input
          type="checkbox"
          checked={preferences.value.letters}
          onChange={(event) => prefer({ letters: event.currentTarget.checked })}
        />
        {words.keyboard.letters}
      </label>
    </Dialog>
  );
}
