/* LMC's dialect: the answers of another Parley, or of another server that speaks LMC. */
#include "base/limits.h"

#include "json/member.h"
#include "lmc/to_lmc.h"
#include "provider/ask_param.h"
#include "provider/decode.h"
#include "provider/lmc/lmc.h"
#include "provider/openai/openai.h"
#include "shape/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* --- streams --- */

struct reader {
	struct lmc_scratch  scratch;
	struct lmc_segments segments;
};

/* lmc_too_much: the error to return right after a buffer was full; the caller has cleared errno
 * before. */
static enum errc lmc_too_much(struct err *e)
{
	return whole_too_much(buf_starved(), e);
}

static struct reader *lmc_reader_of(struct decode *d)
{
	struct reader *r = d->state;

	if (r)
		return r;
	r = malloc(sizeof *r);
	if (!r)
		return NULL;
	lmc_scratch_init(&r->scratch);
	lmc_segments_init(&r->segments, d->on_event, d->arg);
	d->state = r;
	return r;
}

static void lmc_finish(struct decode *d)
{
	struct reader *r = d->state;

	if (!r)
		return;
	lmc_scratch_finish(&r->scratch);
	lmc_segments_finish(&r->segments);
	free(r);
	d->state = NULL;
}

/* lmc_give_end: word: the provider's finish_reason, or empty. */
static void lmc_give_end(struct decode *d, const struct reader *r, struct str word)
{
	struct event ev = { .kind = EVENT_FINISH, .text = word, .name = word };

	if (word.n == 0)
		ev.text = r->segments.say.calls > 0 ? STR("tool_calls") : STR("stop");
	d->on_event(d->arg, &ev);
	d->finished = true;
}

static bool content_is(const struct lmc_chunk *c, const char *text)
{
	return c->content != JSON_ABSENT && json_is(c->d, c->content, text);
}

static bool is_terminal(const struct lmc_chunk *c)
{
	struct str type = c->said[LMC_TYPE];

	return (lmc_is(type, "status") && content_is(c, "complete")) ||
	       (lmc_is(type, "completion") && content_is(c, "DONE"));
}

static enum errc no_text(const struct decode *d, struct err *e)
{
	return openai_error_plain(d, STR_NONE, e);
}

/* take_server: takes a chunk of the server, which reports the end of the answer, or an error. */
static enum errc take_server(struct decode *d, const struct reader *r, const struct lmc_chunk *c,
			     struct err *e)
{
	if (lmc_is(c->said[LMC_TYPE], "error") && c->has_content)
		return c->content == JSON_ABSENT ? no_text(d, e) : openai_error(d, c->content, e);
	if (!is_terminal(c))
		return ERR_OK;

	struct str   word;
	bool         changed, plain;
	struct event usage = { .kind = EVENT_USAGE };
	enum errc rc = openai_finish_word(c->d, json_get(c->d, c->object, "finish_reason"), &word,
					  &changed, e);
	if (rc != ERR_OK)
		return rc;
	if (openai_usage(c->d, json_get(c->d, c->object, "usage"), &usage.usage, &plain))
		d->on_event(d->arg, &usage);
	lmc_give_end(d, r, word);
	d->done_mark = true;
	return ERR_OK;
}

static enum errc lmc_decode_chunk(struct decode *d, struct err *e)
{
	struct lmc_chunk c = { 0 };
	struct reader   *r = lmc_reader_of(d);

	if (!r)
		return lmc_too_much(e);
	enum errc rc = lmc_chunk_read(d->doc, 0, &r->scratch, &c, e);
	if (rc != ERR_OK)
		return rc;
	/* An error in the first chunk comes before START, so that it can still become a status. */
	if (c.role != LMC_SERVER || d->started || is_terminal(&c))
		decode_start(d, STR_NONE, STR_NONE);
	if (!lmc_segments_add(&r->segments, &c))
		return lmc_too_much(e);
	return c.role == LMC_SERVER ? take_server(d, r, &c, e) : ERR_OK;
}

static enum errc decode_done(struct decode *d, struct err *e)
{
	struct reader *r = lmc_reader_of(d);

