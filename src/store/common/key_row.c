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
	struct allowance ret = {
		.requests = clamp_amount(a->requests),
		.requests_window_us = clamp_window(a->requests_window_us, a->requests != 0),
		.tokens = clamp_amount(a->tokens),
		.tokens_window_us = clamp_window(a->tokens_window_us, a->tokens != 0),
		.concurrent = clamp_amount(a->concurrent),
		.max_body = clamp_amount(a->max_body),
		.budget_nano = clamp_amount(a->budget_nano),
		.budget_tokens = clamp_amount(a->budget_tokens),
		.budget_window_us = clamp_window(a->budget_window_us, 0),
		.each_nano = clamp_amount(a->each_nano),
		.each_window_us = clamp_window(a->each_window_us, a->each_nano != 0),
	};

	memcpy(ret.each_tag, a->each_tag, sizeof ret.each_tag);
	return ret;
}

/* key_row_names: reads names of a JSON array, which was checked when it was written; without one, there are none. */
static bool key_row_names(struct str json, struct arena *a, struct str **ret, size_t *ret_count)
{
	struct json_doc d = { 0 };
	struct err      e;
	size_t          n = 0;

	*ret = NULL;
	*ret_count = 0;
	if (json.n == 0)
		return true;
	bool ok = json_scan(&d, json.p, json.n, &json_limits_stored, &e) == ERR_OK &&
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

/* name_covers: every model that b stands for, a stands for, too. */
static bool name_covers(struct str a, struct str b)
{
	return a.n > 0 && a.p[a.n - 1] == '*' ? str_starts(b, (struct str){ a.p, a.n - 1 })
					      : str_eq(a, b);
}

/* both_names: adds the names of `from` that one of `among` covers; but: not those that stand there themselves. */
static size_t both_names(struct str *ret, size_t n, const struct str *from, size_t count,
			 const struct str *among, size_t among_count, bool but)
{
	for (size_t i = 0; i < count; i++) {
		bool covered = false, same = false;

		for (size_t k = 0; k < among_count; k++) {
			covered |= name_covers(among[k], from[i]);
			same |= str_eq(among[k], from[i]);
		}
		if (covered && !(but && same))
			ret[n++] = from[i];
	}
	return n;
}

/* meet_names: the names that stand for what both lists stand for, into *ret; an empty name if that is no model. */
static bool meet_names(struct str **ret, size_t *ret_count, const struct str *other, size_t count,
		       struct arena *a)
{
	static const struct str any = { .p = "*", .n = 1 };
	const struct str       *own = *ret_count > 0 ? *ret : &any;
	size_t                  own_count = *ret_count > 0 ? *ret_count : 1;

	if (count == 0)
		return true;
	*ret = arena_alloc(a, (own_count + count + 1) * sizeof **ret);
	if (!*ret)
		return false;
	*ret_count = both_names(*ret, 0, own, own_count, other, count, false);
	*ret_count = both_names(*ret, *ret_count, other, count, own, own_count, true);
	if (*ret_count == 0)
		(*ret)[(*ret_count)++] = STR_NONE;
	return true;
}

/* read_group: the group of a row.  False: it makes no sense, so its keys admit nobody. */
static bool read_group(const struct key_row *row, struct arena *a, struct identity_group *ret)
{
	struct str *hooks;
	int64_t     number;

	*ret = (struct identity_group){ .allowance = row->group_allowance };
	if (row->group.n != API_KEY_ID ||
	    !key_row_names(row->group_hooks, a, &hooks, &ret->hook_count))
		return false;
	ret->hooks = hooks;
	snprintf(ret->id, sizeof ret->id, "grp_%.*s", STR_ARG(row->group));
	/* The signs of an id are ASCII, so the number is above 0. */
	memcpy(&number, row->group.p, sizeof number);
	ret->number = -number;
	return true;
}

static bool read_all_models(const struct key_row *row, struct arena *a, struct str **ret,
			    size_t *ret_count)
{
	struct str *group;
	size_t      count;

	return key_row_names(row->models, a, ret, ret_count) &&
	       key_row_names(row->group_models, a, &group, &count) &&
	       meet_names(ret, ret_count, group, count, a);
}

bool key_row_add(struct key_ring_table *t, const struct key_row *row)
{
	struct key_ring_entry e = { .expires_ms = row->expires_ms, .revoked = row->revoked };
	struct identity_group group;
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
	bool ok = read_all_models(row, &a, &models, &count) &&
		  (row->group.n == 0 || read_group(row, &a, &group));
	if (ok)
		e.who = identity_create(&(struct identity_options){
			.id = str_of(name),
			.number = row->number,
			.owner = row->owner,
			.scopes = (unsigned)row->scopes & SCOPES_ALL,
			.caches = (row->scopes & KEY_CACHES) != 0,
			.models = models,
			.model_count = count,
			.metadata = row->metadata,
			.used_ms = row->used_ms,
			.allowance = row->allowance,
			.group = row->group.n > 0 ? &group : NULL,
		});
	arena_finish(&a);
	if (!ok)
		return true;
	return e.who && key_ring_add(t, &e);
}

bool key_row_add_group(struct key_ring_table *t, const struct key_row *row)
{
	struct identity_options o = { .id = STR_NONE };
	struct identity_group   group;
	struct str             *models = NULL;
	struct identity        *who = NULL;
	struct arena            a;

	arena_init(&a, MIB);
	bool ok = read_group(row, &a, &group) &&
		  key_row_names(row->group_models, &a, &models, &o.model_count);
	o.models = models;
	o.group = &group;
	if (ok)
		who = identity_create(&o);
	arena_finish(&a);
	return !ok || (who && key_ring_add_group(t, who));
}
