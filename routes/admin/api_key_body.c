/* Checks request bodies about API keys. */
#include "routes/admin/api_key_body.h"

#include "base/identity.h"
#include "base/limits.h"
#include "base/money.h"
#include "json/value.h"
#include "routes/kit/check.h"
#include "routes/kit/lookup.h"
#include "schema/schema.h"

#include <stdio.h>

/* --- allowance_body: Reads and prints the allowance of a key, in the form of the admin routes. */

static enum errc bad_time(struct err *e, const char *path)
{
	return err_set(
		e, ERR_INVALID_VALUE, path,
		"must be a whole number with s, m, h or d, from 1s to 366d, such as 1m, 24h or 30d");
}

static enum errc read_rate(struct input *in, json_at at, const char *path, int64_t *ret_count,
			   int64_t *ret_us, struct err *e)
{
	struct api_key_rate b = api_key_rate_init;

	if (at == JSON_ABSENT)
		return ERR_OK;
	enum errc rc = fields_read(&api_key_rate_fields, &in->doc, at, path, &in->arena, &b, e);
	if (rc != ERR_OK)
		return rc;
	if (!allowance_read_time(b.window, ret_us)) {
		bad_time(e, "window");
		err_at(e, path);
		return e->code;
	}
	*ret_count = b.count;
	return ERR_OK;
}

/* Each fills its part of *ret; `at` is an object.  Errors: those of fields_read, INVALID_VALUE. */
static enum errc allowance_body_limits(struct input *in, json_at at, struct allowance *ret,
				       struct err *e)
{
	struct api_key_limits b = api_key_limits_init;
	enum errc             rc =
		fields_read(&api_key_limits_fields, &in->doc, at, "limits", &in->arena, &b, e);

	if (rc == ERR_OK)
		rc = read_rate(in, b.requests, "limits.requests", &ret->requests,
			       &ret->requests_window_us, e);
	if (rc == ERR_OK)
		rc = read_rate(in, b.tokens, "limits.tokens", &ret->tokens, &ret->tokens_window_us,
			       e);
	ret->concurrent = b.concurrent;
	ret->max_body = b.max_body;
	return rc;
}

static enum errc bad_money(struct err *e, const char *path)
{
	return err_set(e, ERR_INVALID_VALUE, path,
		       "must be a decimal number above 0 with up to 9 places, up to 1000000000, "
		       "such as 12.50");
}

static enum errc allowance_body_each(struct input *in, json_at at,
				     const struct usage_tag_names *tags, struct allowance *ret,
				     struct err *e)
{
	struct api_key_each b = api_key_each_init;
	enum errc           rc =
		fields_read(&api_key_each_fields, &in->doc, at, "budget.each", &in->arena, &b, e);

	if (rc != ERR_OK)
		return rc;
	if (usage_tag_place(tags, b.tag) == tags->count)
		return err_set(e, ERR_INVALID_VALUE, "budget.each.tag", "is none of usage_tags");
	if (!allowance_read_money(b.money, &ret->each_nano))
		return bad_money(e, "budget.each.money");
	if (!allowance_read_time(b.window, &ret->each_window_us))
		return bad_time(e, "budget.each.window");
	str_copy(ret->each_tag, sizeof ret->each_tag, b.tag);
	return ERR_OK;
}

static enum errc allowance_body_budget(struct input *in, json_at at,
				       const struct usage_tag_names *tags, struct allowance *ret,
				       struct err *e)
{
	struct api_key_budget b = api_key_budget_init;
	enum errc             rc =
		fields_read(&api_key_budget_fields, &in->doc, at, "budget", &in->arena, &b, e);

	if (rc != ERR_OK)
		return rc;
	if (b.money.p && !allowance_read_money(b.money, &ret->budget_nano))
		return bad_money(e, "budget.money");
	if (b.window.p && !allowance_read_time(b.window, &ret->budget_window_us))
		return bad_time(e, "budget.window");
	if (b.window.p && !b.money.p && b.tokens == 0)
		return err_set(e, ERR_INVALID_VALUE, "budget",
			       "needs money or tokens, not only a window");
	ret->budget_tokens = b.tokens;
	return b.each == JSON_ABSENT ? ERR_OK : allowance_body_each(in, b.each, tags, ret, e);
}

