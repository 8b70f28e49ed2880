/* OpenAI's chat completions: the request and the plain answer. */
#include "base/limits.h"

#include "provider/ask_param.h"
#include "provider/openai/embed.h"
#include "provider/openai/openai.h"

/* --- the request --- */

/* Prints the client's own object with include_usage set to true. */
static enum errc put_stream_options(const struct prompt *p, struct buf *out, struct err *e)
{
	struct json_doc doc = { 0 };
	bool            ok = buf_text(out, ",\"stream_options\":{");

	if (p->stream_options.n > 0) {
		enum errc rc = json_scan(&doc, p->stream_options.p, p->stream_options.n,
					 &json_limits_request, e);

		if (rc != ERR_OK || json_kind(&doc, 0) != JSON_OBJECT) {
			json_doc_finish(&doc);
			return err_set(e, ERR_INVALID_TYPE, "stream_options", "must be an object");
		}
		JSON_EACH_MEMBER (k, &doc, 0) {
			if (json_is(&doc, k, "include_usage"))
				continue;
			ok = ok && buf_str(out, json_raw(&doc, k)) && buf_text(out, ":") &&
			     buf_str(out, json_raw(&doc, json_value(k))) && buf_text(out, ",");
		}
		json_doc_finish(&doc);
	}
	ok = ok && buf_text(out, "\"include_usage\":true}");
	return ok ? ERR_OK : ask_too_large(e);
}

static size_t encoded_size(const struct prompt *p)
{
	size_t n = 256 + 2 * p->model.n + p->max_tokens.n + p->stream_options.n;

	for (size_t i = 0; i < p->message_count; i++)
		n += p->messages[i].n + 1;
	for (size_t i = 0; i < p->member_count; i++)
		n += p->members[i].n + 1;
	for (size_t i = 0; i < ARRAY_LEN(p->forward); i++)
		n += p->forward[i].n + 1;
	return n;
}

static bool openai_dialect_put_member(struct buf *out, struct str raw)
{
	return raw.n == 0 || (buf_text(out, ",") && buf_str(out, raw));
}

/* moves_systems: whether this server may lack the role developer, or refuse a system message that
 * is not the only one and the first, as the templates of many models do. */
static bool moves_systems(const struct provider_options *o, const struct prompt *p)
{
	if (o->system_messages)
		return strcmp(o->system_messages, "one") == 0;
	return !o->vendor && !p->as_sent;
}

/* put_others: the members of an object but for one. */
static bool put_members_but(const struct json_doc *doc, json_at object, const char *key,
			    struct buf *out)
{
	bool first = true;
	bool ok = buf_text(out, "{");

	for (json_at k = json_first(doc, object); ok && k != json_end(doc, object);
	     k = json_next_member(doc, k))
		if (!json_is(doc, k, key))
			ok = ask_put_comma(&first, out) &&
			     openai_call_put_back(json_member(doc, k), out);
	return ok && buf_text(out, "}");
}

static bool put_unsigned_calls(const struct json_doc *doc, json_at calls, struct buf *out)
{
	bool first = true;
	bool ok = buf_text(out, "\"tool_calls\":[");

	for (json_at i = json_first(doc, calls); ok && i != json_end(doc, calls);
	     i = json_next(doc, i))
		ok = ask_put_comma(&first, out) &&
		     (json_kind(doc, i) == JSON_OBJECT
			      ? put_members_but(doc, i, "extra_content", out)
			      : buf_str(out, json_raw(doc, i)));
	return ok && buf_text(out, "]");
}

static bool message_has(struct str message, const char *text)
{
	return memmem(message.p, message.n, text, strlen(text));
}

/* put_unsigned: a message without reasoning_details and the extra_content of its calls, which another
 * host may have signed. */
static bool put_unsigned(struct json_doc *doc, struct str message, struct buf *out)
{
	struct err e;
	bool       first = true;

	if ((!message_has(message, "\"reasoning_details\"") &&
	     !message_has(message, "\"extra_content\"")) ||
	    json_scan(doc, message.p, message.n, &json_limits_stored, &e) != ERR_OK)
		return openai_call_put_back(message, out);
	bool ok = buf_text(out, "{");
	for (json_at k = json_first(doc, 0); ok && k != json_end(doc, 0);
	     k = json_next_member(doc, k)) {
		if (json_is(doc, k, "reasoning_details"))
			continue;
		ok = ask_put_comma(&first, out) &&
		     (json_is(doc, k, "tool_calls") && json_kind(doc, json_value(k)) == JSON_ARRAY
			      ? put_unsigned_calls(doc, json_value(k), out)
			      : openai_call_put_back(json_member(doc, k), out));
	}
	return ok && buf_text(out, "}");
}

