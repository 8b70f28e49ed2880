/* The order of the tables, and the contents of files. */
#include "store/copy.h"

#include "base/base.h"
#include "base/limits.h"
#include "store/blob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
const struct copy_table copy_tables[COPY_TABLES] = {
	{ "conversation",
	  "id, secret, owner, created_ms, leaf, tip, rev, title, metadata, instruction, origin, pinned, "
	  "titled, opening, excerpt, model, messages, cost_nano, recent, target, keep_ms, due_ms",
	  "nnnnnnnutunnntttnnnnnn",
	  "id", "" },
	{ "conversation_label", "owner, key, value, conversation", "nttn",
	  "owner, key, value, conversation", "" },
	{ "message", "id, secret, owner, conversation, prev, run, created_ms, body", "nnnnnnnt", "id", "" },
	/* Every run has ended, so nothing is left of what its bill was to be. */
	{ "run",
	  "id, secret, owner, conversation, parent, base, status, created_ms, first_token_ms, "
	  "completed_ms, attempts, attempt_log, executions, continues, seq_reserved, last_seq, events_to, "
	  "usage_estimated, usage_in, usage_out, usage_cached_read, usage_cached_write, "
	  "usage_reasoning, cost_nano, model, provider, shape, finish_reason, native_reason, "
	  "instruction, metadata, error, request_id, settings, bill_key, tags",
	  "nnnnnnnnnnnttnnnnnnnnnnntttttutttttt", "id", "" },
	{ "idempotency",
	  "id, secret, owner, key, fingerprint, created_ms, stored, outcome, http, body, subject, "
	  "message_from, message_to", "nnntbnnnnbnnn", "id", "" },
	[COPY_EVENT] = { "event", "run, first, last, data", "nnnb", "run, last", "" },
	[COPY_FILE] = { "file", "id, secret, owner, created_ms, bytes, sha256, name, type, purpose, "
	  "expires_ms", "nnnnnbuuun", "sha256, id", "" },
	{ "api_key",
	  "number, id, owner, sha256, old_sha256, old_until_ms, name, scopes, models, metadata, "
	  "created_ms, expires_ms, revoked_ms, rotated_ms, used_ms, requests, requests_window_us, "
	  "tokens, tokens_window_us, concurrent, max_body, budget_nano, budget_tokens, "
	  "budget_window_us, keep_ms, key_group, each_tag, each_nano, each_window_us",
	  "ntnbbnunttnnnnnnnnnnnnnnnttnn", "number", "" },
	{ "swept", "id, secret, owner, at_ms, rest", "nnnnn", "id", "" },
	{ "key_group",
	  "id, name, models, hooks, metadata, created_ms, requests, requests_window_us, tokens, "
	  "tokens_window_us, concurrent, max_body, budget_nano, budget_tokens, budget_window_us, "
	  "each_tag, each_nano, each_window_us, keep_ms",
	  "tutttnnnnnnnnnntnnn", "id", "" },
	{ "session_ended", "id, secret, key, ends_ms", "nntn", "id, secret", "" },
	{ "budget",
	  "key, began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens, limit_nano, until_ms",
	  "tnnnnnnn", "key", "" },
	{ "reservation", "run, key, model, provider, nano, tokens, tokens_in, made_ms, budgets, tags",
	  "ntttnnnntt", "run", "" },
	{ "usage_day",
	  "key, day, model, provider, calls, estimated, tokens_in, tokens_out, cached, reasoning, "
	  "nano, unpriced", "tnttnnnnnnnn", "key, day, model, provider", "" },
	{ "usage_group",
	  "key_group, key, day, model, provider, calls, estimated, tokens_in, tokens_out, cached, "
	  "reasoning, nano, unpriced", "ttnttnnnnnnnn", "key_group, key, day, model, provider", "" },
	{ "usage_tag",
	  "day, key, model, key_group, tags, calls, estimated, tokens_in, tokens_out, cached, "
	  "reasoning, nano, unpriced", "nttttnnnnnnnn", "day, key, model, key_group, tags", "" },
	{ "audit", "id, secret, at_ms, actor, session, address, action, object, request", "nnntttttt",
	  "id, secret", "" },
	{ "call_block", "high, low, calls, bits, data", "nnnnb", "high", "" },
	{ "call_hour",
	  "hour, key, model, provider, gateway, calls, failed, cancelled, client_left, refused, "
	  "tokens_in, tokens_out, nano, durations, firsts", "ntttnnnnnnnnnbb",
	  "hour, key, model, provider, gateway", "" },
	{ "call_sum",
	  "kind, hour, name, gateway, calls, failed, cancelled, client_left, refused, tokens_in, "
	  "tokens_out, nano, durations, firsts", "nntnnnnnnnnnbb", "kind, hour, name, gateway", "" },
	{ "call_size", "hour, bytes", "nn", "hour", "" },
	{ "provider_health", "provider, at_ms, state", "tnt", "provider, at_ms", "" },
	/* The last one: keys raise the version where they are written. */
	[COPY_TABLES - 1] = { "api_key_change", "id, version, ticket_secret", "nnb", "id",
	  "ON CONFLICT (id) DO UPDATE SET version = excluded.version, "
	  "ticket_secret = excluded.ticket_secret" },
};
/* clang-format on */

