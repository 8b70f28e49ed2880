// A button that copies a text and says so.
import { useState } from 'preact/hooks';
import { announce } from './announce';
import { words } from '../words';
import { Icon } from './icon';

interface CopyProps {
  text: string | (() => string);
  label?: string;
  bare?: boolean; // the drawing alone, with the label for screen readers
}

export function Copy({ text, label = words.actions.copy, bare }: CopyProps) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    announce(words.actions.copied);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  const says = done ? words.actions.copied : label;
  return (
    <button type="button" class={bare ? 'bare' : undefined} title={label} aria-label={says} onClick={copy}>
      <Icon name={done ? 'check' : 'copy'} />
      {!bare && says}
    </button>
  );
}
