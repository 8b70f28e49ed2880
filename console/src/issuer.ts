// Sign-in at an issuer of tokens: authorization code with PKCE (RFC 7636). The page is the public client; the gateway
// carries the code to the issuer, so that the page connects to nobody but its own origin.
import { ApiError, base, get, type List } from './api';
import { words } from './words';

export interface Issuer {
  issuer: string;
  client_id: string;
  scope: string;
  resource: string | null;
  authorization_endpoint: string;
  needs_iss: boolean;
}

// What this tab knows of a sign-in while the browser is at the issuer.
interface Begun {
  state: string;
  verifier: string;
  issuer: string;
  needsIss: boolean;
  keep: boolean;
  hash: string;
}

export interface Arrival {
  token: string;
  keep: boolean;
}

const address = new URL('console/', base).href;
const BEGUN = `parley.sign-in${base.pathname}`;

// issuers: none where the browser has no SHA-256 (plain http from another machine).
export async function issuers(): Promise<Issuer[]> {
  return isSecureContext ? (await get<List<Issuer>>('/v1/sign-in')).data : [];
}

export const nameOf = ({ issuer }: Issuer) => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

// leave: the browser goes to the issuer.
export async function leave(to: Issuer, keep: boolean): Promise<void> {
  const begun: Begun = {
    state: random(),
    verifier: random(),
    issuer: to.issuer,
    needsIss: to.needs_iss,
    keep,
    hash: location.hash,
  };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(begun.verifier));
  const url = new URL(to.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: to.client_id,
    redirect_uri: address,
    scope: to.scope,
    state: begun.state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(to.resource !== null && { resource: to.resource }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  location.assign(url);
}

// arrive: the token with which the browser comes back; null: it does not come from an issuer. What the address says is
// believed only if this tab has begun the sign-in.
export async function arrive(): Promise<Arrival | null> {
  const query = new URLSearchParams(location.search);
  if (!query.has('state')) return null;
  const begun = JSON.parse(sessionStorage.getItem(BEGUN) ?? 'null') as Begun | null;
  sessionStorage.removeItem(BEGUN);
  history.replaceState(null, '', location.pathname);
  if (begun) location.replace(begun.hash || '#'); // which the router hears
  const code = query.get('code');
  if (begun?.state !== query.get('state')) throw new ApiError(401, words.signIn.foreign);
  // Another issuer may have sent the browser there, and would be sent the code of this one (RFC 9207).
  if ((query.get('iss') ?? (begun.needsIss ? null : begun.issuer)) !== begun.issuer)
    throw new ApiError(401, words.signIn.mixed);
  if (code === null) throw new ApiError(401, words.signIn.declined, query.get('error'));
  const body = { issuer: begun.issuer, code, code_verifier: begun.verifier, redirect_uri: address };
  const { token } = await get<{ token: string }>('/v1/sign-in', { body, key: '' });
  return { token, keep: begun.keep };
}
