// Routes are fragments: #/NAME, #/NAME/ID, with ?a=b behind. So the page works below any prefix, and no
// address leads the gateway to anything but the one page.
import { signal } from '@preact/signals';

export interface Route {
  name: string; // "" for #/
  id: string | null;
  query: URLSearchParams;
}

export const route = signal(parse(location.hash));

export function href(name: string, id?: string | null, parameters: Record<string, string> = {}): string {
  const tail = new URLSearchParams(parameters).toString();
  return `#/${name}${id ? `/${encodeURIComponent(id)}` : ''}${tail ? `?${tail}` : ''}`;
}

export function go(name: string, id?: string | null, parameters: Record<string, string> = {}): void {
  location.hash = href(name, id, parameters);
}

// replace: the address changes, and neither history nor focus does.
export function replace(name: string, id?: string | null, parameters: Record<string, string> = {}): void {
  history.replaceState(null, '', href(name, id, parameters));
  route.value = parse(location.hash);
}

export function parse(hash: string): Route {
  const [path = '', tail = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [name = '', id = ''] = path.split('/', 2);
  return { name, id: id ? decode(id) : null, query: new URLSearchParams(tail) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});