size_t copy_columns(const struct copy_table *t)
{
	return strlen(t->types);
}

void copy_destroy(struct store_copy *c)
{
	if (c)
		c->ops->destroy(c);
}

/* --- contents --- */

static enum errc copy_bytes(int fd, struct blob_write *w, struct err *e)
{
	static char piece[256 * KIB];
	enum errc   rc = ERR_OK;
	ssize_t     n;

	do {
		n = read(fd, piece, sizeof piece);
		if (n > 0)
			rc = blob_add(w, (struct str){ piece, (size_t)n }, e);
		else if (n < 0 && errno != EINTR)
			rc = err_set(e, ERR_STORAGE, "", "the content of a file can't be read");
	} while (rc == ERR_OK && n != 0);
	return rc;
}

/* A content whose mark stays is looked for by the next start of a gateway, which removes the mark. */
static enum errc copy_content(struct store_copy *from, struct store_copy *to,
			      const unsigned char sha256[HASH_BYTES], struct copy_told *told,
			      struct err *e)
{
	struct blob_write *w = NULL;
	struct blob_name   name;
	int                fd;

	if (blob_open(from->blobs, sha256, &fd, e) != ERR_OK) {
		/* A bucket that does not answer has not lost the content. */
		if (e->fault != FAULT_MISSING)
			return e->code;
		told->missing++;
		e->code = ERR_OK;
		return ERR_OK;
	}
	enum errc rc = blob_begin(to->blobs, &w, e);
	if (rc == ERR_OK)
		rc = copy_bytes(fd, w, e);
	if (rc == ERR_OK)
		rc = blob_place(w, &name, e);
	if (rc == ERR_OK && memcmp(name.sha256, sha256, HASH_BYTES) != 0)
		rc = err_set(e, ERR_STORAGE, "",
			     "the content of a file is not the one that was stored");
	if (w)
		blob_write_destroy(w);
	close(fd);
	return rc;
}

/* copy_contents: of files, which are ordered by their contents; last: the content before them. */
static enum errc copy_contents(struct store_copy *from, struct store_copy *to,
			       const struct copy_rows *rows, unsigned char last[HASH_BYTES],
			       struct copy_told *told, struct err *e)
{
	enum { SHA256 = 5 };
	enum errc rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < rows->count; i++) {
		struct str sha256 = rows->values[i][SHA256].bytes;

		if (sha256.n != HASH_BYTES)
			return err_set(e, ERR_STORAGE, "", "a file has no content");
		if (memcmp(last, sha256.p, HASH_BYTES) == 0)
			continue;
		memcpy(last, sha256.p, HASH_BYTES);
		rc = copy_content(from, to, last, told, e);
	}
	return rc;
}

/* --- tables --- */

static int64_t *copy_count_of(struct copy_told *told, const char *name)
{
	return strcmp(name, "conversation") == 0 ? &told->conversations
	       : strcmp(name, "message") == 0    ? &told->messages
	       : strcmp(name, "run") == 0        ? &told->runs
	       : strcmp(name, "file") == 0       ? &told->files
	       : strcmp(name, "api_key") == 0    ? &told->keys
						 : NULL;
}

static enum errc copy_table_rows(struct store_copy *from, struct store_copy *to,
				 struct copy_rows *rows, struct copy_told *told, struct err *e)
{
	int64_t      *count = copy_count_of(told, copy_tables[rows->table].name);
	unsigned char last[HASH_BYTES] = { 0 };
	enum errc     rc;

	do {
		rc = from->ops->read(from, rows, e);
		if (rc == ERR_OK && rows->count > 0)
			rc = to->ops->write(to, rows, e);
		if (rc == ERR_OK && rows->table == COPY_FILE)
			rc = copy_contents(from, to, rows, last, told, e);
		if (count)
			*count += (int64_t)rows->count;
	} while (rc == ERR_OK && rows->count > 0);
	return rc;
}

enum errc copy_all(struct store_copy *from, struct store_copy *to, struct copy_told *ret,
		   struct err *e)
{
	struct copy_rows *rows = calloc(1, sizeof *rows);
	enum errc         rc = ERR_OK;

	*ret = (struct copy_told){ 0 };
	if (!rows)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	for (size_t i = 0; rc == ERR_OK && i < COPY_TABLES; i++) {
		rows->table = i;
		rows->count = 0;
		rc = copy_table_rows(from, to, rows, ret, e);
	}
	if (rc == ERR_OK)
		rc = to->ops->commit(to, e);
	arena_finish(&rows->arena);
	free(rows);
	return rc;
}