static enum errc openai_dialect_put_messages(const struct provider_options *o,
					     const struct prompt *p, struct buf *out, struct err *e)
{
	struct openai_system system = { 0 };
	struct json_doc      doc = { 0 };
	enum errc            rc = ERR_OK;
	bool                 first = true;

	if (p->text > 0)
		return ERR_OK;
	if (moves_systems(o, p))
		rc = openai_system_read(&system, p, e);
	bool ok = rc == ERR_OK && buf_text(out, ",\"messages\":[") &&
		  openai_system_put(&system, &first, out);
	for (size_t i = 0; ok && i < p->message_count; i++)
		if (!openai_system_has(&system, i))
			ok = ask_put_comma(&first, out) &&
			     (p->bare     ? put_unsigned(&doc, p->messages[i], out)
			      : o->vendor ? buf_str(out, p->messages[i])
					  : openai_call_put_back(p->messages[i], out));
	ok = ok && buf_text(out, "]");
	openai_system_finish(&system);
	json_doc_finish(&doc);
	return rc != ERR_OK || ok ? rc : ask_too_large(e);
}

static bool openai_dialect_put_max_tokens(const struct provider_options *o, const struct prompt *p,
					  struct buf *out)
{
	const char *key = o->max_tokens_field ? o->max_tokens_field : p->max_tokens_key;

	if (p->max_tokens.n == 0)
		return true;
	return buf_text(out, ",\"") && buf_text(out, key ? key : "max_tokens") &&
	       buf_text(out, "\":") && buf_str(out, p->max_tokens);
}

static enum errc openai_dialect_encode(const struct provider_options *o, const struct prompt *p,
				       struct buf *out, struct err *e)
{
	bool ok = buf_reserve(out, encoded_size(p)) && buf_text(out, "{\"model\":") &&
		  buf_json_string(out, p->model);

	if (ok && openai_dialect_put_messages(o, p, out, e) != ERR_OK)
		return e->code;
	for (size_t i = 0; ok && i < p->member_count; i++)
		ok = openai_dialect_put_member(out, p->members[i]);
	for (size_t i = 0; ok && o->forward_store && i < ARRAY_LEN(p->forward); i++)
		ok = openai_dialect_put_member(out, p->forward[i]);
	ok = ok && openai_dialect_put_max_tokens(o, p, out) &&
	     (!p->stream || buf_text(out, ",\"stream\":true"));
	if (!ok)
		return ask_too_large(e);
	if (p->stream && p->want_usage && o->stream_usage) {
		enum errc rc = put_stream_options(p, out, e);

		if (rc != ERR_OK)
			return rc;
	} else if (p->stream_options.n > 0) {
		ok = buf_text(out, ",\"stream_options\":") && buf_str(out, p->stream_options);
	}
	if (!ok || !buf_text(out, "}"))
		return ask_too_large(e);
	return ERR_OK;
}

/* --- the plain answer --- */

static bool openai_dialect_complete(const struct json_doc *doc, const struct openai_top *top)
{
	return json_inner_of(doc, top->id).n > 0 && json_inner_of(doc, top->object).n > 0 &&
	       json_inner_of(doc, top->model).n > 0 &&
	       json_is_kind(doc, top->created, JSON_NUMBER) && top->error == JSON_ABSENT;
}

static enum errc first_message(const struct decode *d, json_at choices, json_at *ret_choice,
			       json_at *ret_message, struct err *e)
{
	const struct json_doc *doc = d->doc;

	if (!json_is_kind(doc, choices, JSON_ARRAY))
		return decode_bad(e, "an answer without choices");
	if (doc->tok[choices].count == 0)
		return decode_bad(e, "an answer with empty choices");

	json_at choice = json_first(doc, choices);
	json_at error = json_get(doc, choice, "error");
	if (openai_truthy(doc, error))
		return openai_error(d, error, e);
	json_at message = json_get(doc, choice, "message");
	if (!json_is_kind(doc, message, JSON_OBJECT))
		return decode_bad(e, "a choice without a message");
	*ret_choice = choice;
	*ret_message = message;
	return ERR_OK;
}