/* --- telling --- */

/* allowance_body_written: prints the text that `put` makes of v, as a string. */
static struct value *allowance_body_written(bool (*put)(struct buf *out, int64_t v), int64_t v)
{
	struct buf    text;
	struct value *ret;

	buf_init(&text, VALUE_FMT_MAX);
	ret = put(&text, v) ? value_string(buf_view(&text)) : NULL;
	buf_finish(&text);
	return ret;
}

/* SET: a member that is left out where v is nothing. */
/* clang-format off */
#define SET(name, v, made) { (v) > 0 ? (name) : NULL, (v) > 0 ? (made) : NULL }
/* clang-format on */

static struct value *rate_of(int64_t count, int64_t us)
{
	return VALUE_OBJECT({ "count", value_int(count) },
			    { "window", allowance_body_written(allowance_put_time, us) });
}

struct value *allowance_body_limits_value(const struct allowance *a)
{
	if (a->requests == 0 && a->tokens == 0 && a->concurrent == 0 && a->max_body == 0)
		return value_null();
	return VALUE_OBJECT(
		SET("requests", a->requests, rate_of(a->requests, a->requests_window_us)),
		SET("tokens", a->tokens, rate_of(a->tokens, a->tokens_window_us)),
		SET("concurrent", a->concurrent, value_int(a->concurrent)),
		SET("max_body", a->max_body, value_int(a->max_body)));
}

static struct value *allowance_body_each_of(const struct allowance *a)
{
	return VALUE_OBJECT(
		{ "tag", value_text_of(a->each_tag) },
		{ "money", allowance_body_written(allowance_put_money, a->each_nano) },
		{ "window", allowance_body_written(allowance_put_time, a->each_window_us) });
}

struct value *allowance_body_budget_value(const struct allowance *a)
{
	if (a->budget_nano == 0 && a->budget_tokens == 0 && a->each_nano == 0)
		return value_null();
	return VALUE_OBJECT(SET("money", a->budget_nano,
				allowance_body_written(allowance_put_money, a->budget_nano)),
			    SET("tokens", a->budget_tokens, value_int(a->budget_tokens)),
			    SET("window", a->budget_window_us,
				allowance_body_written(allowance_put_time, a->budget_window_us)),
			    SET("each", a->each_nano, allowance_body_each_of(a)));
}

struct value *allowance_body_money(int64_t nano)
{
	char text[MONEY_TEXT];

	return value_text_of(money_print(nano, text));
}

static int64_t left_of(int64_t limit, int64_t spent, int64_t reserved)
{
	int64_t left = limit - spent;

	return left > reserved ? left - reserved : 0;
}

/* sum_of: prints one bound of a budget, in money or in tokens. */
static struct value *sum_of(struct value *(*made)(int64_t v), int64_t limit, int64_t spent,
			    int64_t reserved)
{
	if (limit <= 0)
		return value_null();
	return VALUE_OBJECT({ "limit", made(limit) }, { "spent", made(spent) },
			    { "reserved", made(reserved) },
			    { "left", made(left_of(limit, spent, reserved)) });
}

struct allowance_body_left allowance_body_left(const struct budget_row *b, int64_t now_ms)
{
	const struct allowance *a = &b->allowance;
	int64_t                 window_ms = a->budget_window_us / 1000;
	int64_t end_ms = b->began_ms > 0 && window_ms > 0 ? b->began_ms + window_ms : 0;
	bool    over = end_ms > 0 && end_ms <= now_ms;

	return (struct allowance_body_left){
		sum_of(allowance_body_money, a->budget_nano, over ? 0 : b->spent_nano,
		       b->reserved_nano),
		sum_of(value_int, a->budget_tokens, over ? 0 : b->spent_tokens, b->reserved_tokens),
		end_ms > 0 && !over ? value_int((end_ms + 999) / 1000) : value_null(),
	};
}

