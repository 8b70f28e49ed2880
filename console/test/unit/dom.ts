// As much of a document as the drawing uses, for tests without a browser; and the nodes as text.
class Node {
  parentNode: Element | null = null;
}

class Text extends Node {
  constructor(public data: string) {
    super();
  }
  appendData(more: string) {
    this.data += more;
  }
  get textContent() {
    return this.data;
  }
}

class Element extends Node {
  childNodes: Node[] = [];
  attributes: Record<string, string> = {};
  className = '';
  href = '';
  src = '';
  dir = '';
  style = { setProperty() {} };
  classList = { toggle() {} };
  constructor(readonly tagName: string) {
    super();
  }
  append(...children: (Node | string)[]) {
    for (const child of children) {
      const node = typeof child === 'string' ? new Text(child) : child;
      node.parentNode = this;
      this.childNodes.push(node);
    }
  }
  removeChild(child: Node) {
    this.childNodes.splice(this.childNodes.indexOf(child), 1);
  }
  setAttribute(name: string, value: string) {
    this.attributes[name] = value;
  }
  addEventListener() {}
  get textContent(): string {
    return this.childNodes.map((child) => (child as Text | Element).textContent).join('');
  }
}

Object.assign(globalThis, {
  document: {
    createElement: (name: string) => new Element(name),
    createTextNode: (data: string) => new Text(data),
  },
});

export const root = () => new Element('div') as unknown as HTMLElement;

// show: the tree in one line; texts that touch are one.
export function show(node: unknown): string {
  if (node instanceof Text) return node.data;
  const { tagName, className, href, childNodes } = node as Element;
  const extra = [className && `.${className}`, href && `(${href})`].filter(Boolean).join('');
  return `<${tagName}${extra}>${childNodes.map(show).join('')}</>`;
}

// elements: every element below the node.
export function elements(node: unknown): Element[] {
  return node instanceof Element ? [node, ...node.childNodes.flatMap(elements)] : [];
}

// What modules of the page find when they are loaded.
Object.assign(globalThis, { location: { href: 'http://gateway.example/console/', hash: '' } });
