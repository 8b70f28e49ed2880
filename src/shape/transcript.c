/* Makes the messages for a provider from stored messages of all kinds. */
#include "shape/transcript.h"

#include "base/limits.h"
#include "shape/carry.h"
#include "lmc/media.h"
#include "lmc/text.h"
#include "lmc/to_openai.h"

#include <stdio.h>

struct transcript {
	const struct transcript_options *o;
	struct to_openai                *joiner; /* owned */
	struct str                      *made;   /* in the arena; grown by halves */
	size_t                           count;
	size_t                           cap;
	size_t                           at;      /* index of the current message */
	size_t                           made_at; /* index of the next rendered message */
	struct json_doc                  doc;
};

/* --- what a message is --- */

/* is_lmc: only LMC messages have a type at their top level. Without that word in the bytes, no scan
 * is needed. (The key may be written with escapes.) */
static bool may_be_lmc(struct str message)
{
	return mention_find(message, MENTION_TYPE | MENTION_LMC | MENTION_ESCAPED);
}

static bool is_lmc(const struct json_doc *d, json_at i)
{
	return json_get_some(d, i, "type") != JSON_ABSENT;
}

/* lmc_of: the LMC messages beside an answer; JSON_ABSENT: none. */
static json_at lmc_of(const struct json_doc *d)
{
	json_at list = json_get(d, 0, "lmc");
	bool    some =
		list != JSON_ABSENT && json_kind(d, list) == JSON_ARRAY && d->tok[list].count > 0;

	return some ? list : JSON_ABSENT;
}

static bool transcript_is_text(const struct json_doc *d, json_at message, const char *key,
			       const char *text)
{
	json_at i = json_get(d, message, key);

	return i != JSON_ABSENT && json_is(d, i, text);
}

/* is_sent: false for messages that are skipped, whatever their content (L2). */
static bool is_sent(const struct json_doc *d, json_at message)
{
	return !transcript_is_text(d, message, "role", "server") &&
	       (json_get_some(d, message, "recipient") == JSON_ABSENT ||
		transcript_is_text(d, message, "recipient", "assistant"));
}

static bool names_path(const struct json_doc *d, json_at message)
{
	return transcript_is_text(d, message, "type", "image") &&
	       transcript_is_text(d, message, "format", "path") && is_sent(d, message);
}

/* --- checking what comes in --- */

static bool ignore_made(void *arg, struct str message)
{
	(void)arg;
	(void)message;
	return true;
}

static bool any_image(void *arg, size_t index, struct str *ret_format, struct str *ret_data)
{
	(void)arg;
	(void)index;
	*ret_format = STR("base64.png");
	*ret_data = STR("AAAA");
	return true;
}

static enum errc transcript_at_member(struct err *e, const char *path, const char *member,
				      const char *text)
{
	err_set(e, ERR_INVALID_VALUE, member, "%s", text);
	err_at(e, path);
	return e->code;
}

/* wanted_kind: the media type that the format requires; NULL: the content is not base64. */
static const char *wanted_kind(const struct json_doc *d, json_at format)
{
	static const char *const formats[][2] = {
		{ "base64", "png" },      { "base64.png", "png" }, { "base64.jpeg", "jpeg" },
		{ "base64.jpg", "jpeg" }, { "base64.gif", "gif" }, { "base64.webp", "webp" },
	};

	if (format == JSON_ABSENT)
		return "png";
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (json_is(d, format, formats[i][0]))
			return formats[i][1];
	return NULL;
}

static enum errc check_base64(struct str data, const char *wanted, const char *path, struct err *e)
{
	if (data.n / 4 * 3 > LIMIT_IMAGE)
		return transcript_at_member(e, path, "content",
					    "the image is too large; at most 12 MiB are allowed");
	if (!media_base64(data))
		return transcript_at_member(
			e, path, "content",
			"must be base64: the standard alphabet, padded, without white space");

	const char *kind = media_kind_base64(data);
	if (!kind || strcmp(kind, wanted) != 0)
		return transcript_at_member(
			e, path, "content",
			"the image is not what its format says; base64 and base64.png mean PNG");
	return ERR_OK;
}

/* check_image: checks the bytes of an image that the rules have accepted. */
static enum errc check_image(const struct json_doc *d, json_at message, const char *path,
			     struct err *e)
{
	const char *wanted = wanted_kind(d, json_get_some(d, message, "format"));
	json_at     content = json_get(d, message, "content");
	struct buf  decoded;
	struct str  data = STR_NONE;
	enum errc   rc;

