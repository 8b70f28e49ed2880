/* Gathers the pieces of an answer into the stored message. */
#include "shape/answer.h"

#include "base/limits.h"
#include "json/scan.h"
#include "shape/carry.h"
#include "lmc/lmc_gather.h"
#include "lmc/media.h"

#include <stdlib.h>

struct answer_tool {
	uint32_t   block;
	struct buf id;
	struct buf name;
	struct buf arguments;
	struct buf extra; /* the provider's own data, sent back to it with the call */
};

void answer_init(struct answer *a)
{
	*a = (struct answer){ 0 };
	buf_init(&a->message, LIMIT_ANSWER);
	buf_init(&a->text, LIMIT_ANSWER);
	buf_init(&a->reasoning, LIMIT_ANSWER);
	buf_init(&a->refusal, LIMIT_ANSWER);
	buf_init(&a->images, LIMIT_ANSWER);
	buf_init(&a->raw, LIMIT_UPSTREAM_BODY);
}

void answer_finish(struct answer *a)
{
	buf_finish(&a->message);
	buf_finish(&a->text);
	buf_finish(&a->reasoning);
	buf_finish(&a->refusal);
	buf_finish(&a->images);
	buf_finish(&a->raw);
	for (size_t i = 0; i < a->tool_count; i++) {
		buf_finish(&a->tools[i].id);
		buf_finish(&a->tools[i].name);
		buf_finish(&a->tools[i].arguments);
		buf_finish(&a->tools[i].extra);
	}
	gather_destroy(TAKE(a->gather));
	details_destroy(TAKE(a->details));
	a->lmc = STR_NONE;
	free(a->tools);
	a->tools = NULL;
	a->tool_count = 0;
}

static struct answer_tool *tool_of(struct answer *a, uint32_t block)
{
	for (size_t i = a->tool_count; i > 0; i--)
		if (a->tools[i - 1].block == block)
			return &a->tools[i - 1];
	if (a->tool_count == LIMIT_TOOLS)
		return NULL;

	struct answer_tool *tools = realloc(a->tools, (a->tool_count + 1) * sizeof *tools);
	if (!tools)
		return NULL;
	a->tools = tools;

	struct answer_tool *t = &tools[a->tool_count++];
	*t = (struct answer_tool){ .block = block };
	buf_init(&t->id, LIMIT_ANSWER);
	buf_init(&t->name, LIMIT_ANSWER);
	buf_init(&t->arguments, LIMIT_ANSWER);
	buf_init(&t->extra, LIMIT_ANSWER);
	return t;
}

static bool answer_append(struct answer *a, struct buf *to, struct str piece)
{
	if (piece.n > LIMIT_ANSWER - a->bytes || !buf_str(to, piece))
		return false;
	a->bytes += piece.n;
	return true;
}

/* answer_add_message: adds a whole message; a long one is moved, not copied. */
static bool answer_add_message(struct answer *a, const struct event *ev)
{
	if (!ev->give || ev->raw.n > 0 || a->message.len > 0 ||
	    ev->text.n > LIMIT_ANSWER - a->bytes)
		return answer_append(a, &a->message, ev->text);
	buf_finish(&a->message);
	a->message = *ev->give;
	a->message.len = ev->text.n;
	a->bytes += ev->text.n;
	buf_init(ev->give, 0);
	return true;
}

/* answer_add_lmc: adds an LMC chunk that a dialect has checked. */
static bool answer_add_lmc(struct answer *a, struct str chunk)
{
	struct json_doc doc = { 0 };
	struct err      e;

	if (!a->gather)
		a->gather = gather_create(LIMIT_ANSWER, NULL);
	bool ok = a->gather &&
		  json_scan(&doc, chunk.p, chunk.n, &json_limits_upstream, &e) == ERR_OK &&
		  gather_chunk(a->gather, &doc, 0, "chunk", 0, &e) == ERR_OK;
	json_doc_finish(&doc);
	return ok;
}

static bool add_image(struct answer *a, struct str part)
{
	return (a->images.len == 0 || answer_append(a, &a->images, STR(","))) &&
	       answer_append(a, &a->images, part);
}

