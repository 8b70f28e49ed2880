/* A request of Anthropic's Messages API on its way to a provider that speaks this API: the client's
 * own bytes.  Signatures and caches depend on them, so only what has to differ is replaced: the
 * model's name, a limit above the model's, members that the model refuses, ids that other models gave
 * to calls, names of media types that the API does not know, and thinking that this gateway has shown of
 * other models, which has no signature, or carries theirs (shape/carry).  Where the provider has refused a signature, all thinking goes. */
#include "provider/anthropic/anthropic.h"

#include "base/money.h"
#include "lmc/media.h"
#include "lmc/warnings.h"
#include "provider/ask_param.h"
#include "shape/carry.h"
#include "shape/transcript.h"

#include <stdio.h>
#include <string.h>

/* Copies the text of doc into out, but for what is cut out of it on the way. */
struct copy {
	const struct json_doc *doc;
	struct buf            *out;
	const char            *at; /* the text before it was copied, or cut out */
	bool                   failed;
	bool                   bare; /* without any thinking */
	struct anthropic_ids   ids;
	size_t                 message; /* the index of the one that is copied */
	size_t                 uploads; /* whose places were passed */
};

/* cut_bytes: replaces the bytes from `from` to `to`. */
static void cut_bytes(struct copy *c, const char *from, const char *to, struct str instead)
{
	struct str before = { c->at, (size_t)(from - c->at) };

	c->failed = c->failed || !buf_str(c->out, before) || !buf_str(c->out, instead);
	c->at = to;
}

static const char *end_of(struct str s)
{
	return s.p + s.n;
}

/* A walk over the children of an array or object that leaves some out, with their commas. */
struct leaving {
	struct copy *copy;
	const char  *kept; /* the end of the last child that stays; NULL: none does yet */
	const char  *from; /* the first of the children before this one that go; NULL: none goes */
	const char  *to;   /* the end of the last one */
};

static void native_leave(struct leaving *l, struct str child)
{
	if (!l->from)
		l->from = child.p;
	l->to = end_of(child);
}

static void native_stay(struct leaving *l, struct str child)
{
	if (l->from)
		cut_bytes(l->copy, l->from, child.p, STR_NONE);
	l->from = NULL;
	l->kept = end_of(child);
}

static void native_left(struct leaving *l)
{
	if (l->from)
		cut_bytes(l->copy, l->kept ? l->kept : l->from, l->to, STR_NONE);
}

/* --- thinking without a signature --- */

/* is_left: whether a block of thinking is left out. */
static bool is_left(const struct copy *c, json_at block)
{
	const struct json_doc *d = c->doc;

	if (json_get_is(d, block, "type", "redacted_thinking"))
		return c->bare || carry_is(json_get_inner(d, block, "data"));
	return json_get_is(d, block, "type", "thinking") &&
	       (c->bare || json_get_inner(d, block, "signature").n == 0);
}

/* all_left: whether nothing of a message stays. */
static bool all_left(const struct copy *c, json_at content)
{
	const struct json_doc *d = c->doc;

	if (!json_is_kind(d, content, JSON_ARRAY) || d->tok[content].count == 0)
		return false;
	JSON_EACH (i, d, content)
		if (!is_left(c, i))
			return false;
	return true;
}

/* --- uploaded files --- */

/* put_data: a data URL as a source. */
static bool native_put_data(struct buf *out, struct str url)
{
	static const struct str front = { "data:", 5 };
	static const struct str mark = { ";base64,", 8 };
	const char             *at = memmem(url.p, url.n, mark.p, mark.n);

	if (!str_starts(url, front) || !at)
		return false;

	struct str type = { url.p + front.n, (size_t)(at - url.p) - front.n };
	struct str data = { at + mark.n, (size_t)(end_of(url) - at) - mark.n };
	return buf_text(out, "{\"type\":\"base64\",\"media_type\":\"") && buf_str(out, type) &&
	       buf_text(out, "\",\"data\":\"") && buf_str(out, data) && buf_text(out, "\"}");
}

