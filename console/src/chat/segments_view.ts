// Draws segments that may grow. What was drawn of a segment is never drawn again.
import { call } from '../api';
import { codeView } from '../draw/code';
import { highlightLater } from '../draw/highlight';
import { Markdown } from '../draw/markdown';
import { element } from '../draw/nodes';
import { duration } from '../parts/format';
import { picture } from '../parts/picture';
import { fill, words } from '../words';
import { thought, type Segment } from './segments';

// What is on the page of one segment. draw: with the part of the text that is new; whether all is drawn.
interface View {
  element: HTMLElement;
  draw(segment: Segment, added: string, until: number): boolean;
  finish?(segment: Segment): void;
}

export class SegmentsView {
  private readonly views: { view: View; length: number; finished: boolean }[] = [];

  constructor(private readonly root: HTMLElement) {}

  // draw: whether all is drawn. Segments before the last one are complete, and all are where `whole`.
  draw(segments: Segment[], whole: boolean, until = Infinity): boolean {
    for (let place = 0; place < segments.length; place++) {
      const segment = segments[place];
      this.views[place] ??= { view: this.make(segment), length: 0, finished: false };
      const shown = this.views[place];
      if (shown.finished) {
        if (segment.type === 'code') shown.view.draw(segment, '', until); // its active line
        continue;
      }
      const added = segment.text.slice(shown.length);
      shown.length = segment.text.length;
      if (!shown.view.draw(segment, added, until)) return false;
      if (whole || place < segments.length - 1) {
        shown.view.finish?.(segment);
        shown.finished = true;
      }
      if (performance.now() >= until && place < segments.length - 1) return false;
    }
    return true;
  }

  private make(segment: Segment): View {
    const view = makers[segment.type](segment);
    this.root.append(view.element);
    return view;
  }
}

const makers: Record<Segment['type'], (segment: Segment) => View> = {
  text: () => {
    const root = element('div', [], 'text');
    const markdown = new Markdown(root);
    return {
      element: root,
      draw: (_, added, until) => {
        markdown.append(added);
        return markdown.draw(until);
      },
      finish: () => markdown.finish(),
    };
  },
  reasoning,
  code: (segment) => {
    const view = codeView(segment.type === 'code' ? segment.language : '', true);
    return {
      element: view.element,
      draw: (now, added) => {
        if (added) view.append(added);
        if (now.type === 'code') view.activate(now.active);
        return true;
      },
      finish: () => highlightLater(view),
    };
  },
  console: () => plainBlock(words.chat.console, 'console'),
  call: (segment) => folded(`${words.chat.call} ${segment.type === 'call' ? segment.name : ''}`, pretty),
  result: () => folded(words.chat.result, pretty),
  confirmation: () => ({ element: element('p', [words.chat.confirmation], 'fine confirmation'), draw: () => true }),
  image: (segment) => image(segment.text),
  file: (segment) => file(segment),
  error: () => plainBlock(words.chat.error, 'failed'),
};

// reasoning: folded, with the time that it took where the page has seen it.
function reasoning(): View {
  const title = document.createTextNode(words.chat.thinking);
  const root = element('div', [], 'text');
  const markdown = new Markdown(root);
  return {
    element: element('details', [element('summary', [title]), root], 'folded reasoning'),
    draw: (_, added, until) => {
      markdown.append(added);
      return markdown.draw(until);
    },
    finish: (segment) => {
      const ms = thought.get(segment);
      title.data = ms === undefined ? words.chat.reasoning : fill(words.chat.thought, { time: duration(ms) });
      markdown.finish();
    },
  };
}

function plainBlock(label: string, className: string): View {
  const content = document.createTextNode('');
  const pre = element('pre', [content]);
  pre.tabIndex = 0;
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', label);
  const title = element('p', [label], 'fine');
  return {
    element: element('div', [title, pre], className),
    draw: (_, added) => {
      content.appendData(added);
      return true;
    },
  };
}

// folded: what is read only now and then. A call's arguments are laid out when they are complete.
function folded(label: string, complete?: (text: string) => string): View {
  const content = document.createTextNode('');
  const title = document.createTextNode(label);
  const summary = element('summary', [title]);
  const pre = element('pre', [content]);
  pre.tabIndex = 0;
  return {
    element: element('details', [summary, pre], 'folded'),
    draw: (segment, added) => {
      content.appendData(added);
      if (segment.type === 'call') title.data = `${words.chat.call} ${segment.name}`;
      return true;
    },
    finish: (segment) => {
      if (complete) content.data = complete(segment.text);
    },
  };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// Images of the answer itself are shown; one by URL would tell its host what was said.
function image(address: string): View {
  const made = element('figure');
  if (/^data:image\/(png|jpeg|gif|webp);base64,/i.test(address)) {
    const picture = element('img');
    picture.alt = words.chat.image;
    picture.src = address;
    made.append(picture);
  } else {
    const button = element('button', [`${words.draw.showAddress} ${words.draw.image}`]);
    button.type = 'button';
    button.addEventListener('click', () => button.replaceWith(element('code', [address])));
    made.append(button);
  }
  return { element: made, draw: () => true };
}

function file(segment: Segment): View {
  const name = segment.type === 'file' ? segment.name : '';
  const made = segment.text
    ? element('details', [element('summary', [name]), element('pre', [segment.text])], 'folded')
    : element('p', [name], 'attached');
  if (segment.type === 'file' && segment.id && /\.(png|jpe?g|gif|webp)$/i.test(name)) void show(segment.id, name, made);
  return { element: made, draw: () => true };
}

// show: an uploaded image behind its name, which alone stays where the file is gone.
async function show(id: string, name: string, behind: Element): Promise<void> {
  const blob = await call(`/v1/files/${id}/content`)
    .then((answer) => answer.blob())
    .then(picture)
    .catch(() => null);
  if (!blob) return;
  const made = element('img');
  made.alt = name;
  made.src = URL.createObjectURL(blob);
  made.onload = () => URL.revokeObjectURL(made.src);
  behind.after(element('figure', [made]));
}