	if (!r || !lmc_segments_end(&r->segments))
		return lmc_too_much(e);
	if (d->started)
		lmc_give_end(d, r, STR_NONE);
	d->done_mark = true;
	return ERR_OK;
}

static enum errc lmc_decode_event(struct decode *d, struct str name, struct str data, struct err *e)
{
	struct openai_top top;

	errno = 0;
	if (d->done_mark)
		return ERR_OK;
	if (data.n < 32) {
		data = str_trim(data);
		if (str_is(data, "[DONE]"))
			return decode_done(d, e);
		if (data.n == 0)
			return ERR_OK;
	}
	enum errc rc = openai_scan_event(d, name, data, e);
	if (rc == ERR_OK && json_get(d->doc, 0, "role") != JSON_ABSENT)
		return lmc_decode_chunk(d, e);
	if (rc == ERR_OK)
		rc = openai_answer(d, &name, &top, e);
	return rc == ERR_OK ? decode_bad(e, "a chunk without a role") : rc;
}

/* --- the plain answer --- */

/* The receiver of the events of a plain answer's messages: events of LMC are passed on at once, all
 * others are gathered into one message of OpenAI's. */
struct collect {
	struct decode *d;
	struct answer  answer;
	bool           failed;
	bool           starved;
};

static void lmc_on_piece(void *arg, const struct event *ev)
{
	struct collect *c = arg;

	if (ev->kind == EVENT_LMC) {
		c->d->on_event(c->d->arg, ev);
	} else if (!c->failed) {
		errno = 0;
		c->failed = !answer_add(&c->answer, ev);
		c->starved = c->failed && buf_starved();
	}
}

/* lmc_read_whole: reads a message as a chunk that has a start, content and an end. */
static enum errc lmc_read_whole(const struct json_doc *doc, json_at i, struct lmc_scratch *scratch,
				struct lmc_chunk *ret, struct err *e)
{
	if (json_kind(doc, i) != JSON_OBJECT)
		return decode_bad(e, "a message that is no JSON object");

	enum errc rc = lmc_chunk_read(doc, i, scratch, ret, e);
	if (rc == ERR_OK && ret->said[LMC_TYPE].n == 0)
		return decode_bad(e, "a message without a type");
	if (rc != ERR_OK)
		return rc;
	ret->start = true;
	ret->end = true;
	return ERR_OK;
}

/* check_messages: finds everything that may be wrong before the first event is given. */
static enum errc check_messages(const struct decode *d, json_at list, struct reader *r,
				struct err *e)
{
	const struct json_doc *doc = d->doc;

	if (!json_is_kind(doc, list, JSON_ARRAY))
		return decode_bad(e, "an answer without messages");
	JSON_EACH (i, doc, list) {
		struct lmc_chunk c = { 0 };
		enum errc        rc = lmc_read_whole(doc, i, &r->scratch, &c, e);

		if (rc != ERR_OK)
			return rc;
		if (c.role == LMC_SERVER && lmc_is(c.said[LMC_TYPE], "error"))
			return c.content == JSON_ABSENT ? no_text(d, e)
							: openai_error(d, c.content, e);
	}
	return ERR_OK;
}

static enum errc give_messages(const struct json_doc *doc, json_at list, struct reader *r,
			       struct err *e)
{
	JSON_EACH (i, doc, list) {
		struct lmc_chunk c = { 0 };
		enum errc        rc = lmc_read_whole(doc, i, &r->scratch, &c, e);

		if (rc != ERR_OK)
			return rc;
		if (!lmc_segments_add(&r->segments, &c))
			return lmc_too_much(e);
	}
	return ERR_OK;
}

/* give_message: gives what the assistant says in all messages as one message of OpenAI's. */
static enum errc give_message(struct collect *c, struct err *e)
{
	struct buf out;

	buf_init(&out, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	errno = 0;
	if (!c->failed && !answer_print(&c->answer, &out)) {
		c->failed = true;
		c->starved = buf_starved();
	}
	if (c->failed) {
		buf_finish(&out);
		return whole_too_much(c->starved, e);
	}
	c->d->on_event(
		c->d->arg,
		&(struct event){ .kind = EVENT_MESSAGE, .text = buf_view(&out), .from_lmc = true });
	buf_finish(&out);
	return ERR_OK;
}

static enum errc lmc_give_whole(struct decode *d, struct reader *r, json_at list, struct err *e)
{
	struct collect c = { .d = d };