/* answer_add_item: an item of OpenAI's Responses API, which its provider must get back as it is. */
static bool answer_add_item(struct answer *a, const struct event *ev)
{
	bool first = !a->listed;

	if (ev->form != RAW_RESPONSES || ev->text.n == 0)
		return true;
	a->listed = true;
	return (first || answer_append(a, &a->raw, STR(","))) &&
	       answer_append(a, &a->raw, ev->text);
}

static bool add_details(struct answer *a, struct str list)
{
	if (!a->details)
		a->details = details_create();
	return a->details && details_add(a->details, list, &a->bytes, LIMIT_ANSWER);
}

bool answer_add(struct answer *a, const struct event *ev)
{
	struct answer_tool *t;

	if (ev->choice != 0)
		return true;
	switch (ev->kind) {
	case EVENT_TEXT: return answer_append(a, &a->text, ev->text);
	case EVENT_REASONING: return answer_append(a, &a->reasoning, ev->text);
	case EVENT_REFUSAL: return answer_append(a, &a->refusal, ev->text);
	case EVENT_MEDIA: return !picture_is(ev->text) || add_image(a, ev->text);
	case EVENT_MESSAGE: return answer_add_message(a, ev);
	case EVENT_TOOL_START:
		t = tool_of(a, ev->block);
		return t && answer_append(a, &t->id, ev->id) &&
		       answer_append(a, &t->name, ev->name) &&
		       (t->extra.len > 0 || answer_append(a, &t->extra, ev->text));
	case EVENT_TOOL_ARGS:
		t = tool_of(a, ev->block);
		return t && answer_append(a, &t->arguments, ev->text);
	case EVENT_LMC: return answer_add_lmc(a, ev->text);
	case EVENT_OTHER: return ev->name.n > 0 ? add_details(a, ev->name) : answer_add_item(a, ev);
	case EVENT_FINISH: a->finished = true; break;
	case EVENT_RESUMED: a->resumed = true; break;
	case EVENT_START:
	case EVENT_BLOCK_END:
	case EVENT_ASKED:
	case EVENT_USAGE:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT__COUNT: break;
	}
	return true;
}

/* span_of: where part will be once raw was added to what is `at` long. */
static struct span span_of(struct str part, struct str raw, size_t at)
{
	return part.n > 0 ? (struct span){ (uint32_t)(at + (size_t)(part.p - raw.p)),
					   (uint32_t)part.n }
			  : (struct span){ 0 };
}

bool answer_raw(struct answer *a, const struct event *ev)
{
	a->form = ev->form;
	a->raw_id = span_of(ev->raw_id, ev->raw, a->raw.len);
	a->raw_created = span_of(ev->raw_created, ev->raw, a->raw.len);
	if (!ev->give || a->raw.len > 0)
		return buf_str(&a->raw, ev->raw);
	buf_finish(&a->raw);
	a->raw = *ev->give;
	a->raw.len = ev->raw.n;
	buf_init(ev->give, 0);
	return true;
}

static struct str raw_part(const struct answer *a, struct span s)
{
	return s.n > 0 ? (struct str){ a->raw.data + s.at, s.n } : STR_NONE;
}

struct encoder_whole answer_whole(const struct answer *a)
{
	return (struct encoder_whole){ .raw = buf_view(&a->raw),
				       .form = a->form,
				       .raw_id = raw_part(a, a->raw_id),
				       .raw_created = raw_part(a, a->raw_created),
				       .message = buf_view(&a->message),
				       .text = buf_view(&a->text),
				       .lmc = a->lmc };
}

bool answer_close(struct answer *a)
{
	struct err e;

	return !a->gather || a->lmc.p || gather_end(a->gather, &a->lmc, &e) == ERR_OK;
}

void answer_reopen(struct answer *a)
{
	a->lmc = STR_NONE;
}

bool answer_any(const struct answer *a)
{
	return a->message.len > 0 || a->text.len > 0 || a->refusal.len > 0 || a->tool_count > 0 ||
	       a->images.len > 0 || a->gather;
}

static bool answer_put_quoted(struct buf *out, const char *before, const struct buf *escaped)
{
	return buf_text(out, before) && buf_text(out, "\"") && buf_str(out, buf_view(escaped)) &&
	       buf_text(out, "\"");
}

