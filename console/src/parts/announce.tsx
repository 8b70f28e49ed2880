// The one polite status line of the page, for screen readers.
import { signal } from '@preact/signals';

const said = signal('');

export function announce(text: string): void {
  said.value = '';
  requestAnimationFrame(() => {
    said.value = text; // a text said twice is read twice
  });
}

export function Announcer() {
  return (
    <p class="unseen" role="status" aria-live="polite">
      {said}
    </p>
  );
}
