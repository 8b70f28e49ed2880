/* Prints events as blocks of content, one after the other. */
#include "shape/encoders.h"

#include "base/limits.h"
#include "json/scan.h"
#include "shape/api_words.h"
#include "shape/carry.h"

#include <stdlib.h>

enum item_kind { ITEM_TEXT, ITEM_THINKING, ITEM_CALL };

/* The provider's own block that was passed on and has not ended. */
enum passed_block { PASSED_NONE, PASSED_TEXT, PASSED_THINKING, PASSED_OTHER };

/* A block that has not been printed to its end. */
struct item {
	enum item_kind kind;
	uint32_t       block; /* ITEM_CALL: the event's */
	bool           ended; /* nothing more comes */
	struct buf     id;    /* ITEM_CALL; these three escaped */
	struct buf     name;  /* ITEM_CALL */
	struct buf     extra; /* ITEM_CALL: what its provider must get back with it (shape/carry) */
	struct buf     text;  /* or arguments; what has not been printed yet */
};

struct printer {
	struct encoder       encoder;
	struct encoder_about about;
	struct blocks        blocks;
	bool                 begun;  /* message_start went out */
	bool                 called; /* there was a call */
	bool                 refused;
	bool                 open;  /* the first item has its start */
	uint32_t             index; /* index of the first item's block */
	struct buf           delta; /* the beginning of its deltas */
	struct item         *items; /* owned; in the order of their starts */
	size_t               item_count;
	uint32_t             call_number; /* calls printed so far */
	struct carry        *carry; /* owned; what goes out before the next call; NULL: nothing */
	struct usage         usage;
	int64_t              weight; /* bytes of the answer, where nobody tells its tokens */
	char                 finish[64];
	char                 own_text[ID_MAX];
	struct str           own_id;
	/* The provider speaks this API, and its own objects go out as they are. */
	bool              native;
	enum passed_block passed;
	struct buf        stop; /* its message_stop, which waits for the store */
	struct json_doc   doc;  /* scratch */
};

/* --- items --- */

static void item_finish(struct item *it)
{
	buf_finish(&it->id);
	buf_finish(&it->name);
	buf_finish(&it->extra);
	buf_finish(&it->text);
}

static struct item *item_of_call(const struct printer *p, uint32_t block)
{
	for (size_t i = 0; i < p->item_count; i++)
		if (p->items[i].kind == ITEM_CALL && p->items[i].block == block)
			return &p->items[i];
	return NULL;
}

/* item_add: a new item; a text before it is complete, but a call may not be. */
static struct item *item_add(struct printer *p, enum item_kind kind, uint32_t block)
{
	if (p->item_count == LIMIT_TOOLS)
		return NULL;

	if (p->items && p->item_count > 0 && p->items[p->item_count - 1].kind != ITEM_CALL)
		p->items[p->item_count - 1].ended = true;

	struct item *items = realloc(p->items, (p->item_count + 1) * sizeof *items);
	if (!items)
		return NULL;
	p->items = items;

	struct item *it = &items[p->item_count++];
	*it = (struct item){ .kind = kind, .block = block };
	buf_init(&it->id, LIMIT_ANSWER);
	buf_init(&it->name, LIMIT_ANSWER);
	buf_init(&it->extra, LIMIT_ANSWER);
	buf_init(&it->text, LIMIT_ANSWER);
	return it;
}

static void item_drop_first(struct printer *p)
{
	item_finish(&p->items[0]);
	p->item_count--;
	memmove(p->items, p->items + 1, p->item_count * sizeof *p->items);
}

/* --- pieces --- */

static bool add_quoted(struct buf *out, const char *before, struct str escaped)
{
	return buf_text(out, before) && buf_text(out, "\"") && buf_str(out, escaped) &&
	       buf_text(out, "\"");
}

/* put_own_call_id: some providers give no id, but a result must name its call. */
static bool put_own_call_id(const struct printer *p, struct buf *out)
{
	return buf_text(out, "toolu_") &&
	       buf_add(out, p->own_id.p + sizeof ID_MESSAGE - 1, ID_BODY) &&
	       buf_fmt(out, "_%u", p->call_number);
}