static bool answer_put_tool(struct buf *out, const struct answer_tool *t)
{
	return answer_put_quoted(out, "{\"id\":", &t->id) && extra_put(buf_view(&t->extra), out) &&
	       answer_put_quoted(out, ",\"type\":\"function\",\"function\":{\"name\":", &t->name) &&
	       answer_put_quoted(out, ",\"arguments\":", &t->arguments) && buf_text(out, "}}");
}

/* part_bytes: the escaped text of an item's parts of one type. */
static size_t part_bytes(const struct json_doc *d, json_at item, const char *type, const char *key)
{
	json_at list = json_get(d, item, "content");
	size_t  n = 0;

	if (json_is_kind(d, list, JSON_ARRAY))
		JSON_EACH (i, d, list)
			if (json_is_kind(d, i, JSON_OBJECT) && json_get_is(d, i, "type", type))
				n += json_get_inner(d, i, key).n;
	return n;
}

/* items_say_all: whether the items of an answer that broke off have all of its text and its calls, and so may stand
 * for them. */
static bool items_say_all(const struct answer *a)
{
	struct json_doc d = { 0 };
	struct buf      list;
	struct err      e;
	size_t          text = 0, refusal = 0, calls = 0;

	buf_init(&list, a->raw.len + 2);
	bool ok = buf_text(&list, "[") && buf_str(&list, buf_view(&a->raw)) &&
		  buf_text(&list, "]") &&
		  json_scan(&d, list.data, list.len, &json_limits_stored, &e) == ERR_OK;
	if (ok)
		JSON_EACH (i, &d, 0) {
			text += part_bytes(&d, i, "output_text", "text");
			refusal += part_bytes(&d, i, "refusal", "refusal");
			calls += json_get_is(&d, i, "type", "function_call") ||
				 json_get_is(&d, i, "type", "custom_tool_call");
		}
	json_doc_finish(&d);
	buf_finish(&list);
	return ok && text == a->text.len && refusal == a->refusal.len && calls == a->tool_count;
}

/* put_end: prints the LMC messages or the items of the provider, if any, and the closing brace. */
static bool put_end(const struct answer *a, struct buf *out)
{
	if (a->listed && ((a->finished && !a->resumed) || items_say_all(a)))
		return buf_text(out, ",\"" RAW_ITEMS_KEY "\":[") &&
		       buf_str(out, buf_view(&a->raw)) && buf_text(out, "]}");
	if (a->lmc.n == 0)
		return buf_text(out, "}");
	return buf_text(out, ",\"lmc\":[") && buf_str(out, a->lmc) && buf_text(out, "]}");
}

bool answer_print(const struct answer *a, struct buf *out)
{
	if (a->message.len > 0)
		return buf_add(out, a->message.data, a->message.len - 1) && put_end(a, out);
	/* A message with only tool calls has null content, as OpenAI prints it. */
	if (a->text.len == 0 && (a->tool_count > 0 || a->refusal.len > 0)) {
		if (!buf_text(out, "{\"role\":\"assistant\",\"content\":null"))
			return false;
	} else if (!answer_put_quoted(out, "{\"role\":\"assistant\",\"content\":", &a->text)) {
		return false;
	}
	if (a->refusal.len > 0 && !answer_put_quoted(out, ",\"refusal\":", &a->refusal))
		return false;
	if (a->reasoning.len > 0 &&
	    !answer_put_quoted(out, ",\"reasoning_content\":", &a->reasoning))
		return false;
	if (a->details && !details_put(a->details, out))
		return false;
	if (a->images.len > 0 && (!buf_text(out, ",\"images\":[") ||
				  !buf_str(out, buf_view(&a->images)) || !buf_text(out, "]")))
		return false;
	for (size_t i = 0; i < a->tool_count; i++)
		if (!buf_text(out, i == 0 ? ",\"tool_calls\":[" : ",") ||
		    !answer_put_tool(out, &a->tools[i]))
			return false;
	return (a->tool_count == 0 || buf_text(out, "]")) && put_end(a, out);
}