struct value *allowance_body_left_value(const struct budget_row *b, int64_t now_ms)
{
	if (b->allowance.budget_nano <= 0 && b->allowance.budget_tokens <= 0)
		return value_null();

	struct allowance_body_left p = allowance_body_left(b, now_ms);
	return VALUE_OBJECT({ "cost", p.cost }, { "tokens", p.tokens },
			    { "renewed_at", p.renewed_at });
}

enum errc api_key_body_scopes(struct input *in, json_at list, unsigned *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	unsigned               scopes = 0;
	size_t                 n = 0;

	for (json_at i = json_first(d, list); i != json_end(d, list); i = json_next(d, i), n++) {
		struct str name = STR_NONE;
		char       path[160];

		check_path(path, "scopes[%zu]", n);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (!json_text(d, i, &in->arena, &name) || scope_find(name) == 0)
			return err_set(e, ERR_INVALID_VALUE, path,
				       "must be one of chat, read, files, execute, admin");
		scopes |= scope_find(name);
	}
	*ret = scopes;
	return ERR_OK;
}

static enum errc set_scopes(struct input *in, json_at list, struct api_key_write *w, struct err *e)
{
	if (list == JSON_ABSENT)
		return ERR_OK;
	w->scopes_set = true;
	return api_key_body_scopes(in, list, &w->scopes, e);
}

/* read_models: *ret: the list, or nothing where it stands for all models. */
static enum errc read_models(struct input *in, json_at list, bool *ret_set, struct str *ret,
			     struct err *e)
{
	const struct json_doc *d = &in->doc;
	size_t                 n = 0;

	if (list == JSON_ABSENT)
		return ERR_OK;
	*ret_set = true;
	*ret = json_raw(d, list);
	for (json_at i = json_first(d, list); i != json_end(d, list); i = json_next(d, i), n++) {
		struct str name = STR_NONE;
		char       path[160];

		check_path(path, "models[%zu]", n);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (!json_text(d, i, &in->arena, &name) || name.n == 0 || name.n > LIMIT_MODEL ||
		    memchr(name.p, '\0', name.n))
			return err_set(e, ERR_INVALID_VALUE, path,
				       "must be the name of a model, of 1 to %d bytes",
				       LIMIT_MODEL);
		const char *star = memchr(name.p, '*', name.n);
		if (star && star != name.p + name.n - 1)
			return err_set(e, ERR_INVALID_VALUE, path, "may have a * only at its end");
		if (str_is(name, "*"))
			*ret = STR_NONE; /* all */
	}
	return ERR_OK;
}

static enum errc check_words(struct str name, struct err *e)
{
	for (size_t i = 0; name.p && i < name.n; i++)
		if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
			return err_set(e, ERR_INVALID_VALUE, "name",
				       "must not have control characters");
	return ERR_OK;
}

static enum errc set_end(int64_t at_s, int64_t in_s, struct api_key_write *w, struct err *e)
{
	if (at_s >= 0 && in_s >= 0)
		return err_set(e, ERR_INVALID_VALUE, "expires_in",
			       "must not be given together with expires_at");
	w->expires_set = at_s >= 0 || in_s >= 0;
	w->expires_ms = in_s >= 0 ? w->now_ms + in_s * 1000 : at_s > 0 ? at_s * 1000 : 0;
	if (w->expires_ms > 0 && w->expires_ms <= w->now_ms)
		return err_set(
			e, ERR_INVALID_VALUE, "expires_at",
			"must be a time in the future, in seconds since 1970, or 0 for never");
	return ERR_OK;
}

static enum errc read_metadata(struct input *in, json_at metadata, bool *ret_set, struct str *ret,
			       struct err *e)
{
	if (metadata == JSON_ABSENT)
		return ERR_OK;
	*ret_set = true;
	*ret = json_raw(&in->doc, metadata);
	return check_metadata(&in->doc, metadata, e);
}