static bool put_call_id(const struct printer *p, struct str id, struct buf *out)
{
	return buf_text(out, "\"id\":\"") &&
	       (id.n > 0 ? buf_str(out, id) : put_own_call_id(p, out)) && buf_text(out, "\"");
}

/* gather_extra: what came with a call, under the id by which its client names it.  Some of it is thinking,
 * which a setting may hide. */
static bool gather_extra(struct printer *p, struct str id, struct str extra)
{
	struct buf own;

	if (extra.n == 0 || p->about.reasoning == REASONING_NONE)
		return true;
	if (!p->carry)
		p->carry = carry_create();
	buf_init(&own, 2 * ID_MAX);
	bool ok = p->carry && (id.n > 0 || put_own_call_id(p, &own)) &&
		  carry_add_extra(p->carry, id.n > 0 ? id : buf_view(&own), extra);
	buf_finish(&own);
	return ok;
}

static bool put_carry(struct printer *p, struct buf *out)
{
	return buf_text(out, "{\"type\":\"redacted_thinking\",\"data\":\"") &&
	       carry_take(p->carry, out) && buf_text(out, "\"}");
}

/* Members that Anthropic's description of its API requires of each message. */
#define NOT_KNOWN "\"stop_details\":null,\"container\":null,"

/* add_usage_parts: what is only known of some answers.  whole: the usage of a message, in which Anthropic's
 * description of its API requires each member, null where nothing is known; else of its end in a stream. */
static bool add_usage_parts(const struct usage *u, bool whole, struct buf *out)
{
	int64_t minutes = u->cached_write - u->cached_hour;
	bool    ok = true;

	if (u->cached_hour > 0)
		ok = buf_fmt(out,
			     ",\"cache_creation\":{\"ephemeral_5m_input_tokens\":%lld,"
			     "\"ephemeral_1h_input_tokens\":%lld}",
			     (long long)(minutes > 0 ? minutes : 0), (long long)u->cached_hour);
	else if (whole)
		ok = buf_text(out, ",\"cache_creation\":null");
	if (ok && u->reasoning > 0)
		ok = buf_fmt(out, ",\"output_tokens_details\":{\"thinking_tokens\":%lld}",
			     (long long)u->reasoning);
	else if (ok && whole)
		ok = buf_text(out, ",\"output_tokens_details\":null");
	return ok && (!whole || buf_text(out, ",\"inference_geo\":null,\"server_tool_use\":null,"
					      "\"service_tier\":null"));
}

/* add_usage: the cached tokens are not among input_tokens here. */
static bool add_usage(const struct usage *u, bool whole, struct buf *out)
{
	int64_t fresh = u->in - u->cached_read - u->cached_write;

	return buf_fmt(out,
		       "\"usage\":{\"input_tokens\":%lld,\"cache_creation_input_tokens\":%lld,"
		       "\"cache_read_input_tokens\":%lld,\"output_tokens\":%lld",
		       (long long)(fresh > 0 ? fresh : 0), (long long)u->cached_write,
		       (long long)u->cached_read, (long long)u->out) &&
	       add_usage_parts(u, whole, out) && buf_text(out, "}");
}

static const char *stop_reason(const struct printer *p, struct str finish)
{
	if (p->refused)
		finish = STR("content_filter");
	/* Some providers say "stop" of an answer with calls. */
	else if (!str_is(finish, "content_filter") && !str_is(finish, "length"))
		finish = p->called ? STR("tool_calls") : STR("stop");
	return api_words_reason(&words_anthropic, finish);
}

/* add_head: the members of a message up to its content. */
static bool add_head(const struct printer *p, struct buf *out)
{
	return add_quoted(out, "{\"id\":", p->own_id) &&
	       buf_text(out, ",\"type\":\"message\",\"role\":\"assistant\",\"model\":") &&
	       buf_json_string(out, p->about.model) && buf_text(out, ",\"content\":[");
}

/* --- a stream --- */

/* open_event: the object stays open, after its type. */
static bool open_event(struct printer *p, struct str type, struct buf *out)
{
	return block_open(&p->blocks, type, out) && add_quoted(out, "{\"type\":", type);
}