	if (!wanted)
		return ERR_OK;
	/* Some programs escape every slash in JSON. */
	buf_init(&decoded, json_inner(d, content).n);
	if (text_view(d, content, &decoded, &data))
		rc = check_base64(data, wanted, path, e);
	else
		rc = err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
	buf_finish(&decoded);
	return rc;
}

enum errc transcript_check(const struct json_doc *d, json_at i, const char *path, bool paths,
			   struct err *e)
{
	struct to_openai *t = to_openai_create(&(struct to_openai_options){
		.vision = true, .image_path = paths ? any_image : NULL, .made = ignore_made });
	enum errc         rc;

	if (!t)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
	rc = to_openai_lmc(t, d, i, path, 0, e);
	if (rc == ERR_OK)
		rc = to_openai_end(t, e);
	to_openai_destroy(t);
	if (rc != ERR_OK)
		return rc;

	return transcript_is_text(d, i, "type", "image") && is_sent(d, i)
		       ? check_image(d, i, path, e)
		       : ERR_OK;
}

/* --- images that are named by path --- */

enum errc transcript_images(const struct str *messages, size_t count, struct arena *arena,
			    struct transcript_image **ret, size_t *ret_count, struct err *e)
{
	struct transcript_image *list = arena_alloc(arena, (count + 1) * sizeof *list);
	struct json_doc          d = { 0 };
	size_t                   n = 0;
	bool                     ok = list;

	for (size_t i = 0; ok && i < count; i++) {
		struct str m = messages[i];

		if (!may_be_lmc(m) || json_scan(&d, m.p, m.n, &json_limits_stored, e) != ERR_OK ||
		    !names_path(&d, 0))
			continue;
		json_at content = json_get(&d, 0, "content");
		if (content == JSON_ABSENT || json_kind(&d, content) != JSON_STRING)
			continue;
		list[n] = (struct transcript_image){ .message = i };
		ok = json_text(&d, content, arena, &list[n].path);
		/* A path without escapes is a span of the message, which lives long enough. */
		n++;
	}
	json_doc_finish(&d);
	if (!ok)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
	*ret = list;
	*ret_count = n;
	return ERR_OK;
}

