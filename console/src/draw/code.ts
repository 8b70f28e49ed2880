// A block of code: its language, a button that copies it, line numbers where they are wanted, and the text,
// which grows in one text node.
import { words } from '../words';
import { announce } from '../parts/announce';

export interface CodeView {
  element: HTMLElement;
  code: HTMLElement;
  language: string;
  append(text: string): void;
  text(): string;
  activate(line: number | null): void; // the line that runs, counted from 1
}

export function codeView(info: string, numbered = false): CodeView {
  const language = info.trim().split(/[\s{,]/, 1)[0].toLowerCase();
  const content = document.createTextNode('');
  const code = make('code', '', content);
  const pre = make('pre', '', code);
  const numbers = document.createTextNode('');
  const lines = { count: 0 };

  const copy = make('button', 'bare', document.createTextNode(words.actions.copy));
  copy.setAttribute('type', 'button');
  copy.addEventListener('click', () => {
    void navigator.clipboard.writeText(code.textContent ?? '').then(() => announce(words.actions.copied));
  });
  const wrap = make('button', 'bare', document.createTextNode(words.draw.wrap));
  wrap.setAttribute('type', 'button');
  wrap.setAttribute('aria-pressed', 'false');
  wrap.addEventListener('click', () => {
    wrap.setAttribute('aria-pressed', String(body.classList.toggle('wrapped')));
  });
  const name = make('span', '', document.createTextNode(language || words.draw.plain));
  const head = make('div', 'code-head', name, make('span', 'row', wrap, copy));
  const body = make('div', 'code-body');
  body.dir = 'ltr';
  body.tabIndex = 0;
  body.setAttribute('role', 'group');
  body.setAttribute('aria-label', `${words.draw.code} ${language}`.trim());
  if (numbered) {
    const gutter = make('pre', 'gutter', numbers);
    gutter.setAttribute('aria-hidden', 'true');
    body.append(gutter);
  }
  body.append(pre);

  return {
    element: make('div', numbered ? 'code numbered' : 'code', head, body),
    code,
    language,
    append(text) {
      content.appendData(text);
      if (!numbered) return;
      const added = text.split('\n').length - (lines.count > 0 ? 1 : 0);
      let more = '';
      for (let n = 0; n < added; n++) more += `${(lines.count += 1)}\n`;
      numbers.appendData(more);
    },
    text: () => code.textContent ?? '',
    activate(line) {
      body.classList.toggle('active', line !== null);
      if (line !== null) body.style.setProperty('--line-number', String(line - 1));
    },
  };
}

function make(name: string, className: string, ...children: Node[]): HTMLElement {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
