// Calls of the gateway: one wrapper around fetch. Nothing else in the console sends a request.
import { signal } from '@preact/signals';

// The console lies at PREFIX/console/, the gateway's routes below PREFIX/, whatever the prefix is.
export const base = new URL('../', location.href.split('#')[0]);

// What session.ts knows and this file needs: the token, and whom to tell that it was refused.
export const credentials = { token: '', refused: (_error: ApiError, _token: string): void => {} };

// True while the gateway can't be reached. What was read stays on the page.
export const offline = signal(false);

// An answer other than 2xx, with the members of the gateway's error. Status 0: no answer came.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null = null,
    readonly request_id: string | null = null,
    readonly param: string | null = null,
    readonly retry_after: number | null = null,
    readonly asked: boolean = false, // a provider was asked
    readonly run: string | null = null, // the id in the list of runs
    readonly type: string | null = null,
  ) {
    super(message);
  }
}

export interface Request {
  method?: string;
  body?: unknown; // FormData, Blob and strings as they are, everything else as JSON
  headers?: Record<string, string>;
  signal?: AbortSignal;
  key?: string; // in place of the session's token: for the exchange of a key
}

// Answers of lists.
export interface List<T> {
  data: T[];
  has_more: boolean;
  last_id: string | null;
}

// call: the answer as it comes, for streams and blobs. Throws an ApiError unless its status is 2xx.
export async function call(path: string, request: Request = {}): Promise<Response> {
  const headers = new Headers(request.headers);
  const token = request.key ?? credentials.token;
  if (token) headers.set('Authorization', `Bearer ${token}`);
  const answer = await send(path, {
    method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
    headers,
    body: encode(request.body, headers),
    signal: request.signal,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
  });
  if (answer.ok) return answer;
  const error = await errorOf(answer);
  if (answer.status === 401 && request.key === undefined) credentials.refused(error, token);
  throw error;
}

// get: the JSON of an answer. A body makes it a POST.
export async function get<T>(path: string, request: Request = {}): Promise<T> {
  return (await (await call(path, request)).json()) as T;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

// query: "?a=1&b=2" of what is neither undefined nor empty.
export function query(parameters: Record<string, string | number | undefined>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return pairs.length ? `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}` : '';
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(new URL(path.replace(/^\//, ''), base), init);
    offline.value = false;
    return answer;
  } catch (error) {
    if (isAbort(error)) throw error;
    if (!offline.value) {
      offline.value = true;
      void awaitReturn();
    }
    throw new ApiError(0, String(error));
  }
}

function encode(body: unknown, headers: Headers): BodyInit | undefined {
  if (body === undefined || body instanceof FormData || body instanceof Blob) return body;
  if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  return typeof body === 'string' ? body : JSON.stringify(body);
}

async function errorOf(answer: Response): Promise<ApiError> {
  const id = answer.headers.get('x-request-id');
  const wait = Number(answer.headers.get('Retry-After') ?? NaN);
  const after = Number.isFinite(wait) ? wait : null;
  const run = answer.headers.get('x-run-id');
  const asked = Number(answer.headers.get('x-parley-attempts') ?? 0) > 0;
  try {
    const { error } = await answer.json();
    const { message, code, param, type = null } = error;
    return new ApiError(answer.status, message, code, error.request_id ?? id, param, after, asked, run, type);
  } catch {
    return new ApiError(answer.status, `${answer.status} ${answer.statusText}`.trim(), null, id, null, after);
  }
}

// Asks until the gateway answers again, each 0.5 s at first and each 5 s later.
async function awaitReturn(): Promise<void> {
  for (let wait = 500; offline.value; wait = Math.min(wait * 2, 5000)) {
    await new Promise((resume) => setTimeout(resume, wait));
    try {
      await fetch(new URL('livez', base), { credentials: 'omit', cache: 'no-store' });
      offline.value = false;
    } catch {
      // still away
    }
  }
}
