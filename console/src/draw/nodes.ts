// Tokens of Markdown become nodes, by createElement and text alone: no HTML is ever made from text. Raw HTML in
// an answer is shown as it was written.
import type { MarkedToken, Token, Tokens } from 'marked';
import { words } from '../words';
import { codeView } from './code';
import { highlightLater } from './highlight';
import { formulaNode, isFormula } from './math';

const LINK = /^(https?:|mailto:)/i;
const IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/i;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  children: (Node | string)[] = [],
  className?: string,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// blockNodes: settled code is highlighted when there is time.
export function blockNodes(token: Token, settled: boolean): Node[] {
  if (isFormula(token)) return [element('p', [formulaNode(token)])];
  if (token.type === 'openFormula') return [element('p', [token.raw], 'raw')];
  const known = token as MarkedToken;
  switch (known.type) {
    case 'space':
    case 'def':
      return [];
    case 'hr':
      return [element('hr')];
    case 'heading': // the page has a heading of its own
      return [either(element(`h${Math.min(6, known.depth + 2)}` as 'h3', inline(known.tokens)))];
    case 'paragraph':
      return [either(element('p', inline(known.tokens)))];
    case 'text':
      return known.tokens ? inline(known.tokens) : [text(known.text)];
    case 'html':
      return [either(element('p', lines(known.raw.trimEnd()), 'raw'))];
    case 'blockquote':
      return [either(element('blockquote', blocks(known.tokens, settled)))];
    case 'list':
      return [list(known, settled)];
    case 'table':
      return [table(known)];
    case 'code':
      return [code(known, settled)];
    default:
      return inline([token]);
  }
}

// either: what is written from right to left stands so, whatever the page's direction is.
function either<E extends HTMLElement>(made: E): E {
  made.dir = 'auto';
  return made;
}

const BREAK = /<br\s*\/?>/i;

// lines: raw HTML is text, but for the line breaks in it.
function lines(raw: string): Node[] {
  return raw.split(BREAK).flatMap((line, place) => (place > 0 ? [element('br'), text(line)] : [text(line)]));
}

function blocks(tokens: Token[], settled: boolean): Node[] {
  return tokens.flatMap((token) => blockNodes(token, settled));
}

function list(token: Tokens.List, settled: boolean): HTMLElement {
  const items = token.items.map((item) => {
    const mark = item.task ? [item.checked ? '☑ ' : '☐ '] : [];
    return element('li', [...mark, ...blocks(item.tokens, settled)], item.task ? 'task' : undefined);
  });
  if (!token.ordered) return either(element('ul', items));
  const made = either(element('ol', items));
  if (token.start !== '' && token.start !== 1) made.start = token.start;
  return made;
}

function table(token: Tokens.Table): HTMLElement {
  const row = (cells: Tokens.TableCell[], name: 'th' | 'td') =>
    element(
      'tr',
      cells.map((cell, column) => {
        const made = either(element(name, inline(cell.tokens)));
        if (name === 'th') (made as HTMLTableCellElement).scope = 'col';
        if (token.align[column]) made.className = token.align[column]!;
        return made;
      }),
    );
  const head = element('thead', [row(token.header, 'th')]);
  const body = element(
    'tbody',
    token.rows.map((cells) => row(cells, 'td')),
  );
  return scrolls(either(element('table', token.rows.length ? [head, body] : [head])), words.draw.table);
}

// scrolls: a box that scrolls sideways, which the keyboard can do too.
export function scrolls(child: HTMLElement, label: string): HTMLElement {
  const made = element('div', [child], 'scroll');
  made.tabIndex = 0;
  made.setAttribute('role', 'group');
  made.setAttribute('aria-label', label);
  return made;
}

function code(token: Tokens.Code, settled: boolean): HTMLElement {
  const view = codeView(token.lang ?? '');
  view.append(token.text);
  if (settled) highlightLater(view);
  return view.element;
}

function inline(tokens: Token[]): Node[] {
  return tokens.flatMap((token): Node[] => {
    if (isFormula(token)) return [formulaNode(token)];
    const known = token as MarkedToken;
    switch (known.type) {
      case 'strong':
      case 'em':
      case 'del':
        return [element(known.type, inline(known.tokens))];
      case 'codespan':
        return [element('code', [known.text])];
      case 'br':
        return [element('br')];
      case 'link':
        return [link(known)];
      case 'image':
        return [image(known)];
      case 'escape':
        return [text(known.text)];
      case 'checkbox':
        return [];
      case 'text':
        return known.tokens ? inline(known.tokens) : [text(entities(known.raw))];
      default: // raw HTML
        return lines(known.raw);
    }
  });
}

function text(content: string): Text {
  return document.createTextNode(content);
}

function link(token: Tokens.Link): Node {
  const inside = inline(token.tokens);
  const href = entities(token.href);
  if (!LINK.test(href)) return element('span', inside);
  return address(href, inside);
}

function address(href: string, inside: (Node | string)[]): HTMLElement {
  const made = element('a', inside);
  made.href = href;
  made.rel = 'noreferrer noopener';
  made.target = '_blank';
  return made;
}

// An image by URL would tell its host what was said: a button shows the address instead.
function image(token: Tokens.Image): Node {
  const name = entities(token.text) || words.draw.image;
  const href = entities(token.href);
  if (IMAGE.test(href)) {
    const made = element('img');
    made.alt = name;
    made.src = href;
    return made;
  }
  if (!/^https?:/i.test(href)) return text(token.raw);
  const button = element('button', [`${words.draw.showAddress} ${name}`], 'image-address');
  button.type = 'button';
  button.addEventListener('click', () => button.replaceWith(address(href, [href])));
  return button;
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

function entities(content: string): string {
  if (!content.includes('&')) return content;
  return content.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return named[name] ?? whole;
    const point = decimal ? Number(decimal) : parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