	answer_init(&c.answer);
	lmc_segments_finish(&r->segments);
	lmc_segments_init(&r->segments, lmc_on_piece, &c);
	decode_start(d, STR_NONE, STR_NONE);
	enum errc rc = give_messages(d->doc, list, r, e);
	if (rc == ERR_OK)
		rc = give_message(&c, e);
	answer_finish(&c.answer);
	return rc;
}

static enum errc lmc_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct json_doc  *doc = d->doc;
	struct openai_top top;
	struct reader    *r = lmc_reader_of(d);
	struct str        finish_word;
	bool              changed, plain;

	errno = 0;
	if (!r)
		return err_no_memory(e);
	enum errc rc = openai_scan_body(d, body, e);
	if (rc == ERR_OK)
		rc = openai_answer(d, NULL, &top, e);
	if (rc != ERR_OK)
		return rc;

	json_at list = json_get(doc, 0, "messages");
	rc = check_messages(d, list, r, e);
	if (rc == ERR_OK)
		rc = openai_finish_word(doc, json_get(doc, 0, "finish_reason"), &finish_word,
					&changed, e);
	if (rc == ERR_OK)
		rc = lmc_give_whole(d, r, list, e);
	if (rc != ERR_OK)
		return rc;

	struct event usage = { .kind = EVENT_USAGE };
	if (openai_usage(doc, top.usage, &usage.usage, &plain))
		d->on_event(d->arg, &usage);
	lmc_give_end(d, r, finish_word);
	return ERR_OK;
}

/* --- lmc_request: A prompt as an LLM Chat request whose messages are LMC. */

/* The members that have the same name in OpenAI's request and in the config of LLM Chat; all others
 * are sent in extra. */
static const char *const config_keys[] = {
	"temperature",       "top_p",           "stop",  "seed",        "presence_penalty",
	"frequency_penalty", "response_format", "tools", "tool_choice", "reasoning_effort",
};

/* lmc_request_check_parts: refuses a part that LMC has no message for, because the translation
 * would leave it out. */
static enum errc lmc_request_check_parts(const struct json_doc *d, size_t index, struct err *e)
{
	json_at content = json_get(d, 0, "content");
	json_at role = json_get(d, 0, "role");
	bool    user = role != JSON_ABSENT && json_is(d, role, "user");
	size_t  j = 0;

	if (!json_is_kind(d, content, JSON_ARRAY))
		return ERR_OK;
	for (json_at i = json_first(d, content); i != json_end(d, content);
	     i = json_next(d, i), j++) {
		json_at type = json_get(d, i, "type");
		char    path[64];

		if (json_kind(d, i) != JSON_OBJECT ||
		    (type != JSON_ABSENT &&
		     (json_is(d, type, "text") || (user && (json_is(d, type, "image_url") ||
							    json_is(d, type, "input_audio"))))))
			continue;
		snprintf(path, sizeof path, "messages[%zu].content[%zu]", index, j);
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
			       "this provider speaks LMC, which has no message for this part; it "
			       "takes text, and of a user also image_url and input_audio");
	}
	return ERR_OK;
}

static enum errc lmc_request_put_message(struct json_doc *d, struct str message, size_t index,
					 struct buf *out, struct err *e)
{
	static const struct to_lmc_options o = { .fences = true };
	char                               path[32];
	enum errc rc = json_scan(d, message.p, message.n, &json_limits_stored, e);

	if (rc != ERR_OK)
		return rc;
	rc = lmc_request_check_parts(d, index, e);
	if (rc != ERR_OK)
		return rc;
	snprintf(path, sizeof path, "messages[%zu]", index);
	return to_lmc_message(d, 0, path, index, &o, out, e);
}

static enum errc lmc_request_put_messages(const struct prompt *p, struct buf *out, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;
	struct buf      list;

	buf_init(&list, out->max);
	for (size_t i = 0; rc == ERR_OK && i < p->message_count; i++)
		rc = lmc_request_put_message(&d, p->messages[i], i, &list, e);
	json_doc_finish(&d);
	if (rc == ERR_OK && list.len == 0)
		rc = err_set(e, ERR_INVALID_VALUE, "messages",
			     "all of them are empty; this provider needs one with content");
	if (rc == ERR_OK && !(buf_text(out, "{\"messages\":[") && buf_str(out, buf_view(&list)) &&
			      buf_text(out, "]")))
		rc = ask_too_large(e);
	buf_finish(&list);
	return rc;
}