static enum errc key_body_read_keep(struct str keep, bool *ret_set, int64_t *ret_ms, struct err *e)
{
	int64_t us = 0;

	*ret_set = keep.p != NULL;
	if (keep.p && !str_is(keep, "none") && !allowance_read_time(keep, &us))
		return bad_time(e, "keep");
	*ret_ms = us / 1000;
	return ERR_OK;
}

static enum errc read_allowance(struct input *in, json_at limits, json_at budget,
				const struct usage_tag_names *tags, struct allowance_set *ret,
				struct err *e)
{
	enum errc rc = ERR_OK;

	ret->limits_set = limits != JSON_ABSENT;
	ret->budget_set = budget != JSON_ABSENT;
	if (ret->limits_set)
		rc = allowance_body_limits(in, limits, &ret->allowance, e);
	if (rc == ERR_OK && ret->budget_set)
		rc = allowance_body_budget(in, budget, tags, &ret->allowance, e);
	return rc;
}

/* set_group: an empty name takes the key out of its group. */
static enum errc set_group(struct str group, struct api_key_write *w, struct err *e)
{
	w->group_set = group.p != NULL;
	if (group.n == 0 || api_key_group(group, &w->group))
		return ERR_OK;
	return err_set(e, ERR_NOT_FOUND, "group", "there is no such group");
}

/* set_all: the members that creating and changing a key have in common. */
static enum errc set_all(struct input *in, const struct usage_tag_names *tags,
			 const struct api_key_create *b, struct api_key_write *w, struct err *e)
{
	enum errc rc = check_words(b->name, e);

	w->name_set = b->name.p != NULL;
	w->name = b->name;
	if (rc == ERR_OK)
		rc = set_scopes(in, b->scopes, w, e);
	if (rc == ERR_OK)
		rc = read_models(in, b->models, &w->models_set, &w->models, e);
	if (rc == ERR_OK)
		rc = set_end(b->expires_at, b->expires_in, w, e);
	if (rc == ERR_OK)
		rc = read_metadata(in, b->metadata, &w->metadata_set, &w->metadata, e);
	if (rc == ERR_OK)
		rc = set_group(b->group, w, e);
	if (rc == ERR_OK)
		rc = key_body_read_keep(b->keep, &w->keep_set, &w->keep_ms, e);
	w->caches_set = json_get_some(&in->doc, 0, "cache") != JSON_ABSENT;
	w->caches = b->cache;
	return rc == ERR_OK ? read_allowance(in, b->limits, b->budget, tags, &w->allowed, e) : rc;
}

enum errc api_key_body_create(struct input *in, const struct usage_tag_names *tags,
			      struct api_key_write *w, struct err *e)
{
	struct api_key_create b = api_key_create_init;
	enum errc rc = fields_read(&api_key_create_fields, &in->doc, 0, "", &in->arena, &b, e);

	w->scopes = SCOPES_USUAL;
	if (rc == ERR_OK)
		rc = set_all(in, tags, &b, w, e);
	if (rc == ERR_OK && b.shares.p && !api_key_id(b.shares, &w->shares))
		rc = err_set(e, ERR_NOT_FOUND, "shares", "there is no such key");
	return rc;
}

enum errc api_key_body_update(struct input *in, const struct usage_tag_names *tags,
			      struct api_key_write *w, struct err *e)
{
	struct api_key_create b = api_key_create_init;
	enum errc rc = fields_read(&api_key_update_fields, &in->doc, 0, "", &in->arena, &b, e);

	return rc == ERR_OK ? set_all(in, tags, &b, w, e) : rc;
}

enum errc api_key_body_rotate(struct input *in, struct api_key_write *w, struct err *e)
{
	struct api_key_rotate b = api_key_rotate_init;
	enum errc rc = fields_read(&api_key_rotate_fields, &in->doc, 0, "", &in->arena, &b, e);

	w->old_until_ms = b.grace > 0 ? w->now_ms + b.grace * 1000 : 0;
	return rc;
}