static bool close_event(struct printer *p, const char *rest, struct buf *out)
{
	return buf_text(out, rest) && block_close(&p->blocks, out);
}

static bool begin_message(struct printer *p, struct buf *out)
{
	struct usage guess = { .in = p->about.guess_in > 0 ? p->about.guess_in : 1, .out = 1 };

	if (p->begun)
		return true;
	p->begun = true;
	return open_event(p, STR("message_start"), out) && buf_text(out, ",\"message\":") &&
	       add_head(p, out) &&
	       buf_text(out, "],\"stop_reason\":null,\"stop_sequence\":null," NOT_KNOWN) &&
	       add_usage(&guess, true, out) && close_event(p, "}}", out) &&
	       open_event(p, STR("ping"), out) && close_event(p, "}", out);
}

static bool put_block_start(struct printer *p, struct buf *out)
{
	return open_event(p, STR("content_block_start"), out) && buf_text(out, ",\"index\":") &&
	       buf_int(out, p->index) && buf_text(out, ",\"content_block\":");
}

/* put_delta_head: what all deltas of the first item have before their pieces, made once. */
static bool put_delta_head(struct printer *p, enum item_kind kind)
{
	static const char *const words[] = {
		[ITEM_TEXT] = ",\"delta\":{\"type\":\"text_delta\",\"text\":\"",
		[ITEM_THINKING] = ",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"",
		[ITEM_CALL] = ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"",
	};

	buf_clear(&p->delta);
	return block_head(&p->blocks, STR("content_block_delta"), &p->delta) &&
	       buf_text(&p->delta, "{\"type\":\"content_block_delta\",\"index\":") &&
	       buf_int(&p->delta, p->index) && buf_text(&p->delta, words[kind]);
}

static bool start_block(struct printer *p, const struct item *it, struct buf *out)
{
	if (!put_block_start(p, out) || !put_delta_head(p, it->kind))
		return false;
	switch (it->kind) {
	case ITEM_TEXT: return close_event(p, "{\"type\":\"text\",\"text\":\"\"}}", out);
	case ITEM_THINKING:
		return close_event(
			p, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}", out);
	case ITEM_CALL:
		return buf_text(out, "{\"type\":\"tool_use\",") &&
		       put_call_id(p, buf_view(&it->id), out) &&
		       add_quoted(out, ",\"name\":", buf_view(&it->name)) &&
		       close_event(p, ",\"input\":{}}}", out);
	}
	return false;
}

/* put_block_delta: an empty piece is left out. */
static bool put_block_delta(struct printer *p, struct str piece, struct buf *out)
{
	return piece.n == 0 || (block_open_head(&p->blocks, &p->delta, out) &&
				buf_str(out, piece) && close_event(p, "\"}}", out));
}

static bool stop_block(struct printer *p, struct buf *out)
{
	return open_event(p, STR("content_block_stop"), out) && buf_text(out, ",\"index\":") &&
	       buf_int(out, p->index) && close_event(p, "}", out);
}

/* carry_block: a block of what was gathered, if anything was. */
static bool carry_block(struct printer *p, struct buf *out)
{
	if (!carry_any(p->carry))
		return true;
	if (!put_block_start(p, out) || !put_carry(p, out) || !close_event(p, "}", out) ||
	    !stop_block(p, out))
		return false;
	p->index++;
	return true;
}

/* carry_call: the same before a call, with what came with it. */
static bool carry_call(struct printer *p, struct item *it, struct buf *out)
{
	if (it->kind != ITEM_CALL)
		return true;
	if (!gather_extra(p, buf_view(&it->id), buf_view(&it->extra)))
		return false;
	buf_finish(&it->extra);
	return carry_block(p, out);
}

/* move_on: prints what may be printed: the first item, and each further one when those before it
 * have ended.  A call starts with its arguments, because its id and name are complete then. */