/* image_of: the image that the message at t->at names; NULL: no image was read for it. */
static const struct transcript_image *image_of(const struct transcript *t, size_t at)
{
	const struct transcript_image *images = t->o->images;
	size_t                         low = 0;
	size_t                         high = t->o->image_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (images[middle].message < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->o->image_count && images[low].message == at ? &images[low] : NULL;
}

static bool give_image(void *arg, size_t index, struct str *ret_format, struct str *ret_data)
{
	const struct transcript       *t = arg;
	const struct transcript_image *image = image_of(t, t->at);

	(void)index;
	if (!image || image->format.n == 0)
		return false;
	*ret_format = image->format;
	*ret_data = image->data;
	return true;
}

/* --- the list that is made --- */

static bool transcript_push(struct transcript *t, struct str message)
{
	if (t->count == t->cap) {
		size_t      cap = t->cap ? t->cap * 2 : 64;
		struct str *list = arena_alloc(t->o->arena, cap * sizeof *list);

		if (!list)
			return false;
		if (t->count > 0)
			memcpy(list, t->made, t->count * sizeof *list);
		t->made = list;
		t->cap = cap;
	}
	t->made[t->count++] = message;
	return true;
}

static bool push_copy(void *arg, struct str message)
{
	struct transcript *t = arg;
	struct str         copy = arena_str(t->o->arena, message);

	return copy.p && transcript_push(t, copy);
}

/* --- one message --- */

static enum errc hand_lmc(struct transcript *t, json_at message, struct err *e)
{
	char   path[48];
	bool   old = t->at < t->o->old;
	size_t index = old ? WARNINGS_UNTOLD : t->at - t->o->old;

	snprintf(path, sizeof path, "messages[%zu]", old ? t->at : index);
	return to_openai_lmc(t->joiner, &t->doc, message, path, index, e);
}

/* lost_image: true if the image could be read when it was sent, but not now. */
static bool lost_image(const struct transcript *t)
{
	const struct transcript_image *image;

	if ((t->at >= t->o->old && !t->o->view) || !names_path(&t->doc, 0))
		return false;
	image = image_of(t, t->at);
	return !image || image->format.n == 0;
}

/* all_fit: true if the LMC messages beside an answer obey the rules. Those that the gateway stored
 * do. */
static bool all_fit(const struct transcript *t, json_at list)
{
	struct err e;

	JSON_EACH (i, &t->doc, list)
		if (json_kind(&t->doc, i) != JSON_OBJECT || !is_lmc(&t->doc, i) ||
		    transcript_check(&t->doc, i, "", false, &e) != ERR_OK)
			return false;
	return true;
}

/* is_call: whether an LMC message becomes a call of OpenAI's. */
static bool is_call(const struct json_doc *d, json_at message)
{
	return transcript_is_text(d, message, "role", "assistant") && is_sent(d, message) &&
	       (transcript_is_text(d, message, "type", "code") ||
		transcript_is_text(d, message, "type", "tool_call"));
}

/* calls_beside: the tool_calls beside the LMC messages of an answer, if they are the same calls. */
static json_at calls_beside(const struct json_doc *d, json_at list)
{
	json_at  calls = json_get(d, 0, "tool_calls");
	uint32_t n = 0;

	if (calls == JSON_ABSENT || json_kind(d, calls) != JSON_ARRAY)
		return JSON_ABSENT;
	JSON_EACH (i, d, list)
		n += is_call(d, i);
	return n == d->tok[calls].count ? calls : JSON_ABSENT;
}

static enum errc hand_list(struct transcript *t, json_at list, struct err *e)
{
	to_openai_calls(t->joiner, &t->doc,
			t->o->fence ? JSON_ABSENT : calls_beside(&t->doc, list));
	JSON_EACH (i, &t->doc, list) {
		enum errc rc = hand_lmc(t, i, e);

		if (rc != ERR_OK)
			return rc;
	}
	to_openai_calls(t->joiner, &t->doc, JSON_ABSENT);
	return ERR_OK;
}

/* render_files: renders the message at t->at with its files before it. */
static enum errc render_files(struct transcript *t, struct str message, struct str *ret,
			      struct err *e)
{
	const struct transcript_made *made = t->o->made;
	struct context_named         *named;
	size_t                        count = 0;

	while (t->made_at < t->o->made_count && made[t->made_at].message < t->at)
		t->made_at++;
	if (t->made_at < t->o->made_count && made[t->made_at].message == t->at) {
		*ret = made[t->made_at].text;
		return ERR_OK;
	}
	if (t->o->view) {
		enum errc rc = context_uploads(message, t->o->arena, &named, &count, e);

		if (rc != ERR_OK)
			return rc;
	}
	if (count > 0)
		warnings_add(t->o->warnings, t->at, "file_not_shown",
			     "the contents of uploaded files are not shown here");
	return context_render(message, t->o->files, t->o->arena, ret, e);
}

/* take_items: *message is left without the items that it was made of. */
static enum errc take_items(struct transcript *t, struct str *message, struct err *e)
{
	struct transcript_items *kept = t->joiner ? NULL : t->o->items;
	struct str               items;
	enum errc                rc = raw_items_take(*message, t->o->arena, message, &items, e);

	if (rc == ERR_OK && kept && items.n > 0) {
		kept->list[t->at] = items;
		kept->any = true;
	}
	return rc;
}

/* without_lmc: the answer without the LMC messages beside it, which are its last member. p is NULL:
 * no memory. */
static struct str without_lmc(const struct transcript *t, struct str message)
{
	static const char key[] = ",\"lmc\":";
	const size_t      key_len = sizeof key - 1;
	json_at           list = json_get(&t->doc, 0, "lmc");

	if (list == JSON_ABSENT)
		return message;

	struct str value = json_raw(&t->doc, list);
	size_t     front = (size_t)(value.p - message.p);
	if (front < key_len || memcmp(value.p - key_len, key, key_len) != 0 ||
	    front + value.n + 1 != message.n)
		return message;

	char *copy = arena_alloc(t->o->arena, message.n);
	if (!copy)
		return STR_NONE;
	front -= key_len;
	memcpy(copy, message.p, front);
	copy[front] = '}';
	return (struct str){ copy, front + 1 };
}

static enum errc hand_on(struct transcript *t, struct str message, struct err *e)
{
	enum errc  rc = json_scan(&t->doc, message.p, message.n, &json_limits_stored, e);
	bool       stored = t->o->view || t->at < t->o->old;
	struct str raw;

	if (rc != ERR_OK)
		return rc;
	if (is_lmc(&t->doc, 0) && !lost_image(t)) {
		rc = hand_lmc(t, 0, e);
		/* OpenAI's routes store any member, also a type; that does not make an LMC
		 * message. */
		if (rc == ERR_OK || rc == ERR_OVERLOADED || !stored)
			return rc;
	} else if (is_lmc(&t->doc, 0)) {
		if (t->o->view)
			warnings_add(t->o->warnings, t->at, "image_not_shown",
				     "an image that is named by its path is not read here");
		else
			warnings_add(t->o->warnings, 0, "image_unreadable",
				     "an image of an earlier message can't be read any more");
		return ERR_OK;
	}
	json_at list = lmc_of(&t->doc);
	if (list != JSON_ABSENT && all_fit(t, list))
		return hand_list(t, list, e);
	message = without_lmc(t, message);
	if (!message.p)
		return err_no_memory(e);
	rc = render_files(t, message, &raw, e);
	if (rc == ERR_OK)
		rc = take_items(t, &raw, e);
	if (rc != ERR_OK)
		return rc;
	return to_openai_own(t->joiner, &t->doc, 0, raw, e);
}

/* --- all messages --- */

/* render_plain: without LMC messages, each message is rendered by itself. */
static enum errc render_plain(struct transcript *t, const struct str *messages, size_t count,
			      struct err *e)
{
	for (t->at = 0; t->at < count; t->at++) {
		struct str raw;
		enum errc  rc = render_files(t, messages[t->at], &raw, e);

		if (rc == ERR_OK)
			rc = take_items(t, &raw, e);
		if (rc != ERR_OK)
			return rc;
		if (!transcript_push(t, raw))
			return err_no_memory(e);
	}
	return ERR_OK;
}

/* reserve_ids: reads the ids of all messages first, because a made id must differ from later ones
 * too. */
static enum errc reserve_ids(struct transcript *t, const struct str *messages, size_t count,
			     struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		struct str m = messages[i];

		if (!memmem(m.p, m.n, "call_lmc_", 9) && !memmem(m.p, m.n, "\\u", 2))
			continue;
		enum errc rc = json_scan(&t->doc, m.p, m.n, &json_limits_stored, e);
		if (rc != ERR_OK)
			return rc;
		if (!is_lmc(&t->doc, 0))
			to_openai_reserve(t->joiner, &t->doc, 0);
	}
	return ERR_OK;
}