/* put_source: what an uploaded file has become, a part of a chat's message, as a source. */
static bool native_put_source(struct buf *out, const struct json_doc *d, json_at part, bool image)
{
	if (json_get_is(d, part, "type", "image_url"))
		return image &&
		       native_put_data(out,
				       json_get_inner(d, json_get(d, part, "image_url"), "url"));
	if (image)
		return false;
	if (json_get_is(d, part, "type", "file"))
		return native_put_data(out,
				       json_get_inner(d, json_get(d, part, "file"), "file_data"));
	return json_get_is(d, part, "type", "text") &&
	       buf_text(out, "{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":\"") &&
	       buf_str(out, json_get_inner(d, part, "text")) && buf_text(out, "\"}");
}

static json_at native_part_at(const struct json_doc *d, uint32_t n)
{
	json_at content = json_get(d, 0, "content");

	if (json_is_kind(d, content, JSON_ARRAY))
		JSON_EACH (i, d, content)
			if (n-- == 0)
				return i;
	return JSON_ABSENT;
}

static enum errc native_made(const struct prompt *p, const struct prompt_upload *u,
			     struct json_doc *ret, struct err *e)
{
	for (size_t i = 0; i < p->made_count; i++)
		if (p->made[i].message == u->message)
			return json_scan(ret, p->made[i].text.p, p->made[i].text.n,
					 &json_limits_stored, e);
	err_set(e, ERR_INTERNAL, "", "an uploaded file was not read");
	return ERR_INTERNAL; /* never ERR_OK: *ret was not scanned */
}

/* copy_upload: puts the content of a file in the place of its name. */
static enum errc copy_upload(struct copy *c, const struct prompt *p, const struct prompt_upload *u,
			     struct err *e)
{
	struct str      source = json_raw(c->doc, u->source);
	struct json_doc made = { 0 };

	cut_bytes(c, source.p, end_of(source), STR_NONE);
	enum errc rc = native_made(p, u, &made, e);
	if (rc == ERR_OK &&
	    !native_put_source(c->out, &made, native_part_at(&made, u->part), u->image)) {
		rc = err_set(e, ERR_INVALID_VALUE, "", "%s",
			     u->image ? "the file is no image"
				      : "the file is neither PDF nor text");
		snprintf(e->path, sizeof e->path, "messages.%u.content.%u.%s", u->item, u->at,
			 u->within ? "content" : "source");
	}
	json_doc_finish(&made);
	return rc;
}

/* --- blocks --- */

/* The levels at which a block may have others: a result, and a document in it. */
enum { BLOCKS_WITHIN = 3 };

static void replace_string(struct copy *c, json_at string, struct str by)
{
	struct str inner = json_inner(c->doc, string);

	if (!str_eq(inner, by))
		cut_bytes(c, inner.p, end_of(inner), by);
}

static void native_copy_id(struct copy *c, json_at id, bool call)
{
	struct str sent;

	if (!json_is_kind(c->doc, id, JSON_STRING))
		return;
	bool ok = call ? anthropic_ids_call(&c->ids, c->message, json_inner(c->doc, id), &sent)
		       : anthropic_ids_result(&c->ids, json_inner(c->doc, id), &sent);
	if (ok)
		replace_string(c, id, sent);
	c->failed = c->failed || !ok;
}

static enum errc copy_blocks(struct copy *c, const struct prompt *p, json_at blocks,
			     unsigned within, struct err *e);

static enum errc copy_source(struct copy *c, const struct prompt *p, json_at source,
			     unsigned within, struct err *e)
{
	const struct prompt_native *n = p->native;
	json_at                     type = json_get(c->doc, source, "media_type");
	char                        known[MEDIA_TYPE];

	if (c->uploads < n->upload_count && n->uploads[c->uploads].source == source)
		return copy_upload(c, p, &n->uploads[c->uploads++], e);
	if (json_is_kind(c->doc, type, JSON_STRING) && media_type(json_inner(c->doc, type), known))
		replace_string(c, type, str_of(known));
	return copy_blocks(c, p, json_get(c->doc, source, "content"), within, e);
}

