// What a browser remembers of its user: preferences, and nothing else. Conversations live on the gateway.
import { effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

interface Preferences {
  theme: Theme;
  letters: boolean; // single letters are shortcuts
  model: string; // the one last chosen
  favourites: string[]; // models
  administration: boolean; // its pages are unfolded in the menu
  begun: boolean; // the first steps are no longer the first page
}

const STORED = 'parley.preferences';
const defaults: Preferences = { theme: 'auto', letters: true, model: '', favourites: [], administration: false, begun: false };

export const preferences = signal<Preferences>(read());

export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
  localStorage.setItem(STORED, JSON.stringify(preferences.value));
}

function read(): Preferences {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(STORED) ?? '{}') };
  } catch {
    return defaults;
  }
}

effect(() => {
  document.documentElement.dataset.theme = preferences.value.theme;
});
