/* The list of messages, and the message of the assistant that several items make. */
#include "base/id.h"
#include "base/limits.h"
#include "routes/kit/check.h"
#include "routes/response/internal.h"
#include "shape/carry.h"

#include <stdarg.h>
#include <stdio.h>

/* --- response_origins: A list in an arena. */

bool response_origins_add(struct response_origins *l, struct origin row)
{
	if (l->count == l->room) {
		size_t         room = l->room ? 2 * l->room : 4;
		struct origin *list = arena_alloc(l->arena, room * sizeof *list);

		if (!list)
			return false;
		if (l->count > 0)
			memcpy(list, l->list, l->count * sizeof *list);
		l->list = list;
		l->room = room;
	}
	l->list[l->count++] = row;
	return true;
}

/* --- errors --- */

bool response_draft_refuse(const struct response_draft *x, enum errc code, const char *text,
			   const char *place, ...)
{
	char    rest[96];
	char    path[160];
	va_list ap;

	va_start(ap, place);
	vsnprintf(rest, sizeof rest, place, ap);
	va_end(ap);
	check_path(path, "input[%zu]%s", x->item, rest);
	err_set(x->e, code, path, "%s", text);
	return false;
}

bool response_draft_full(const struct response_draft *x)
{
	err_set(x->e, ERR_OVERLOADED, "", "no memory for the input");
	return false;
}

bool response_draft_string(const struct response_draft *x, json_at object, const char *place,
			   const char *key, json_at *ret)
{
	*ret = json_get_some(x->d, object, key);
	if (*ret == JSON_ABSENT)
		return response_draft_refuse(x, ERR_MISSING_PARAMETER, "is required", "%s.%s",
					     place, key);
	return json_kind(x->d, *ret) == JSON_STRING ||
	       response_draft_refuse(x, ERR_INVALID_TYPE, "must be a string", "%s.%s", place, key);
}

/* --- origins --- */

/* The number of a message that is made later. */
#define LATER UINT32_MAX

bool response_draft_origin(struct response_draft *x, struct origin row)
{
	row.item = (uint32_t)x->item;
	return response_origins_add(x->origins, row) || response_draft_full(x);
}

void response_draft_keep(struct response_draft *x, bool lossy)
{
	if (!x->raws)
		return;
	if (x->raw_count == 0 || x->raws[x->raw_count - 1] != x->at)
		x->raws[x->raw_count++] = x->at;
	x->lossy = x->lossy || lossy;
}

void response_draft_belongs(struct response_draft *x)
{
	response_draft_keep(x, false);
	if (x->reading->items)
		x->reading->items[x->item].message = (uint32_t)x->count;
}

bool response_draft_begin(struct response_draft *x, const char *key)
{
	response_draft_belongs(x);
	return response_draft_origin(
		x, (struct origin){ ORIGIN_MESSAGE, .message = (uint32_t)x->count, .key = key });
}

/* --- the list --- */

static bool draft_push_made(struct response_draft *x)
{
	struct str copy = arena_str(x->arena, buf_view(&x->made));

	buf_clear(&x->made);
	if (!copy.p)
		return response_draft_full(x);
	x->list[x->count++] = copy;
	return true;
}

/* draft_has_upload: whether a part of an item names a file of this gateway. */
static bool draft_has_upload(const struct json_doc *d, json_at item)
{
	static const char *const keys[] = { "content", "output" };
	struct id                id;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_at list = json_get(d, item, keys[i]);

		if (json_is_kind(d, list, JSON_ARRAY))
			JSON_EACH (part, d, list)
				if (json_kind(d, part) == JSON_OBJECT &&
				    file_id_parse(json_get_inner(d, part, "file_id"), true, &id))
					return true;
	}
	return false;
}

/* draft_put_raws: the items become the last member of the message.  An uploaded file of this gateway
 * means nothing to the provider that would get them back. */
static bool draft_put_raws(struct response_draft *x)
{
	bool ok = true;

	for (size_t i = 0; x->lossy && i < x->raw_count; i++)
		if (draft_has_upload(x->d, x->raws[i]))
			x->lossy = false;
	if (!x->lossy)
		return true;
	x->made.len--;
	ok = buf_text(&x->made, ",\"" RAW_ITEMS_KEY "\":[");
	for (size_t i = 0; ok && i < x->raw_count; i++)
		ok = response_draft_raw(x, &x->made, i > 0 ? "," : "", x->raws[i]);
	return ok && buf_text(&x->made, "]}");
}

