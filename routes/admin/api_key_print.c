/* Prints API keys. */
#include "routes/admin/api_key_body.h"
#include "base/identity.h"

#include "json/value.h"
#include "routes/kit/page.h"
#include "store/api_key.h"

#include <stdio.h>

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
		{ "created_at", time_of(k->created_ms) }, { "expires_at", time_of(k->expires_ms) },
		{ "revoked_at", time_of(k->revoked_ms) }, { "rotated_at", time_of(k->rotated_ms) },
		{ "grace_until", time_of(grace ? k->old_until_ms : 0) },
		{ "last_used_at", time_of(k->used_ms) },
		{ "limits", allowance_body_limits_value(&k->allowance) },
		{ "budget", allowance_body_budget_value(&k->allowance) },
		{ text ? "key" : NULL, text ? value_text_of(text) : NULL });
}

bool api_key_print(struct buf *out, const struct store_api_key *k, const char *text, int64_t now_ms)
{
	struct value *v = key_print_key_of(k, text, now_ms);
	bool          ok = value_print(v, out);

	value_destroy(v);
	return ok;
}

bool api_key_print_list(struct buf *out, const struct api_keys_read *read, int64_t now_ms)
{
	char   first[API_KEY_ID_MAX] = "", last[API_KEY_ID_MAX] = "";
	size_t n = read->key_count;

	if (n > 0) {
		snprintf(first, sizeof first, "key_%s", read->keys[0].id);
		snprintf(last, sizeof last, "key_%s", read->keys[n - 1].id);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && !buf_text(out, ",")) ||
		    !api_key_print(out, &read->keys[i], NULL, now_ms))
			return false;
	return buf_text(out, "]}");
}
