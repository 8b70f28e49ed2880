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
#include "json/cut.h"
#include "shape/carry.h"
#include "shape/transcript.h"

#include <stdio.h>
#include <string.h>

/* Copies the text of doc. */
struct copy {
	const struct json_doc       *doc;
	struct cut                   cut;
	bool                         bare; /* without any thinking */
	const struct anthropic_host *host;
	struct anthropic_ids         ids;
	size_t                       message; /* the index of the one that is copied */
	size_t                       uploads; /* whose places were passed */
	struct str                   mark;    /* member cache_control of the request; empty: none */
	json_at                      marked;  /* the block or the text that gets it */
};

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

/* --- the mark of the whole request, which other places than Anthropic's take at a part alone --- */

/* last_part: the last block, or the last text that is all of a message, that the API can mark. */
static json_at last_part(const struct copy *c)
{
	const struct json_doc *d = c->doc;
	json_at                messages = json_get(d, 0, "messages");
	json_at                ret = JSON_ABSENT;

	if (!json_is_kind(d, messages, JSON_ARRAY))
		return ret;
	JSON_EACH (m, d, messages) {
		json_at content = json_get(d, m, "content");

		if (json_is_kind(d, content, JSON_STRING) && json_inner(d, content).n > 0)
			ret = content;
		if (!json_is_kind(d, content, JSON_ARRAY))
			continue;
		JSON_EACH (i, d, content) {
			bool text = json_get_is(d, i, "type", "text");

			if (json_is_kind(d, i, JSON_OBJECT) &&
			    !json_get_is(d, i, "type", "thinking") &&
			    !json_get_is(d, i, "type", "redacted_thinking") &&
			    (!text || json_get_inner(d, i, "text").n > 0))
				ret = i;
		}
	}
	return ret;
}

/* choose_mark: a part that the client has marked keeps its own. */
static void choose_mark(struct copy *c)
{
	const struct json_doc *d = c->doc;
	json_at                mark = json_get(d, 0, "cache_control");

	if (!c->host->name || !json_is_kind(d, mark, JSON_OBJECT))
		return;
	c->marked = last_part(c);
	c->mark = json_raw(d, mark);
	if (c->marked != JSON_ABSENT && json_get(d, c->marked, "cache_control") != JSON_ABSENT)
		c->marked = JSON_ABSENT;
}

