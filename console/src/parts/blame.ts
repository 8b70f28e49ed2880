// Who has failed: the gateway, or the provider that was asked. A provider's error keeps the provider's own code and type,
// and its code may be spelt like one of the gateway's (`overloaded`): once a provider was asked, a code is the gateway's
// only together with the type that the gateway gives it. Each code of the gateway's is in one of the two lists, unless it
// comes only where no provider was asked.
export interface Blamed {
  code: string | null;
  type?: string | null; // absent: not told
  param?: string | null;
  asked: boolean; // a provider was asked
}

// The errors of the gateway's own with which a call may end although a provider was asked, by their types.
export const ours: Record<string, string[]> = {
  server_error: [
    'internal_error',
    'overloaded',
    'computer_unavailable',
    'hook_unavailable',
    'token_keys_unavailable',
    'draining',
    'storage_unavailable',
    'server_shutting_down',
    'server_stopped',
    'exported_unfinished',
    'no_healthy_upstream',
    'cancelled',
  ],
  invalid_request_error: ['content_blocked'],
  conflict_error: ['conversation_busy', 'idempotency_key_lost'],
  permission_error: ['budget_not_enforceable'],
  insufficient_quota: ['insufficient_quota'],
};

// What the gateway says of a provider, whether it was asked or not.
export const theirs = new Set([
  'upstream_rejected',
  'upstream_signature_refused',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_bad_response',
  'upstream_connect_failed',
  'upstream_auth_failed',
  'upstream_denied',
  'upstream_credentials_exhausted',
  'upstream_unavailable',
  'upstream_timeout',
  'stream_incomplete',
  'connect_timeout',
  'first_byte_timeout',
  'idle_timeout',
  'total_timeout',
  'context_length_exceeded',
]);

// byGateway: whether it is the gateway that refuses or fails.
export function byGateway({ code, type, param, asked }: Blamed): boolean {
  if (theirs.has(code ?? '')) return false;
  if (!asked) return true;
  if (code === null) return false;
  // OpenAI has this code and type, too; the gateway's names whose budget it is
  if (code === 'insufficient_quota' && !param) return false;
  return type ? (ours[type]?.includes(code) ?? false) : Object.values(ours).some((codes) => codes.includes(code));
}