/* tell_whole: gives the answer in d->doc. */
static enum errc tell_whole(struct decode *d, const struct openai_top *top,
			    const struct usage *usage, struct err *e)
{
	struct json_doc *doc = d->doc;
	json_at          choice = 0, message = 0;
	enum errc        rc = first_message(d, top->choices, &choice, &message, e);

	if (rc != ERR_OK)
		return rc;

	struct str finish;
	bool       changed;
	rc = openai_finish_word(doc, json_get(doc, choice, "finish_reason"), &finish, &changed, e);
	if (rc != ERR_OK)
		return rc;
	if (finish.n == 0)
		finish = openai_truthy(doc, json_get(doc, message, "tool_calls"))
				 ? STR("tool_calls")
				 : STR("stop");

	bool raw = openai_dialect_complete(doc, top) && !changed;
	d->started = true;
	d->on_event(d->arg, &(struct event){ .kind = EVENT_START,
					     .id = json_inner_of(doc, top->id),
					     .text = json_inner_of(doc, top->model),
					     .certain = true });
	d->on_event(d->arg,
		    &(struct event){ .kind = EVENT_MESSAGE,
				     .text = json_raw(doc, message),
				     .raw = raw ? json_raw(doc, 0) : STR_NONE,
				     .raw_id = raw ? json_raw(doc, top->id) : STR_NONE,
				     .raw_created = raw ? json_raw(doc, top->created) : STR_NONE });
	if (usage->known)
		d->on_event(d->arg,
			    &(struct event){ .kind = EVENT_USAGE, .cont = raw, .usage = *usage });
	d->on_event(d->arg, &(struct event){ .kind = EVENT_FINISH,
					     .text = finish,
					     .name = openai_native(doc, choice),
					     .cont = raw });
	d->finished = true;
	return ERR_OK;
}

static enum errc openai_dialect_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct openai_top top;
	struct usage      usage;
	struct buf        mended;
	unsigned          needs = 0;
	enum errc         rc = openai_scan_body(d, body, e);

	if (rc == ERR_OK)
		rc = openai_answer(d, NULL, &top, e);
	if (rc == ERR_OK)
		rc = openai_mend_look(d->doc, &top, &needs, &usage, e);
	if (rc != ERR_OK || needs == 0)
		return rc == ERR_OK ? tell_whole(d, &top, &usage, e) : rc;
	buf_init(&mended, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	rc = openai_mend(d, needs, &mended, e);
	openai_top_read(d->doc, &top);
	if (rc == ERR_OK)
		rc = tell_whole(d, &top, &usage, e);
	buf_finish(&mended);
	return rc;
}

/* OpenAI's own, and those of Azure, which tell the roles apart and take them in any place. */
static const char *const hosts[] = { "api.openai.com", ".api.openai.com", ".openai.azure.com",
				     ".services.ai.azure.com", NULL };

const struct dialect dialect_openai = {
	.name = "openai",
	.takes = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF | PROVIDER_CACHE_KEY |
		 PROVIDER_TIER,
	.names = NAMES_BRIEF_MADE,
	.path = "/chat/completions",
	.models = "/models",
	.hosts = hosts,
	.framing = &upstream_events,
	.encode = openai_dialect_encode,
	.decode_event = openai_decode_event,
	.over = openai_chunk_over,
	.decode_whole = openai_dialect_decode_whole,
	.decode_error = openai_decode_error,
	.finish = decode_state_finish,
	.embed = &embed_openai,
	.text = &openai_text,
};

/* --- openai_text: Passes completions of a prompt on. */

/* --- the request --- */

/* A prompt of text has no messages: the client's `prompt` is one of its members. */
enum errc openai_text_encode(const struct provider_options *o, const struct prompt *p,
			     struct buf *out, struct err *e)
{
	struct provider_options plain = *o;

	plain.max_tokens_field = "max_tokens"; /* the only name that this API has for it */
	return dialect_openai.encode(&plain, p, out, e);
}

/* --- the answer --- */

/* text_give: gives an event.  The first one of a chunk carries its bytes, the others go with it. */
static void text_give(struct decode *d, struct event *ev, struct str *raw,
		      const struct openai_top *top)
{
	ev->raw = *raw;
	ev->cont = raw->n == 0;
	if (raw->n > 0)
		ev->raw_usage = top->usage_cut;
	*raw = STR_NONE;
	d->on_event(d->arg, ev);
}