/* native_put_mark: after all else of the part was copied. */
static void native_put_mark(struct copy *c, json_at part)
{
	struct str raw = json_raw(c->doc, part);

	if (part == JSON_ABSENT || part != c->marked)
		return;
	if (json_kind(c->doc, part) == JSON_STRING) {
		cut_bytes(&c->cut, raw.p, raw.p, STR("[{\"type\":\"text\",\"text\":"));
		cut_bytes(&c->cut, cut_end_of(raw), cut_end_of(raw), STR_NONE);
	} else {
		cut_bytes(&c->cut, cut_end_of(raw) - 1, cut_end_of(raw) - 1, STR_NONE);
	}
	c->cut.failed = c->cut.failed || !turns_put_mark(c->mark, c->cut.out) ||
			(json_kind(c->doc, part) == JSON_STRING && !buf_text(c->cut.out, "}]"));
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
	struct str data = { at + mark.n, (size_t)(cut_end_of(url) - at) - mark.n };
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

	cut_bytes(&c->cut, source.p, cut_end_of(source), STR_NONE);
	enum errc rc = native_made(p, u, &made, e);
	if (rc == ERR_OK &&
	    !native_put_source(c->cut.out, &made, native_part_at(&made, u->part), u->image)) {
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

static void native_copy_id(struct copy *c, json_at id, bool call)
{
	struct str sent;

	if (!json_is_kind(c->doc, id, JSON_STRING))
		return;
	bool ok = call ? anthropic_ids_call(&c->ids, c->message, json_inner(c->doc, id), &sent)
		       : anthropic_ids_result(&c->ids, json_inner(c->doc, id), &sent);
	if (ok)
		cut_inner(&c->cut, json_inner(c->doc, id), sent);
	c->cut.failed = c->cut.failed || !ok;
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
		cut_inner(&c->cut, json_inner(c->doc, type), str_of(known));
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
	struct cut_walk        l = { .cut = &c->cut };
	enum errc              rc = ERR_OK;

	if (within > BLOCKS_WITHIN || !json_is_kind(d, blocks, JSON_ARRAY))
		return ERR_OK;
	for (json_at i = json_first(d, blocks); rc == ERR_OK && i != json_end(d, blocks);
	     i = json_next(d, i)) {
		if (is_left(c, i)) {
			cut_leave(&l, json_raw(d, i));
			continue;
		}
		cut_stay(&l, json_raw(d, i));
		rc = copy_block(c, p, i, within, e);
		native_put_mark(c, i);
	}
	cut_over(&l);
	return rc;
}

/* --- messages --- */

static enum errc copy_messages(struct copy *c, const struct prompt *p, json_at messages,
			       struct err *e)
{
	const struct json_doc *d = c->doc;
	struct cut_walk        l = { .cut = &c->cut };

	if (!json_is_kind(d, messages, JSON_ARRAY))
		return ERR_OK;
	JSON_EACH (i, d, messages) {
		json_at content = json_get(d, i, "content");

		if (all_left(c, content)) {
			cut_leave(&l, json_raw(d, i));
			continue;
		}
		cut_stay(&l, json_raw(d, i));
		if (copy_blocks(c, p, content, 0, e) != ERR_OK)
			return e->code;
		if (json_is_kind(d, content, JSON_STRING))
			native_put_mark(c, content);
		c->message++;
	}
	cut_over(&l);
	return ERR_OK;
}

/* --- members --- */

static void copy_model(struct copy *c, const struct prompt *p, json_at model)
{
	struct str raw = json_raw(c->doc, model);

	cut_bytes(&c->cut, raw.p, cut_end_of(raw), STR_NONE);
	c->cut.failed = c->cut.failed || !buf_json_string(c->cut.out, p->model);
}

static void copy_max(struct copy *c, int64_t most, json_at max)
{
	struct str raw = json_raw(c->doc, max);
	char       digits[DECIMAL_MAX];
	int64_t    n;

	if (most > 0 && json_int(c->doc, max, &n) && n > most)
		cut_bytes(&c->cut, raw.p, cut_end_of(raw), decimal_int(most, digits));
}

/* names_model: whether the body has the model; on Vertex AI, the place of counts does not. */
static bool names_model(const struct anthropic_host *h, const struct prompt *p)
{
	return h->model || (p->native->count && !h->flags);
}

/* is_elsewhere: whether a member of the request is none of the place's body. */
static bool is_elsewhere(const struct copy *c, const struct prompt *p, json_at key)
{
	const struct json_doc       *d = c->doc;
	const struct anthropic_host *h = c->host;

	return h->name &&
	       ((!names_model(h, p) && json_is(d, key, "model")) ||
		(!h->stream && json_is(d, key, "stream")) || json_is(d, key, "anthropic_version") ||
		json_is(d, key, "anthropic_beta") || json_is(d, key, "cache_control") ||
		json_is(d, key, "service_tier"));
}

static void warn_of_tier(const struct copy *c, const struct prompt *p)
{
	if (c->host->name && json_get_some(c->doc, 0, "service_tier") != JSON_ABSENT)
		warnings_add(p->warnings, 0, "parameter_dropped",
			     "service_tier was not sent: this provider's %s has no such member",
			     c->host->name);
}

/* put_counted_max: Amazon counts the tokens of a request that could be made, and thinking has to end before the
 * answer's limit. */
static bool put_counted_max(const struct json_doc *d, struct buf *out)
{
	json_at budget = json_get(d, json_get(d, 0, "thinking"), "budget_tokens");
	int64_t n = 0;

	if (json_is_kind(d, budget, JSON_NUMBER) &&
	    (!json_int(d, budget, &n) || n < 0 || n == INT64_MAX))
		n = 0;
	return buf_fmt(out, ",\"max_tokens\":%lld", (long long)n + 1);
}

/* put_defaults: appends what the configuration says of a model and the client does not.  The client's
 * own members are among those of the prompt, too. */
static bool native_put_defaults(const struct copy *c, const struct prompt *p, struct buf *out)
{
	static const struct {
		const char *key, *before;
	} members[] = {
		{ "temperature", ",\"temperature\":" },
		{ "top_p", ",\"top_p\":" },
	};
	const struct json_doc *d = p->native->doc;
	bool                   first = false;

	if (names_model(c->host, p) && json_get(d, 0, "model") == JSON_ABSENT &&
	    !(buf_text(out, ",\"model\":") && buf_json_string(out, p->model)))
		return false;
	if (p->native->count && c->host->flags && json_get(d, 0, "max_tokens") == JSON_ABSENT &&
	    !put_counted_max(d, out))
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
	struct cut_walk        l = { .cut = &c->cut };
	enum errc              rc = ERR_OK;

	JSON_EACH_MEMBER (k, d, 0) {
		if ((p->unsampled && ask_is_sampling(d, k)) || is_elsewhere(c, p, k) ||
		    (p->bare && json_is(d, k, "thinking") && thinks_between(d, json_value(k)))) {
			cut_leave(&l, json_member(d, k));
			continue;
		}
		cut_stay(&l, json_member(d, k));
		if (json_is(d, k, "model"))
			copy_model(c, p, json_value(k));
		else if (json_is(d, k, "max_tokens"))
			copy_max(c, p->native->max_tokens, json_value(k));
		else if (json_is(d, k, "messages"))
			rc = copy_messages(c, p, json_value(k), e);
		if (rc != ERR_OK)
			return rc;
	}
	cut_over(&l);
	return ERR_OK;
}

enum errc anthropic_native(const struct provider_options *o, const struct prompt *p,
			   struct buf *out, struct err *e)
{
	struct str  all = json_raw(p->native->doc, 0);
	struct copy c = { .doc = p->native->doc,
			  .cut = { .out = out, .at = all.p },
			  .bare = p->bare,
			  .host = anthropic_host_of(o) };

	if (!buf_reserve(out, all.n + p->model.n))
		return ask_too_large(e);
	choose_mark(&c);
	warn_of_tier(&c, p);
	anthropic_ids_init(&c.ids);
	enum errc rc = copy_members(&c, p, e);
	anthropic_ids_finish(&c.ids);
	if (rc != ERR_OK)
		return rc;
	cut_bytes(&c.cut, cut_end_of(all) - 1, cut_end_of(all) - 1, STR_NONE);
	c.cut.failed =
		c.cut.failed || !native_put_defaults(&c, p, out) || !anthropic_host_put(o, p, out);
	native_warn_of_defaults(p);
	cut_bytes(&c.cut, cut_end_of(all), cut_end_of(all), STR_NONE);
	return c.cut.failed ? ask_too_large(e) : ERR_OK;
}