/* --- groups --- */

static enum errc read_hooks(struct input *in, json_at list, struct key_group_write *w,
			    struct err *e)
{
	const struct json_doc *d = &in->doc;
	size_t                 n = 0;

	if (list == JSON_ABSENT)
		return ERR_OK;
	w->hooks_set = true;
	w->hooks = json_raw(d, list);
	for (json_at i = json_first(d, list); i != json_end(d, list); i = json_next(d, i), n++) {
		struct str name = STR_NONE;
		char       path[160];

		check_path(path, "hooks[%zu]", n);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (!json_text(d, i, &in->arena, &name) || name.n == 0 || name.n > LIMIT_ID ||
		    memchr(name.p, '\0', name.n))
			return err_set(e, ERR_INVALID_VALUE, path, "must be the name of a hook");
	}
	if (n == 0)
		w->hooks = STR_NONE;
	return ERR_OK;
}

enum errc api_key_body_group(struct input *in, const struct usage_tag_names *tags,
			     struct key_group_write *w, struct err *e)
{
	struct api_key_group b = api_key_group_init;
	enum errc rc = fields_read(&api_key_group_fields, &in->doc, 0, "", &in->arena, &b, e);

	w->name_set = b.name.p != NULL;
	w->name = b.name;
	if (rc == ERR_OK)
		rc = check_words(b.name, e);
	if (rc == ERR_OK)
		rc = read_models(in, b.models, &w->models_set, &w->models, e);
	if (rc == ERR_OK)
		rc = read_hooks(in, b.hooks, w, e);
	if (rc == ERR_OK)
		rc = read_metadata(in, b.metadata, &w->metadata_set, &w->metadata, e);
	if (rc == ERR_OK)
		rc = key_body_read_keep(b.keep, &w->keep_set, &w->keep_ms, e);
	return rc == ERR_OK ? read_allowance(in, b.limits, b.budget, tags, &w->allowed, e) : rc;
}

/* --- api_key_print: Prints API keys. */

const char *api_key_status(const struct store_api_key *k, int64_t now_ms)
{
	if (k->revoked_ms > 0)
		return "revoked";
	return k->expires_ms > 0 && k->expires_ms <= now_ms ? "expired" : "active";
}

static struct value *time_of(int64_t ms)
{
	return ms > 0 ? value_int(ms / 1000) : value_null();
}

struct value *api_key_scopes(unsigned scopes)
{
	struct value *list = value_array();

	for (unsigned i = 0; list && i < SCOPE_COUNT; i++)
		if (scopes & 1u << i && !value_push_take(list, value_text_of(scope_name(i)))) {
			value_destroy(list);
			return NULL;
		}
	return list;
}

static struct value *keep_of(int64_t ms)
{
	return ms > 0 ? allowance_body_written(allowance_put_time, ms * 1000) : value_null();
}

static struct value *key_print_key_of(const struct store_api_key *k, const char *text,
				      int64_t now_ms)
{
	bool grace = k->old_until_ms > now_ms && k->revoked_ms == 0;

	return VALUE_OBJECT(
		{ "id", value_fmt("key_%s", k->id) }, { "object", value_text_of("api_key") },
		{ "name", value_string(k->name) },
		{ "status", value_text_of(api_key_status(k, now_ms)) },
		{ "scopes", api_key_scopes(k->scopes) },
		{ "models", k->models.n > 0 ? value_raw(k->models) : value_null() },
		{ "metadata", value_raw(k->metadata) },
		{ "owner", value_fmt("%lld", (long long)k->owner) },
		{ "group", k->group[0] ? value_fmt("grp_%s", k->group) : value_null() },
		{ "created_at", time_of(k->created_ms) }, { "expires_at", time_of(k->expires_ms) },
		{ "revoked_at", time_of(k->revoked_ms) }, { "rotated_at", time_of(k->rotated_ms) },
		{ "grace_until", time_of(grace ? k->old_until_ms : 0) },
		{ "last_used_at", time_of(k->used_ms) },
		{ "limits", allowance_body_limits_value(&k->allowance) },
		{ "budget", allowance_body_budget_value(&k->allowance) },
		{ "keep", keep_of(k->keep_ms) }, { "cache", value_bool(k->caches) },
		{ text ? "key" : NULL, text ? value_text_of(text) : NULL });
}