bool response_draft_push(struct response_draft *x)
{
	if (!draft_put_raws(x))
		return response_draft_full(x);
	x->raw_count = 0;
	x->lossy = false;
	return draft_push_made(x);
}

static bool draft_put(struct buf *out, const char *before, struct str escaped)
{
	return buf_text(out, before) && buf_text(out, "\"") && buf_str(out, escaped) &&
	       buf_text(out, "\"");
}

bool response_draft_raw(const struct response_draft *x, struct buf *out, const char *before,
			json_at value)
{
	return buf_text(out, before) && buf_str(out, json_raw(x->d, value));
}

/* draft_put_said: reasoning alone is no message. */
static bool draft_put_said(struct response_draft *x)
{
	struct buf *out = &x->made;

	return buf_text(out, "{\"role\":\"assistant\"") &&
	       (x->has_text ? draft_put(out, ",\"content\":", buf_view(&x->text))
			    : buf_text(out, ",\"content\":null")) &&
	       (x->refusal.len == 0 || draft_put(out, ",\"refusal\":", buf_view(&x->refusal))) &&
	       (x->reasoning.len == 0 ||
		draft_put(out, ",\"reasoning_content\":", buf_view(&x->reasoning))) &&
	       (x->call_count == 0 ||
		(carry_put_details(x->carry, out) && buf_text(out, ",\"tool_calls\":[") &&
		 carry_put_calls(x->carry, buf_view(&x->calls), out) && buf_text(out, "]"))) &&
	       buf_text(out, "}");
}

bool response_draft_said(const struct response_draft *x)
{
	return x->has_text || x->refusal.len > 0 || x->call_count > 0 || !id_none(x->stored);
}

bool response_draft_flush_said(struct response_draft *x)
{
	bool some = response_draft_said(x);

	if (!id_none(x->stored))
		x->references[x->reference_count - 1].message = x->count;
	x->stored = (struct id){ 0 };
	if (some && !draft_put_said(x))
		return response_draft_full(x);
	x->has_text = false;
	x->call_count = 0;
	buf_clear(&x->text);
	buf_clear(&x->refusal);
	buf_clear(&x->reasoning);
	buf_clear(&x->calls);
	carry_destroy(x->carry);
	x->carry = NULL;
	return !some || response_draft_push(x);
}

/* A message of media begins with its first part; the results that follow stand before it. */
bool response_draft_media(struct response_draft *x, const char *key, size_t at)
{
	struct origin row = { ORIGIN_PART, LATER, (uint32_t)x->media_count, .key = key };

	row.at = (uint32_t)at;
	if (x->media_count++ == 0) {
		x->media_origins = x->origins->count;
		if (!response_draft_origin(x, (struct origin){ ORIGIN_MESSAGE, LATER, .key = key }))
			return false;
	}
	return response_draft_origin(x, row);
}

bool response_draft_flush_media(struct response_draft *x)
{
	if (x->media.len == 0)
		return true;
	if (!buf_text(&x->made, "{\"role\":\"user\",\"content\":[") ||
	    !buf_str(&x->made, buf_view(&x->media)) || !buf_text(&x->made, "]}"))
		return response_draft_full(x);
	buf_clear(&x->media);
	for (size_t i = x->media_origins; i < x->origins->count; i++)
		if (x->origins->list[i].message == LATER)
			x->origins->list[i].message = (uint32_t)x->count;
	x->media_count = 0;
	return draft_push_made(x);
}

bool response_draft_flush(struct response_draft *x)
{
	return response_draft_flush_said(x) && response_draft_flush_media(x);
}

/* --- birth and death --- */

void response_draft_init(struct response_draft *x)
{
	struct buf *const all[] = { &x->made,      &x->text,  &x->refusal,
				    &x->reasoning, &x->calls, &x->media };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		buf_init(all[i], LIMIT_STORE_ROW);
}

void response_draft_finish(struct response_draft *x)
{
	struct buf *const all[] = { &x->made,      &x->text,  &x->refusal,
				    &x->reasoning, &x->calls, &x->media };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		buf_finish(all[i]);
	carry_destroy(x->carry);
}
