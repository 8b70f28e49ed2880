/* Rows of API keys for the key ring. */
#include "store/common/key_row.h"

#include "base/arena.h"
#include "base/limits.h"
#include "json/scan.h"

#include <stdio.h>

/* A negative number from another program means that nothing is left, not that there is no limit. */
static int64_t clamp_amount(int64_t v)
{
	return v < 0 ? 1 : v;
}

/* A window without a length, or with an absurd one, would never end, so it becomes a day. */
static int64_t clamp_window(int64_t v, int64_t least)
{
	static const int64_t day = INT64_C(86400) * 1000000;

	return v < least || v > 366 * day ? day : v;
}

struct allowance key_row_allowance(const struct allowance *a)
{
	return (struct allowance){
		.requests = clamp_amount(a->requests),
		.requests_window_us = clamp_window(a->requests_window_us, a->requests != 0),
		.tokens = clamp_amount(a->tokens),
		.tokens_window_us = clamp_window(a->tokens_window_us, a->tokens != 0),
		.concurrent = clamp_amount(a->concurrent),
		.max_body = clamp_amount(a->max_body),
		.budget_nano = clamp_amount(a->budget_nano),
		.budget_tokens = clamp_amount(a->budget_tokens),
		.budget_window_us = clamp_window(a->budget_window_us, 0),
	};
}

/* read_models: reads names of a JSON array, which was checked when it was written. */
static bool read_models(struct str json, struct arena *a, struct str **ret, size_t *ret_count)
{
	struct json_doc d = { 0 };
	struct err      e;
	size_t          n = 0;
	bool            ok = json_scan(&d, json.p, json.n, &json_limits_stored, &e) == ERR_OK &&
		  json_kind(&d, 0) == JSON_ARRAY;

	*ret = ok ? arena_alloc(a, (d.tok[0].count + 1) * sizeof **ret) : NULL;
	ok = *ret != NULL;
	for (json_at i = 1; ok && i != json_end(&d, 0); i = json_next(&d, i)) {
		struct str name;

		ok = json_text(&d, i, a, &name);
		if (ok)
			(*ret)[n++] = name;
	}
	*ret_count = n;
	json_doc_finish(&d);
	return ok;
}

bool key_row_add(struct key_ring_table *t, const struct key_row *row)
{
	struct key_ring_entry e = { .expires_ms = row->expires_ms };
	struct str           *models = NULL;
	size_t                count = 0;
	char                  name[API_KEY_ID_MAX];
	struct arena          a;

	if (row->id.n != API_KEY_ID || row->sha256.n != HASH_BYTES)
		return true;
	memcpy(e.id, row->id.p, API_KEY_ID);
	memcpy(e.sha256, row->sha256.p, HASH_BYTES);
	if (row->old_sha256.n == HASH_BYTES) {
		memcpy(e.old_sha256, row->old_sha256.p, HASH_BYTES);
		e.old_until_ms = row->old_until_ms;
	}
	snprintf(name, sizeof name, "key_%.*s", STR_ARG(row->id));
	arena_init(&a, MIB);
	bool ok = row->models.n == 0 || read_models(row->models, &a, &models, &count);
	if (ok)
		e.who = identity_create(&(struct identity_options){
			.id = str_of(name),
			.number = row->number,
			.owner = row->owner,
			.scopes = (unsigned)row->scopes & SCOPES_ALL,
			.models = models,
			.model_count = count,
			.used_ms = row->used_ms,
			.allowance = row->allowance,
		});
	arena_finish(&a);
	if (!ok)
		return true;
	return e.who && key_ring_add(t, &e);
}
