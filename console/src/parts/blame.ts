// Who has failed: the gateway, or the provider that was asked. Each code of the gateway's is in one of the two lists, unless
// it comes only where no provider was asked; a code that is in none is a provider's own.

// The errors of the gateway's own with which a call may end although a provider was asked.
export const ours = new Set([
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
  'content_blocked',
  'conversation_busy',
  'idempotency_key_lost',
  'budget_not_enforceable',
  'insufficient_quota',
]);

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
export function byGateway(code: string | null, asked: boolean): boolean {
  if (code !== null && theirs.has(code)) return false;
  return !asked || (code !== null && ours.has(code));
}
