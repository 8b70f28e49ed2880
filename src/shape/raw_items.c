/* Finds the items of a message, and leaves them out. */
#include "shape/carry.h"

#include "json/scan.h"

static const char key[] = "\"" RAW_ITEMS_KEY "\"";

static bool raw_items_put_rest(const struct json_doc *d, struct buf *out)
{
	bool first = true;
	bool ok = buf_text(out, "{");

	JSON_EACH_MEMBER (k, d, 0) {
		if (json_is(d, k, RAW_ITEMS_KEY))
			continue;
		ok = ok && (first || buf_text(out, ",")) && buf_str(out, json_member(d, k));
		first = false;
	}
	return ok && buf_text(out, "}");
}

static enum errc raw_items_split(const struct json_doc *d, json_at list, struct arena *arena,
				 struct str *ret, struct str *ret_items, struct err *e)
{
	struct buf out;
	struct str raw = json_raw(d, list);
	struct str made = STR_NONE;

	buf_init(&out, d->len);
	if (raw_items_put_rest(d, &out))
		made = arena_str(arena, buf_view(&out));
	buf_finish(&out);
	if (!made.p)
		return err_no_memory(e);
	*ret = made;
	*ret_items = json_is_kind(d, list, JSON_ARRAY) && d->tok[list].count > 0
			     ? (struct str){ raw.p + 1, raw.n - 2 }
			     : STR_NONE;
	return ERR_OK;
}

enum errc raw_items_take(struct str message, struct arena *arena, struct str *ret,
			 struct str *ret_items, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;

	*ret = message;
	*ret_items = STR_NONE;
	/* The member, or the calls that were joined with it, come last. */
	if (message.n < 2 || message.p[message.n - 2] != ']' ||
	    !memmem(message.p, message.n, key, sizeof key - 1))
		return ERR_OK;
	if (json_scan(&d, message.p, message.n, &json_limits_stored, e) == ERR_OK) {
		json_at list = json_get(&d, 0, RAW_ITEMS_KEY);

		if (list != JSON_ABSENT)
			rc = raw_items_split(&d, list, arena, ret, ret_items, e);
	} else {
		rc = e->code == ERR_OVERLOADED ? e->code : ERR_OK;
	}
	json_doc_finish(&d);
	return rc;
}