bool api_key_print(struct buf *out, const struct store_api_key *k, const char *text, int64_t now_ms)
{
	struct value *v = key_print_key_of(k, text, now_ms);
	bool          ok = value_print(v, out);

	value_destroy(v);
	return ok;
}

/* key_body_put_list: a page of n things, which `put` prints; first and last: their ids. */
static bool key_body_put_list(struct buf *out, const char *first, const char *last, bool has_more,
			      size_t n,
			      bool (*put)(struct buf *out, const void *page, size_t i,
					  int64_t now_ms),
			      const void *page, int64_t now_ms)
{
	if (!page_head(out, first, last, has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && !buf_text(out, ",")) || !put(out, page, i, now_ms))
			return false;
	return buf_text(out, "]}");
}

static bool key_body_put_key(struct buf *out, const void *page, size_t i, int64_t now_ms)
{
	return api_key_print(out, &((const struct api_keys_read *)page)->keys[i], NULL, now_ms);
}

bool api_key_print_list(struct buf *out, const struct api_keys_read *read, int64_t now_ms)
{
	char   first[API_KEY_ID_MAX] = "", last[API_KEY_ID_MAX] = "";
	size_t n = read->key_count;

	if (n > 0) {
		snprintf(first, sizeof first, "key_%s", read->keys[0].id);
		snprintf(last, sizeof last, "key_%s", read->keys[n - 1].id);
	}
	return key_body_put_list(out, first, last, read->has_more, n, key_body_put_key, read,
				 now_ms);
}

static struct value *group_of(const struct store_key_group *g, int64_t now_ms)
{
	struct budget_row b = { .allowance = g->allowance,
				.began_ms = g->began_ms,
				.spent_nano = g->spent_nano,
				.reserved_nano = g->reserved_nano,
				.spent_tokens = g->spent_tokens,
				.reserved_tokens = g->reserved_tokens };

	return VALUE_OBJECT(
		{ "id", value_fmt("grp_%s", g->id) }, { "object", value_text_of("group") },
		{ "name", value_string(g->name) },
		{ "models", g->models.n > 0 ? value_raw(g->models) : value_null() },
		{ "hooks", g->hooks.n > 0 ? value_raw(g->hooks) : value_null() },
		{ "metadata", value_raw(g->metadata) }, { "created_at", time_of(g->created_ms) },
		{ "keys", value_int(g->key_count) },
		{ "limits", allowance_body_limits_value(&g->allowance) },
		{ "budget", allowance_body_budget_value(&g->allowance) },
		{ "left", allowance_body_left_value(&b, now_ms) }, { "keep", keep_of(g->keep_ms) });
}

bool api_key_print_group(struct buf *out, const struct store_key_group *g, int64_t now_ms)
{
	struct value *v = group_of(g, now_ms);
	bool          ok = value_print(v, out);

	value_destroy(v);
	return ok;
}

static bool key_body_put_group(struct buf *out, const void *page, size_t i, int64_t now_ms)
{
	return api_key_print_group(out, &((const struct key_groups_read *)page)->groups[i], now_ms);
}

bool api_key_print_groups(struct buf *out, const struct key_groups_read *read, int64_t now_ms)
{
	char   first[API_KEY_ID_MAX] = "", last[API_KEY_ID_MAX] = "";
	size_t n = read->group_count;

	if (n > 0) {
		snprintf(first, sizeof first, "grp_%s", read->groups[0].id);
		snprintf(last, sizeof last, "grp_%s", read->groups[n - 1].id);
	}
	return key_body_put_list(out, first, last, read->has_more, n, key_body_put_group, read,
				 now_ms);
}
