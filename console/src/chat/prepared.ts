// A message that another page has prepared for a new chat. It goes by memory: what is said has no place in an
// address.
import { go } from '../router';
import type { Options } from './options_of';
import type { Attached } from './sheet';

export interface Prepared {
  text: string;
  files?: Attached[];
  options?: Options; // of the chat that it comes from
}

let prepared: Prepared | null = null;

export function sayAnew(text: string, options?: Options, files?: Attached[]): void {
  prepared = { text, files, options };
  go('chat', null, { new: crypto.randomUUID() });
}

export function takePrepared(): Prepared | null {
  const taken = prepared;
  prepared = null;
  return taken;
}