static bool move_on(struct printer *p, struct buf *out)
{
	while (p->item_count > 0) {
		struct item *it = &p->items[0];

		if (!p->open && it->text.len == 0 && !it->ended)
			return true;
		if (!p->open && (!carry_call(p, it, out) || !start_block(p, it, out)))
			return false;
		p->open = true;
		if (!put_block_delta(p, buf_view(&it->text), out))
			return false;
		buf_finish(&it->text);
		if (!it->ended)
			return true;
		if (!stop_block(p, out) ||
		    !gather_extra(p, buf_view(&it->id), buf_view(&it->extra)))
			return false;
		p->open = false;
		p->index++;
		p->call_number += it->kind == ITEM_CALL;
		item_drop_first(p);
	}
	return true;
}

static bool end_items(struct printer *p, struct buf *out)
{
	for (size_t i = 0; i < p->item_count; i++)
		p->items[i].ended = true;
	return move_on(p, out) && (!p->called || carry_block(p, out));
}

static bool take_more(struct printer *p, struct item *it, struct str piece, struct buf *out)
{
	if (p->open && it == p->items)
		return put_block_delta(p, piece, out);
	return buf_str(&it->text, piece) && move_on(p, out);
}

static bool take_words(struct printer *p, enum item_kind kind, struct str piece, struct buf *out)
{
	struct item *last = p->item_count > 0 ? &p->items[p->item_count - 1] : NULL;

	if (piece.n == 0)
		return true;
	if (!last || last->kind != kind)
		last = item_add(p, kind, 0);
	return last && take_more(p, last, piece, out);
}

/* take_call: a further event of a call has a further piece of its name. */
static bool take_call(struct printer *p, const struct event *ev, struct buf *out)
{
	struct item *it = item_of_call(p, ev->block);

	if (!it)
		it = item_add(p, ITEM_CALL, ev->block);
	p->called = true;
	return it && buf_str(&it->id, ev->id) && buf_str(&it->name, ev->name) &&
	       (it->extra.len > 0 || buf_str(&it->extra, ev->text)) && move_on(p, out);
}

/* take_details: they go out with a call; no provider needs them back without one. */
static bool take_details(struct printer *p, struct str list)
{
	if (list.n == 0 || p->about.reasoning == REASONING_NONE)
		return true;
	if (!p->carry)
		p->carry = carry_create();
	return p->carry && carry_add_details(p->carry, list);
}

static bool take_call_args(struct printer *p, const struct event *ev, struct buf *out)
{
	struct item *it = item_of_call(p, ev->block);

	return !it || take_more(p, it, ev->text, out);
}

static bool take_call_end(struct printer *p, uint32_t block, struct buf *out)
{
	struct item *it = item_of_call(p, block);

	if (it)
		it->ended = true;
	return move_on(p, out);
}

