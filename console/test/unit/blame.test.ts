// Who is blamed for a failed call, and that each code has words.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import './dom';
import { byGateway, ours, theirs } from '../../src/parts/blame';
import { whole, type Run } from '../../src/pages/runs_model';
import { reasonOf } from '../../src/pages/runs_why';
import { otherwise, reasons } from '../../src/pages/runs_words';

// What the gateway says before it asks a provider. Where one was asked, such a code is the provider's own.
const before = new Set([
  'invalid_json',
  'invalid_type',
  'invalid_value',
  'missing_required_parameter',
  'unknown_parameter',
  'unsupported_parameter',
  'not_supported_yet',
  'bad_request',
  'missing_api_key',
  'malformed_authorization',
  'invalid_api_key',
  'invalid_session',
  'invalid_token',
  'insufficient_scope',
  'host_not_allowed',
  'not_found',
  'run_elsewhere',
  'model_not_found',
  'unknown_url',
  'method_not_allowed',
  'gone',
  'group_in_use',
  'not_continuable',
  'precondition_failed',
  'not_cached',
  'request_too_large',
  'websocket_not_supported',
  'rate_limit_exceeded',
  'idempotency_key_reused',
  'unsupported_media_type',
]);

// The codes of the table with their types, and those that a few places of the gateway write themselves.
function codes(): Map<string, string> {
  const table = readFileSync('../src/base/err.def', 'utf8');
  const rows = [...table.matchAll(/^X\(\w+,\s*\d+,\s*"(\w+)",\s*"(\w+)"/gm)].map(([, type, code]) => [code!, type!] as const);
  assert.ok(rows.length > 60);
  const sources = ['../src', '../routes'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[ch]$/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const written = sources.flatMap((text) =>
    [...text.matchAll(/\bwire, STR\("(\w+)"\)|\\"param\\":null,\\"code\\":\\"(\w+)\\"/g)].map(
      ([, one, other]) => [(one ?? other)!, 'server_error'] as const,
    ),
  );
  const found = new Map([...written, ...rows]);
  assert.ok(found.has('server_stopped'));
  return found;
}

test('each code has its place: the gateway, the provider, or before a provider is asked', () => {
  const lists = [new Set(Object.values(ours).flat()), theirs, before];
  for (const [code] of codes())
    assert.equal(lists.filter((list) => list.has(code)).length, 1, `${code}: in one of the lists`);
});

test('a code of the gateway has the type that the table gives it', () => {
  for (const [code, type] of codes()) if (!theirs.has(code) && !before.has(code)) assert.ok(ours[type]?.includes(code), code);
});

test('each code of an error has words', () => {
  assert.deepEqual([...codes().keys()].filter((code) => !reasons[code]), []);
});

const failed = (code: string, attempts: number, more: object = {}) =>
  whole({ status: 'failed', outcome: 'failed', attempts, created_at: 1, error: { code, ...more } } as Run);

test('the gateway is blamed for its own end, also in the middle of an answer', () => {
  for (const code of ['server_stopped', 'hook_unavailable', 'content_blocked', 'conversation_busy', 'token_keys_unavailable']) {
    assert.ok(byGateway({ code, type: codes().get(code), asked: true }), code);
    assert.ok(byGateway({ code, asked: true }), `${code}, of which the type is not told`);
    assert.equal(reasonOf(failed(code, 1)), reasons[code]);
  }
});

test('a provider that was asked is blamed for what the gateway does not say', () => {
  assert.ok(!byGateway({ code: 'engine_on_fire', type: 'server_error', asked: true }));
  assert.equal(reasonOf(failed('engine_on_fire', 1)), otherwise.provider);
  assert.equal(reasonOf(failed('model_not_found', 1)), otherwise.provider);
  assert.equal(reasonOf(failed('model_not_found', 0)), reasons.model_not_found);
  assert.equal(reasonOf(failed('upstream_rate_limited', 0)), reasons.upstream_rate_limited);
  assert.equal(reasonOf(failed('idle_timeout', 1)), reasons.idle_timeout);
});

test('a provider whose code is spelt like one of the gateway is told apart by its type', () => {
  const theirs = { type: 'overloaded_error' };
  assert.ok(!byGateway({ code: 'overloaded', ...theirs, asked: true }));
  assert.ok(byGateway({ code: 'overloaded', type: 'server_error', asked: true }));
  assert.equal(reasonOf(failed('overloaded', 1, theirs)), otherwise.provider);
  assert.equal(reasonOf(failed('overloaded', 1, { type: 'server_error' })), reasons.overloaded);
  // OpenAI's word for an account without money, and the gateway's for a key's budget
  const quota = { code: 'insufficient_quota', type: 'insufficient_quota', asked: true };
  assert.ok(!byGateway({ ...quota, param: null }));
  assert.ok(byGateway({ ...quota, param: 'key' }));
  assert.ok(byGateway({ ...quota, param: null, asked: false }));
});