static bool is_config(struct str member)
{
	for (size_t i = 0; i < ARRAY_LEN(config_keys); i++)
		if (json_member_is(member, str_of(config_keys[i])))
			return true;
	return false;
}

/* lmc_request_put_members: prints the members of config itself, or those of its extra. */
static bool lmc_request_put_members(const struct prompt *p, bool config, const char *between,
				    struct buf *out)
{
	for (size_t i = 0; i < p->member_count; i++) {
		/* LMC has one choice; a higher n was refused before. */
		if (json_member_is(p->members[i], STR("n")) || is_config(p->members[i]) != config)
			continue;
		if (!buf_text(out, between) || !buf_str(out, p->members[i]))
			return false;
		between = ",";
	}
	return true;
}

static bool lmc_request_put_config(const struct prompt *p, struct buf *out)
{
	size_t before;

	if (!buf_text(out, ",\"config\":{\"model\":") || !buf_json_string(out, p->model) ||
	    !lmc_request_put_members(p, true, ",", out))
		return false;
	if (p->max_tokens.n > 0 &&
	    (!buf_text(out, ",\"max_tokens\":") || !buf_str(out, p->max_tokens)))
		return false;
	before = out->len;
	if (!lmc_request_put_members(p, false, ",\"extra\":{", out))
		return false;
	return (out->len == before || buf_text(out, "}")) && buf_text(out, "}");
}

/* lmc_request_check_choices: refuses an n other than 1: an answer in LMC is one choice. */
static enum errc lmc_request_check_choices(const struct prompt *p, struct err *e)
{
	for (size_t i = 0; i < p->member_count; i++) {
		struct str m = p->members[i];
		struct str value = json_member_is(m, STR("n")) ? json_member_value(m) : STR_NONE;

		if (value.n > 0 && !str_is(value, "1"))
			return err_set(e, ERR_UNSUPPORTED_PARAMETER, "n",
				       "must be 1: a provider that speaks LMC gives one choice");
	}
	return ERR_OK;
}

static bool lmc_request_put_store(const struct provider_options *o, const struct prompt *p,
				  struct buf *out)
{
	bool asked = o->forward_store && p->forward[0].n > 0;

	if (!buf_text(out, ",") || !buf_str(out, asked ? p->forward[0] : STR("\"store\":false")))
		return false;
	return !o->forward_store || p->forward[1].n == 0 ||
	       (buf_text(out, ",") && buf_str(out, p->forward[1]));
}

/* lmc_request_encode: as encode of struct dialect. Errors: INVALID_VALUE, INVALID_TYPE,
 * MISSING_PARAMETER, UNSUPPORTED_PARAMETER with the path of the member that LMC can't express;
 * REQUEST_TOO_LARGE, OVERLOADED. */
static enum errc lmc_request_encode(const struct provider_options *o, const struct prompt *p,
				    struct buf *out, struct err *e)
{
	enum errc rc = lmc_request_check_choices(p, e);

	if (rc == ERR_OK)
		rc = lmc_request_put_messages(p, out, e);
	if (rc != ERR_OK)
		return rc;
	if (!buf_text(out, ",\"format\":\"lmc\",\"stream\":") ||
	    !buf_text(out, p->stream ? "true" : "false") || !lmc_request_put_store(o, p, out) ||
	    !lmc_request_put_config(p, out) || !buf_text(out, "}"))
		return ask_too_large(e);
	return ERR_OK;
}

const struct dialect dialect_lmc = {
	.name = "lmc",
	.takes = PROVIDER_IMAGES | PROVIDER_AUDIO,
	.path = "/chat",
	.models = "/models",
	.framing = &upstream_events,
	.encode = lmc_request_encode,
	.decode_event = lmc_decode_event,
	.decode_whole = lmc_decode_whole,
	.decode_error = openai_decode_error,
	.finish = lmc_finish,
};