static bool printer_take(struct printer *p, const struct event *ev, struct buf *out)
{
	switch (ev->kind) {
	case EVENT_START: return begin_message(p, out);
	case EVENT_TEXT: return begin_message(p, out) && take_words(p, ITEM_TEXT, ev->text, out);
	case EVENT_REASONING:
		return p->about.reasoning == REASONING_NONE ||
		       (begin_message(p, out) && take_words(p, ITEM_THINKING, ev->text, out));
	case EVENT_REFUSAL:
		p->refused = true;
		return begin_message(p, out) && take_words(p, ITEM_TEXT, ev->text, out);
	case EVENT_TOOL_START: return begin_message(p, out) && take_call(p, ev, out);
	case EVENT_TOOL_ARGS: return begin_message(p, out) && take_call_args(p, ev, out);
	case EVENT_BLOCK_END: return begin_message(p, out) && take_call_end(p, ev->block, out);
	case EVENT_OTHER: return take_details(p, ev->name);
	case EVENT_USAGE: p->usage = ev->usage; return true;
	case EVENT_FINISH:
		if (!p->finish[0] && ev->text.n < sizeof p->finish)
			str_copy(p->finish, sizeof p->finish, ev->text);
		return begin_message(p, out) && end_items(p, out);
	case EVENT_MEDIA: /* answers of this API have no images */
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	return true;
}

/* --- a provider's own objects --- */

/* put_passed: a stored answer has the gateway's id, by which it can be found again. */
static bool put_passed(const struct printer *p, struct str raw, struct str id, struct buf *out)
{
	if (id.n == 0 || id_none(p->about.conversation))
		return buf_str(out, raw);

	struct str before = { raw.p, (size_t)(id.p - raw.p) };
	struct str after = { id.p + id.n, raw.n - before.n - id.n };
	return buf_str(out, before) && add_quoted(out, "", p->own_id) && buf_str(out, after);
}

static void note_passed_start(struct printer *p, struct str raw)
{
	struct err e;
	int64_t    index;

	if (json_scan(&p->doc, raw.p, raw.n, &json_limits_upstream, &e) != ERR_OK)
		return;
	json_at block = json_get(&p->doc, 0, "content_block");
	if (!json_is_kind(&p->doc, block, JSON_OBJECT))
		return;
	p->passed = json_get_is(&p->doc, block, "type", "text")       ? PASSED_TEXT
		    : json_get_is(&p->doc, block, "type", "thinking") ? PASSED_THINKING
								      : PASSED_OTHER;
	if (json_int(&p->doc, json_get(&p->doc, 0, "index"), &index) && index >= 0)
		p->index = (uint32_t)index;
}

/* note_passed_block: which block is open after the provider's own event. */
static void note_passed_block(struct printer *p, struct str name, struct str raw)
{
	if (str_is(name, "content_block_start")) {
		note_passed_start(p, raw);
	} else if (str_is(name, "content_block_stop") && p->passed != PASSED_NONE) {
		p->passed = PASSED_NONE;
		p->index++;
	}
}

/* take_over: the answer goes on at a target whose events are printed here, in the block that is open. */
static bool take_over(struct printer *p, struct buf *out)
{
	enum passed_block was = p->passed;

	if (!p->native)
		return true;
	p->native = false;
	p->passed = PASSED_NONE;
	buf_clear(&p->stop);
	if (was == PASSED_TEXT || was == PASSED_THINKING) {
		enum item_kind kind = was == PASSED_TEXT ? ITEM_TEXT : ITEM_THINKING;

		p->open = true;
		return item_add(p, kind, 0) && put_delta_head(p, kind);
	}
	if (was == PASSED_OTHER && !stop_block(p, out))
		return false;
	p->index += was == PASSED_OTHER;
	return true;
}

static bool pass_on(struct printer *p, const struct event *ev, struct buf *out)
{
	p->native = p->begun = true;
	if (ev->raw.n == 0)
		return true;
	if (ev->kind == EVENT_FINISH)
		return buf_str(&p->stop, ev->raw);

	struct str name = block_type_of(&p->doc, ev->raw, &json_limits_upstream);
	if (!block_open(&p->blocks, name, out))
		return false;
	note_passed_block(p, name, ev->raw);
	size_t start = out->len;
	if (!put_passed(p, ev->raw, ev->raw_id, out))
		return false;
	block_one_line(out, start);
	return block_close(&p->blocks, out);
}

/* pass_stop: the masking of a stop reason may have dropped the provider's own object. */
static bool pass_stop(struct printer *p, struct buf *out)
{
	return block_open(&p->blocks, STR("message_stop"), out) &&
	       block_raw(p->stop.len > 0 ? buf_view(&p->stop) : STR("{\"type\":\"message_stop\"}"),
			 out) &&
	       block_close(&p->blocks, out);
}

static struct printer *printer_of(struct encoder *n)
{
	return container_of(n, struct printer, encoder);
}

static bool anthropic_stream_event(struct encoder *n, const struct event *ev, uint64_t seq,
				   struct buf *out)
{
	struct printer *p = printer_of(n);
	size_t          start = out->len;

	(void)seq;
	if (ev->choice != 0)
		return true;
	p->weight += event_weight(ev);
	if (ev->kind == EVENT_RESUMED                            ? take_over(p, out)
	    : p->encoder.raws && event_passed(ev, RAW_ANTHROPIC) ? pass_on(p, ev, out)
								 : printer_take(p, ev, out))
		return true;
	out->len = start;
	return false;
}

static bool put_last(struct printer *p, struct buf *out)
{
	if (!p->usage.known) {
		p->usage = usage_guess(0, p->weight);
		p->usage.in = p->about.guess_in;
	}
	return begin_message(p, out) && end_items(p, out) &&
	       open_event(p, STR("message_delta"), out) &&
	       buf_fmt(out, ",\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},",
		       stop_reason(p, str_of(p->finish))) &&
	       add_usage(&p->usage, false, out) && close_event(p, "}", out) &&
	       open_event(p, STR("message_stop"), out) && close_event(p, "}", out);
}

static bool anthropic_stream_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	struct printer *p = printer_of(n);
	size_t          start = out->len;

	(void)seq;
	if ((p->native ? pass_stop(p, out) : put_last(p, out)) && block_end(&p->blocks, false, out))
		return true;
	out->len = start;
	return false;
}