/* copy_block: the members come in any order, and the text is copied in its own. */
static enum errc copy_block(struct copy *c, const struct prompt *p, json_at block, unsigned within,
			    struct err *e)
{
	const struct json_doc *d = c->doc;
	enum errc              rc = ERR_OK;

	if (!json_is_kind(d, block, JSON_OBJECT) || json_get_is(d, block, "type", "text"))
		return ERR_OK;

	bool call = json_get_is(d, block, "type", "tool_use");
	bool result = json_get_is(d, block, "type", "tool_result");
	for (json_at k = json_first(d, block); rc == ERR_OK && k != json_end(d, block);
	     k = json_next_member(d, k)) {
		json_at value = json_value(k);

		if (call && json_is(d, k, "id"))
			native_copy_id(c, value, true);
		else if (result && json_is(d, k, "tool_use_id"))
			native_copy_id(c, value, false);
		else if (result && json_is(d, k, "content"))
			rc = copy_blocks(c, p, value, within + 1, e);
		else if (json_is(d, k, "source") && json_kind(d, value) == JSON_OBJECT)
			rc = copy_source(c, p, value, within + 1, e);
	}
	return rc;
}

static enum errc copy_blocks(struct copy *c, const struct prompt *p, json_at blocks,
			     unsigned within, struct err *e)
{
	const struct json_doc *d = c->doc;
	struct leaving         l = { .copy = c };
	enum errc              rc = ERR_OK;

	if (within > BLOCKS_WITHIN || !json_is_kind(d, blocks, JSON_ARRAY))
		return ERR_OK;
	for (json_at i = json_first(d, blocks); rc == ERR_OK && i != json_end(d, blocks);
	     i = json_next(d, i)) {
		if (is_left(c, i)) {
			native_leave(&l, json_raw(d, i));
			continue;
		}
		native_stay(&l, json_raw(d, i));
		rc = copy_block(c, p, i, within, e);
	}
	native_left(&l);
	return rc;
}

/* --- messages --- */

static enum errc copy_messages(struct copy *c, const struct prompt *p, json_at messages,
			       struct err *e)
{
	const struct json_doc *d = c->doc;
	struct leaving         l = { .copy = c };

	if (!json_is_kind(d, messages, JSON_ARRAY))
		return ERR_OK;
	JSON_EACH (i, d, messages) {
		json_at content = json_get(d, i, "content");

		if (all_left(c, content)) {
			native_leave(&l, json_raw(d, i));
			continue;
		}
		native_stay(&l, json_raw(d, i));
		if (copy_blocks(c, p, content, 0, e) != ERR_OK)
			return e->code;
		c->message++;
	}
	native_left(&l);
	return ERR_OK;
}

/* --- members --- */

static void copy_model(struct copy *c, const struct prompt *p, json_at model)
{
	struct str raw = json_raw(c->doc, model);

	cut_bytes(c, raw.p, end_of(raw), STR_NONE);
	c->failed = c->failed || !buf_json_string(c->out, p->model);
}

static void copy_max(struct copy *c, int64_t most, json_at max)
{
	struct str raw = json_raw(c->doc, max);
	char       digits[DECIMAL_MAX];
	int64_t    n;

	if (most > 0 && json_int(c->doc, max, &n) && n > most)
		cut_bytes(c, raw.p, end_of(raw), decimal_int(most, digits));
}

/* put_defaults: appends what the configuration says of a model and the client does not.  The client's
 * own members are among those of the prompt, too. */
static bool native_put_defaults(const struct prompt *p, struct buf *out)
{
	static const struct {
		const char *key, *before;
	} members[] = {
		{ "temperature", ",\"temperature\":" },
		{ "top_p", ",\"top_p\":" },
	};
	const struct json_doc *d = p->native->doc;
	bool                   first = false;

	if (json_get(d, 0, "model") == JSON_ABSENT &&
	    !(buf_text(out, ",\"model\":") && buf_json_string(out, p->model)))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct str value = ask_param_value(p, members[i].key);

		if (value.n > 0 && json_get(d, 0, members[i].key) == JSON_ABSENT &&
		    !(buf_text(out, members[i].before) && buf_str(out, value)))
			return false;
	}
	if (json_get(d, 0, "stop_sequences") == JSON_ABSENT &&
	    !ask_put_stops(p, "\"stop_sequences\":", 0, true, &first, out))
		return false;
	return p->instruction.n == 0 || json_get(d, 0, "system") != JSON_ABSENT ||
	       (buf_text(out, ",\"system\":") && buf_json_string(out, p->instruction));
}

