// A message that another page has prepared for a new chat. It goes by memory: what is said has no place in an
// address.
import { go } from '../router';

let prepared = '';

export function sayAnew(text: string): void {
  prepared = text;
  go('chat', null, { new: crypto.randomUUID() });
}

export function takePrepared(): string {
  const text = prepared;
  prepared = '';
  return text;
}
