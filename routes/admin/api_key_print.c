/* Keys, printed. */
#include "routes/admin/api_key_print.h"

#include "routes/admin/allowance_body.h"
#include "routes/kit/page.h"

#include <stdio.h>

const char *api_key_status(const struct store_api_key *k, int64_t now_ms)
{
	if (k->revoked_ms > 0)
		return "revoked";
	return k->expires_ms > 0 && k->expires_ms <= now_ms ? "expired" : "active";
}

static bool put_time(struct buf *out, const char *name, int64_t ms)
{
	return ms > 0 ? buf_fmt(out, ",\"%s\":%lld", name, (long long)(ms / 1000))
		      : buf_fmt(out, ",\"%s\":null", name);
}

static bool put_scopes(struct buf *out, unsigned scopes)
{
	bool first = true;

	if (!buf_text(out, ",\"scopes\":["))
		return false;
	for (unsigned i = 0; i < SCOPE_COUNT; i++) {
		if (!(scopes & 1u << i))
			continue;
		if (!buf_fmt(out, "%s\"%s\"", first ? "" : ",", scope_name(i)))
			return false;
		first = false;
	}
	return buf_text(out, "]");
}

bool api_key_print(struct buf *out, const struct store_api_key *k, const char *text, int64_t now_ms)
{
	bool grace = k->old_until_ms > now_ms && k->revoked_ms == 0;

	if (!buf_fmt(out, "{\"id\":\"key_%s\",\"object\":\"api_key\",\"name\":", k->id) ||
	    !buf_json_string(out, k->name) ||
	    !buf_fmt(out, ",\"status\":\"%s\"", api_key_status(k, now_ms)) ||
	    !put_scopes(out, k->scopes) || !buf_text(out, ",\"models\":") ||
	    !buf_str(out, k->models.n > 0 ? k->models : STR("null")) ||
	    !buf_text(out, ",\"metadata\":") || !buf_str(out, k->metadata) ||
	    !buf_fmt(out, ",\"owner\":\"%lld\"", (long long)k->owner))
		return false;
	if (!put_time(out, "created_at", k->created_ms) || !put_time(out, "expires_at", k->expires_ms) ||
	    !put_time(out, "revoked_at", k->revoked_ms) || !put_time(out, "rotated_at", k->rotated_ms) ||
	    !put_time(out, "grace_until", grace ? k->old_until_ms : 0) ||
	    !put_time(out, "last_used_at", k->used_ms))
		return false;
	if (!allowance_body_put(out, &k->allowance))
		return false;
	return (!text || buf_fmt(out, ",\"key\":\"%s\"", text)) && buf_text(out, "}");
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