static bool anthropic_stream_error(struct encoder *n, const struct err *e, struct str request_id,
				   uint64_t seq, struct buf *out)
{
	struct blocks *b = &printer_of(n)->blocks;
	size_t         start = out->len;

	(void)seq;
	if (block_open(b, STR("error"), out) && anthropic_error_put(e, request_id, out) &&
	    block_close(b, out) && block_end(b, true, out))
		return true;
	out->len = start;
	return false;
}

/* --- a whole message --- */

struct content {
	struct printer        *printer;
	const struct json_doc *doc; /* the message in OpenAI's form */
	struct json_doc        scratch;
	struct buf             text; /* unescaped arguments */
	struct buf            *out;
	bool                   any;
};

static bool whole_block(struct content *c, const char *before, struct str escaped,
			const char *after)
{
	if (escaped.n == 0)
		return true;
	bool ok = (!c->any || buf_text(c->out, ",")) && add_quoted(c->out, before, escaped) &&
		  buf_text(c->out, after);
	c->any = true;
	return ok;
}

static bool whole_thoughts(struct content *c)
{
	struct str text = json_get_inner(c->doc, 0, "reasoning_content");

	if (c->printer->about.reasoning == REASONING_NONE)
		return true;
	if (text.n == 0)
		text = json_get_inner(c->doc, 0, "reasoning");
	return whole_block(c, "{\"type\":\"thinking\",\"thinking\":", text, ",\"signature\":\"\"}");
}

static bool whole_texts(struct content *c)
{
	json_at content = json_get(c->doc, 0, "content");
	bool    ok =
		whole_block(c, "{\"type\":\"text\",\"text\":", json_inner_of(c->doc, content), "}");

	if (json_is_kind(c->doc, content, JSON_ARRAY))
		for (json_at i = json_first(c->doc, content); ok && i != json_end(c->doc, content);
		     i = json_next(c->doc, i))
			ok = whole_block(c, "{\"type\":\"text\",\"text\":",
					 json_get_inner(c->doc, i, "text"), "}");

	struct str refusal = json_get_inner(c->doc, 0, "refusal");
	c->printer->refused = refusal.n > 0;
	return ok && whole_block(c, "{\"type\":\"text\",\"text\":", refusal, "}");
}

/* whole_input: arguments are a string, which should be an object.  Arguments that are none, because
 * the answer was cut or the model erred, still reach the client, as a member of an object. */
static bool whole_input(struct content *c, struct str arguments)
{
	struct err e;

	buf_clear(&c->text);
	if (arguments.n == 0)
		return buf_text(c->out, "{}");
	if (json_unescape(arguments, &c->text) &&
	    json_scan(&c->scratch, c->text.data, c->text.len, &json_limits_upstream, &e) ==
		    ERR_OK &&
	    json_kind(&c->scratch, 0) == JSON_OBJECT)
		return buf_str(c->out, json_raw(&c->scratch, 0));
	return add_quoted(c->out, "{\"INVALID_JSON\":", arguments) && buf_text(c->out, "}");
}

static bool whole_carry(struct content *c)
{
	if (!carry_any(c->printer->carry))
		return true;
	bool ok = (!c->any || buf_text(c->out, ",")) && put_carry(c->printer, c->out);
	c->any = true;
	return ok;
}