static enum errc render_mixed(struct transcript *t, const struct str *messages, size_t count,
			      struct err *e)
{
	enum errc rc = ERR_OK;

	t->joiner = to_openai_create(&(struct to_openai_options){
		.fence = t->o->fence,
		.unrun = t->o->unrun,
		.vision = true,
		.warnings = t->o->warnings,
		.image_path = give_image,
		.arg = t,
		.made = push_copy,
	});
	if (!t->joiner)
		return err_no_memory(e);
	rc = reserve_ids(t, messages, count, e);
	for (t->at = 0; rc == ERR_OK && t->at < count; t->at++)
		rc = hand_on(t, messages[t->at], e);
	if (rc == ERR_OK)
		rc = to_openai_end(t->joiner, e);
	to_openai_destroy(t->joiner);
	return rc;
}

static bool any_lmc(struct transcript *t, const struct str *messages, size_t count)
{
	struct err e;

	for (size_t i = 0; i < count; i++)
		if (may_be_lmc(messages[i]) &&
		    json_scan(&t->doc, messages[i].p, messages[i].n, &json_limits_stored, &e) ==
			    ERR_OK &&
		    (is_lmc(&t->doc, 0) || lmc_of(&t->doc) != JSON_ABSENT))
			return true;
	return false;
}

enum errc transcript_render(const struct str *messages, size_t count,
			    const struct transcript_options *o, struct str **ret, size_t *ret_count,
			    struct err *e)
{
	struct transcript t = { .o = o };
	enum errc         rc;

	if (o->answers_calls || any_lmc(&t, messages, count)) {
		rc = render_mixed(&t, messages, count, e);
		if (o->items)
			o->items->joined = true;
	} else {
		rc = render_plain(&t, messages, count, e);
	}
	json_doc_finish(&t.doc);
	if (rc != ERR_OK)
		return rc;
	*ret = t.made;
	*ret_count = t.count;
	return ERR_OK;
}