static enum errc text_finish(struct decode *d, json_at choice, uint32_t index, struct str *raw,
			     const struct openai_top *top, struct err *e)
{
	struct event ev = { .kind = EVENT_FINISH, .choice = index };
	uint64_t     bit = index < LIMIT_CHOICES ? (uint64_t)1 << (index % 64) : 0;
	bool         changed;
	enum errc    rc = openai_finish_word(d->doc, json_get(d->doc, choice, "finish_reason"),
					     &ev.text, &changed, e);

	if (bit)
		d->begun[index / 64] |= bit;
	if (rc != ERR_OK)
		return rc;
	if (ev.text.n == 0) {
		if (bit)
			d->open[index / 64] |= bit;
		return ERR_OK;
	}
	if (bit)
		d->open[index / 64] &= ~bit;
	ev.name = openai_native(d->doc, choice);
	text_give(d, &ev, raw, top);
	return ERR_OK;
}

static enum errc text_choice(struct decode *d, json_at choice, struct str *raw,
			     const struct openai_top *top, struct err *e)
{
	int64_t index = 0;
	json_at at = json_get(d->doc, choice, "index");

	if (json_kind(d->doc, choice) != JSON_OBJECT)
		return decode_bad(e, "a choice that is no object");
	if (at != JSON_ABSENT && (!json_int(d->doc, at, &index) || index < 0 || index > UINT32_MAX))
		return decode_bad(e, "a choice whose index is no number");

	struct event ev = { .kind = EVENT_TEXT,
			    .choice = (uint32_t)index,
			    .text = json_get_inner(d->doc, choice, "text") };
	if (ev.text.n > 0)
		text_give(d, &ev, raw, top);
	return text_finish(d, choice, ev.choice, raw, top, e);
}

/* text_tell: gives a chunk, or a whole answer, that d->doc has. */
static enum errc text_tell(struct decode *d, const struct openai_top *top, struct err *e)
{
	const struct json_doc *doc = d->doc;
	struct str             raw = json_raw(doc, 0);
	struct event           usage = { .kind = EVENT_USAGE };
	bool                   some = json_is_kind(doc, top->choices, JSON_ARRAY);
	bool                   plain;

	if (!some && (!d->stream || top->usage == JSON_ABSENT))
		return d->stream ? ERR_OK : decode_bad(e, "an answer without choices");
	d->started = true;
	if (!d->stream)
		text_give(d, &(struct event){ .kind = EVENT_OTHER, .certain = true }, &raw, top);
	if (some)
		for (json_at i = json_first(doc, top->choices); i != json_end(doc, top->choices);
		     i = json_next(doc, i)) {
			enum errc rc = text_choice(d, i, &raw, top, e);

			if (rc != ERR_OK)
				return rc;
		}
	usage.raw_only_usage = !some || doc->tok[top->choices].count == 0;
	if (openai_usage(doc, top->usage, &usage.usage, &plain)) {
		usage_take(&d->told, &usage.usage);
		usage.usage = d->told;
		text_give(d, &usage, &raw, top);
	}
	if (raw.n > 0)
		text_give(d, &(struct event){ .kind = EVENT_OTHER }, &raw, top);
	d->finished =
		!d->stream || ((d->begun[0] | d->begun[1]) != 0 && (d->open[0] | d->open[1]) == 0);
	return ERR_OK;
}

enum errc openai_text_decode_event(struct decode *d, struct str name, struct str data,
				   struct err *e)
{
	struct openai_top top;

	if (d->done_mark)
		return ERR_OK;
	d->done_mark = str_is(str_trim(data), "[DONE]");
	if (d->done_mark)
		return ERR_OK;
	enum errc rc = openai_scan_event(d, name, data, e);
	if (rc == ERR_OK)
		rc = openai_answer(d, &name, &top, e);
	return rc == ERR_OK ? text_tell(d, &top, e) : rc;
}

enum errc openai_text_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct openai_top top;
	enum errc         rc = openai_scan_body(d, body, e);

	if (rc == ERR_OK)
		rc = openai_answer(d, NULL, &top, e);
	return rc == ERR_OK ? text_tell(d, &top, e) : rc;
}

const struct dialect openai_text = {
	.name = "openai",
	.path = "/completions",
	.framing = &upstream_events,
	.encode = openai_text_encode,
	.decode_event = openai_text_decode_event,
	.decode_whole = openai_text_decode_whole,
	.decode_error = openai_decode_error,
};
