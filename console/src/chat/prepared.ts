// A message that another page has prepared for a new chat. It goes by memory: what is said has no place in an
// address.
import { go } from '../router';

let prepared: string | null = null;

export function sayAnew(text: string): void {
  prepared = text;
  go('chat', null, { new: crypto.randomUUID() });
}

export function takePrepared(): string | null {
  const taken = prepared;
  prepared = null;
  return taken;
}