static bool whole_call(struct content *c, json_at call)
{
	struct printer *p = c->printer;
	json_at         function = json_get(c->doc, call, "function");

	if (!json_is_kind(c->doc, function, JSON_OBJECT))
		return true;
	if (!gather_extra(p, json_get_inner(c->doc, call, "id"), extra_of(c->doc, call)) ||
	    !whole_carry(c))
		return false;
	bool ok = (!c->any || buf_text(c->out, ",")) &&
		  buf_text(c->out, "{\"type\":\"tool_use\",") &&
		  put_call_id(p, json_get_inner(c->doc, call, "id"), c->out) &&
		  add_quoted(c->out, ",\"name\":", json_get_inner(c->doc, function, "name")) &&
		  buf_text(c->out, ",\"input\":") &&
		  whole_input(c, json_get_inner(c->doc, function, "arguments")) &&
		  buf_text(c->out, "}");
	c->any = p->called = true;
	p->call_number++;
	return ok;
}

static bool whole_content(struct content *c)
{
	json_at calls = json_get(c->doc, 0, "tool_calls");
	json_at details = json_get(c->doc, 0, "reasoning_details");
	bool    ok = whole_thoughts(c) && whole_texts(c) &&
		  (!json_is_kind(c->doc, details, JSON_ARRAY) || c->doc->tok[details].count == 0 ||
		   take_details(c->printer, json_raw(c->doc, details)));

	if (json_is_kind(c->doc, calls, JSON_ARRAY))
		for (json_at i = json_first(c->doc, calls); ok && i != json_end(c->doc, calls);
		     i = json_next(c->doc, i))
			ok = whole_call(c, i);
	return ok;
}

static bool anthropic_stream_whole(struct encoder *n, const struct encoder_whole *w,
				   struct buf *out)
{
	struct printer *p = printer_of(n);
	struct json_doc doc = { 0 };
	struct content  c = { .printer = p, .doc = &doc, .out = out };
	struct err      e;
	size_t          start = out->len;

	if (p->encoder.raws && w->form == RAW_ANTHROPIC && w->raw.n > 0) {
		if (put_passed(p, w->raw, w->raw_id, out))
			return true;
		out->len = start;
		return false;
	}
	buf_init(&c.text, LIMIT_UPSTREAM_BODY);
	bool ok = add_head(p, out);
	if (ok && w->message.n > 0)
		ok = json_scan(&doc, w->message.p, w->message.n, &json_limits_upstream, &e) ==
			     ERR_OK &&
		     whole_content(&c);
	ok = ok &&
	     buf_fmt(out, "],\"stop_reason\":\"%s\",\"stop_sequence\":null," NOT_KNOWN,
		     stop_reason(p, w->finish_reason)) &&
	     add_usage(w->usage, true, out) && buf_text(out, "}");
	json_doc_finish(&c.scratch);
	json_doc_finish(&doc);
	buf_finish(&c.text);
	if (!ok)
		out->len = start;
	return ok;
}

/* --- birth and death --- */

static void anthropic_stream_destroy(struct encoder *n)
{
	struct printer *p = printer_of(n);

	while (p->item_count > 0)
		item_finish(&p->items[--p->item_count]);
	free(p->items);
	carry_destroy(p->carry);
	buf_finish(&p->delta);
	buf_finish(&p->stop);
	json_doc_finish(&p->doc);
	free(p);
}

static const struct encoder_ops anthropic_stream_ops = {
	.event = anthropic_stream_event,
	.done = anthropic_stream_done,
	.error = anthropic_stream_error,
	.whole = anthropic_stream_whole,
	.destroy = anthropic_stream_destroy,
};

struct encoder *anthropic_stream_create(const struct encoder_about *about)
{
	struct printer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->encoder.ops = &anthropic_stream_ops;
	p->about = *about;
	p->blocks.framing = block_framing(about->framing, &framing_named);
	buf_init(&p->delta, KIB);
	buf_init(&p->stop, LIMIT_ANSWER);
	/* A setting hides thinking; then the blocks have to be numbered anew. */
	if (about->reasoning != REASONING_NONE)
		p->encoder.raws = 1u << RAW_ANTHROPIC;
	p->own_id = id_text(about->run, ID_MESSAGE, p->own_text);
	return &p->encoder;
}
