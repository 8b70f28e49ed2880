// Colours code that is complete, when the browser has nothing else to do. The languages are loaded when the
// first such block is there.
import type { Token, TokenStream } from 'prismjs';
import type { CodeView } from './code';

const LONGEST = 50_000; // characters; a longer block stays plain

const waiting: CodeView[] = [];
let working = false;

export function highlightLater(view: CodeView): void {
  if (!view.language || typeof requestIdleCallback === 'undefined') return;
  waiting.push(view);
  if (!working) {
    working = true;
    requestIdleCallback(() => void work());
  }
}

async function work(): Promise<void> {
  const { grammar, tokenize } = await import('./prism');
  const next = (deadline: IdleDeadline) => {
    while (waiting.length && deadline.timeRemaining() > 4) {
      const view = waiting.shift()!;
      const rules = grammar(view.language);
      const text = view.text();
      if (rules && text.length <= LONGEST) view.code.replaceChildren(...nodes(tokenize(text, rules)));
    }
    if (waiting.length) requestIdleCallback(next);
    else working = false;
  };
  requestIdleCallback(next);
}

function nodes(stream: TokenStream): Node[] {
  if (typeof stream === 'string') return [document.createTextNode(stream)];
  if (Array.isArray(stream)) return stream.flatMap(nodes);
  return [span(stream)];
}

function span(token: Token): Node {
  const made = document.createElement('span');
  made.className = `token ${token.type}`;
  made.append(...nodes(token.content));
  return made;
}