/* warn_of_defaults: tells what a model's defaults say and Anthropic's API has no member for.  A member of
 * the prompt may also be made of one of the client's own, which is sent as it is. */
static void native_warn_of_defaults(const struct prompt *p)
{
	static const struct {
		const char *key;
		const char *made_of[2];
	} members[] = {
		{ "seed", { NULL, NULL } },
		{ "presence_penalty", { NULL, NULL } },
		{ "frequency_penalty", { NULL, NULL } },
		{ "response_format", { "output_config", "output_format" } },
		{ "reasoning_effort", { "thinking", "output_config" } },
	};

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		bool made = false;

		for (size_t k = 0; k < ARRAY_LEN(members[i].made_of); k++)
			made = made ||
			       (members[i].made_of[k] &&
				json_get(p->native->doc, 0, members[i].made_of[k]) != JSON_ABSENT);
		if (!made && ask_param_value(p, members[i].key).n > 0)
			warnings_add(p->warnings, 0, "parameter_dropped",
				     "%s of the model's defaults was not sent: Anthropic's API has "
				     "no such member",
				     members[i].key);
	}
}

/* thinks_between: whether a request has a budget for thinking and ends with the result of a call, before which the
 * API wants thinking then. */
static bool thinks_between(const struct json_doc *d, json_at thinking)
{
	json_at messages = json_get(d, 0, "messages");
	json_at content = JSON_ABSENT;

	if (!json_get_is(d, thinking, "type", "enabled") || !json_is_kind(d, messages, JSON_ARRAY))
		return false;
	JSON_EACH (i, d, messages)
		content = json_get(d, i, "content");
	if (json_is_kind(d, content, JSON_ARRAY))
		JSON_EACH (i, d, content)
			if (json_get_is(d, i, "type", "tool_result"))
				return true;
	return false;
}

static enum errc copy_members(struct copy *c, const struct prompt *p, struct err *e)
{
	const struct json_doc *d = c->doc;
	struct leaving         l = { .copy = c };
	enum errc              rc = ERR_OK;

	JSON_EACH_MEMBER (k, d, 0) {
		if ((p->unsampled && ask_is_sampling(d, k)) ||
		    (p->bare && json_is(d, k, "thinking") && thinks_between(d, json_value(k)))) {
			native_leave(&l, json_member(d, k));
			continue;
		}
		native_stay(&l, json_member(d, k));
		if (json_is(d, k, "model"))
			copy_model(c, p, json_value(k));
		else if (json_is(d, k, "max_tokens"))
			copy_max(c, p->native->max_tokens, json_value(k));
		else if (json_is(d, k, "messages"))
			rc = copy_messages(c, p, json_value(k), e);
		if (rc != ERR_OK)
			return rc;
	}
	native_left(&l);
	return ERR_OK;
}

enum errc anthropic_native(const struct prompt *p, struct buf *out, struct err *e)
{
	struct str  all = json_raw(p->native->doc, 0);
	struct copy c = { .doc = p->native->doc, .out = out, .at = all.p, .bare = p->bare };

	if (!buf_reserve(out, all.n + p->model.n))
		return ask_too_large(e);
	anthropic_ids_init(&c.ids);
	enum errc rc = copy_members(&c, p, e);
	anthropic_ids_finish(&c.ids);
	if (rc != ERR_OK)
		return rc;
	cut_bytes(&c, end_of(all) - 1, end_of(all) - 1, STR_NONE);
	c.failed = c.failed || !native_put_defaults(p, out);
	native_warn_of_defaults(p);
	cut_bytes(&c, end_of(all), end_of(all), STR_NONE);
	return c.failed ? ask_too_large(e) : ERR_OK;
}
