/* Joins LMC messages to OpenAI's messages; the input may also have messages of OpenAI. */
#include "lmc/to_openai.h"

#include "base/limits.h"
#include "lmc/text.h"

#include <stdlib.h>

/* --- openai_message: Prints the OpenAI messages of one LMC message. */

/* openai_message_text: the text, escaped. */
static bool openai_message_text(const struct lmc_message *m, struct buf *out)
{
	return m->plain ? buf_str(out, m->text) : text_put(out, m->text);
}

static bool openai_put_ticks(struct buf *out, size_t n)
{
	if (!buf_reserve(out, n))
		return false;
	memset(out->data + out->len, '`', n);
	out->len += n;
	return true;
}

static bool put_fenced(const struct lmc_message *m, struct buf *out)
{
	size_t longest = text_ticks(m->text);
	size_t ticks = longest >= 3 ? longest + 1 : 3;

	return openai_put_ticks(out, ticks) && text_put(out, m->format) && buf_text(out, "\\n") &&
	       openai_message_text(m, out) && buf_text(out, "\\n") && openai_put_ticks(out, ticks);
}

#define OUTPUT_HEAD "Output of the code:\\n"
#define OUTPUT_NONE "The code ran without printing anything."

/* openai_message_output: the same for the text of an output, which is escaped already. */
static bool openai_message_output(struct str escaped, struct buf *out)
{
	if (escaped.n == 0)
		return buf_text(out, OUTPUT_NONE);
	return buf_text(out, OUTPUT_HEAD) && buf_str(out, escaped);
}

/* openai_message_content: the message as text, escaped, without quotes; code becomes a fenced
 * block, and output a text by rule L17. */
static bool openai_message_content(const struct lmc_message *m, struct buf *out)
{
	switch (m->kind) {
	case LMC_TEXT: return openai_message_text(m, out);
	case LMC_CALL:
	case LMC_CODE: return put_fenced(m, out);
	case LMC_OUTPUT:
		if (m->text.n == 0)
			return buf_text(out, OUTPUT_NONE);
		return buf_text(out, OUTPUT_HEAD) && openai_message_text(m, out);
	case LMC_SKIPPED:
	case LMC_TOOL_CALL:
	case LMC_IMAGE:
	case LMC_AUDIO: break;
	}
	return false; /* the other kinds are not text */
}

static bool openai_put_image(const struct lmc_message *m, struct buf *out)
{
	/* One allocation has the right size, because the data may be nearly all of a request. */
	enum { AROUND = 256 };

	return buf_reserve(out, m->data.n + AROUND) &&
	       buf_text(out, "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\","
			     "\"image_url\":{\"url\":\"") &&
	       (!m->media || buf_fmt(out, "data:image/%s;base64,", m->media)) &&
	       buf_str(out, m->data) && buf_text(out, "\",\"detail\":\"low\"}}") &&
	       (!m->computer || buf_text(out, ",{\"type\":\"text\",\"text\":"
					      "\"The computer produced this image.\"}")) &&
	       buf_text(out, "]}");
}

static bool openai_put_audio(const struct lmc_message *m, struct buf *out)
{
	return buf_text(out, "{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\","
			     "\"input_audio\":{\"data\":\"") &&
	       buf_str(out, m->data) && buf_fmt(out, "\",\"format\":\"%s\"}}]}", m->media);
}

/* openai_message_parts: the whole message object of an image or audio. */
static bool openai_message_parts(const struct lmc_message *m, struct buf *out)
{
	return m->kind == LMC_IMAGE ? openai_put_image(m, out) : openai_put_audio(m, out);
}

/* put_twice: prints text as a JSON string inside a JSON string. */
static bool put_twice(struct str text, bool plain, struct buf *scratch, struct buf *out)
{
	if (plain)
		return buf_str(out, text);
	buf_clear(scratch);
	return text_put(scratch, text) && buf_json_escape(out, buf_view(scratch));
}

/* openai_message_function: {"name":…,"arguments":…} of a call; scratch: working memory. */
static bool openai_message_function(const struct lmc_message *m, struct buf *scratch,
				    struct buf *out)
{
	if (m->kind == LMC_TOOL_CALL)
		return buf_text(out, "{\"name\":") && text_quote(out, m->format) &&
		       buf_text(out, ",\"arguments\":\"") && openai_message_text(m, out) &&
		       buf_text(out, "\"}");

	struct str language = m->format.n > 0 ? m->format : STR("python");
	return buf_text(out, "{\"name\":\"execute\",\"arguments\":\"{\\\"language\\\":\\\"") &&
	       put_twice(language, false, scratch, out) &&
	       buf_text(out, "\\\",\\\"code\\\":\\\"") &&
	       put_twice(m->text, m->plain, scratch, out) && buf_text(out, "\\\"}\"}");
}

/*
 *             call              output, any computer message
 *     NONE ----------> CALLS ------------------------------> ANSWERED
 *      |  own message with calls                                |
 *      +-----------------------> OWN                            |
 *      ^                          |                             |
 *      +--------------------------+------- anything else -------+
 *
 * CALLS takes further calls; outputs and computer messages leave no state but that one.  Whatever
 * leads back to NONE, or to the beginning of another group, prints the group that was.
 */
enum state {
	STATE_NONE,     /* no group is open */
	STATE_CALLS,    /* a group of LMC calls, held back; more may follow */
	STATE_ANSWERED, /* the same; a further call begins another group */
	/* calls of an OpenAI message; neither the message nor its answers are held back */
	STATE_OWN,
};

struct to_openai {
	struct to_openai_options o;
	struct lmc_reader        reader;
	enum state               state;
	struct call_group        group;
	uint64_t                 last_id; /* number of the last id that was made */
	/* The message that is being printed. A text may wait for messages that can be merged into
	 * it: in fence mode, any text waits for another one of the same role (L15); otherwise an
	 * assistant's text waits for a call (L14). */
	struct buf  out;
	const char *speaker;    /* role of the waiting text; NULL: no text waits */
	bool        own_speech; /* the text is a message of OpenAI, without its closing brace */
	struct buf  scratch;
	const struct json_doc *calls_doc; /* borrowed; NULL: LMC's calls get made ids */
	json_at                calls;     /* the next one's */
	json_at                calls_end;
	size_t dealt; /* the call that got the last output, counted from 1; 0: none */
};

struct to_openai *to_openai_create(const struct to_openai_options *o)
{
	struct to_openai *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->o = *o;
	lmc_message_reader_init(&t->reader, &t->o);
	call_group_init(&t->group);
	buf_init(&t->out, LIMIT_TRANSLATION);
	buf_init(&t->scratch, LIMIT_TRANSLATION);
	return t;
}

void to_openai_destroy(struct to_openai *t)
{
	if (!t)
		return;
	lmc_message_reader_finish(&t->reader);
	call_group_finish(&t->group);
	buf_finish(&t->out);
	buf_finish(&t->scratch);
	free(t);
}

/* --- printing --- */

static bool give_out(struct to_openai *t)
{
	bool ok = t->o.made(t->o.arg, buf_view(&t->out));

	buf_clear(&t->out);
	return ok;
}

static bool end_speech(struct to_openai *t)
{
	if (!t->speaker)
		return true;
	t->speaker = NULL;
	return buf_text(&t->out, t->own_speech ? "}" : "\"}") && give_out(t);
}

/* begin_speech: the caller adds the escaped content to out. */
static bool begin_speech(struct to_openai *t, const char *role)
{
	if (t->o.fence && t->speaker && strcmp(t->speaker, role) == 0)
		return buf_text(&t->out, "\\n");
	if (!end_speech(t))
		return false;
	t->speaker = role;
	t->own_speech = false;
	return buf_text(&t->out, "{\"role\":\"") && buf_text(&t->out, role) &&
	       buf_text(&t->out, "\",\"content\":\"");
}

static bool speech_done(struct to_openai *t)
{
	return t->o.fence || strcmp(t->speaker, "assistant") == 0 || end_speech(t);
}

/* to_openai_begin_call: prints the message of a call up to its list of calls. That is the waiting
 * text, or a new message. */
static bool to_openai_begin_call(struct to_openai *t)
{
	const char *front = !t->speaker     ? "{\"role\":\"assistant\",\"content\":\"\""
			    : t->own_speech ? ""
					    : "\"";

	t->speaker = NULL;
	return buf_text(&t->out, front) && buf_text(&t->out, ",\"tool_calls\":[");
}

static bool print_call(struct to_openai *t, const struct call *c)
{
	return to_openai_begin_call(t) && buf_text(&t->out, "{\"id\":") &&
	       text_quote(&t->out, call_group_view(&t->group.ids, c->id)) &&
	       buf_str(&t->out, call_group_view(&t->group.functions, c->extra)) &&
	       buf_text(&t->out, ",\"type\":\"function\",\"function\":") &&
	       buf_str(&t->out, call_group_view(&t->group.functions, c->function)) &&
	       buf_text(&t->out, "}]}") && give_out(t);
}

static bool to_openai_print_answer(struct to_openai *t, const struct call *c)
{
	bool       unrun = t->o.unrun && !c->dealt && c->function.n > 0;
	struct str text = c->text.n > 0 ? call_group_view(&t->group.texts, c->text)
			  : unrun       ? STR("This code was not executed.")
					: STR("No output");

	return buf_text(&t->out, "{\"role\":\"tool\",\"tool_call_id\":") &&
	       text_quote(&t->out, call_group_view(&t->group.ids, c->id)) &&
	       buf_text(&t->out, ",\"content\":\"") && buf_str(&t->out, text) &&
	       buf_text(&t->out, "\"}") && give_out(t);
}

static bool print_after(struct to_openai *t)
{
	const struct call_after *items = (const struct call_after *)(void *)t->group.after.data;
	size_t                   n = t->group.after.len / sizeof *items;

	for (size_t i = 0; i < n; i++) {
		struct str bytes = call_group_view(&t->group.after_bytes, items[i].bytes);
		bool       ok;

		if (items[i].whole)
			ok = end_speech(t) && t->o.made(t->o.arg, bytes);
		else
			ok = begin_speech(t, "user") && buf_str(&t->out, bytes) && speech_done(t);
		if (!ok)
			return false;
	}
	return true;
}

static bool to_openai_end_group(struct to_openai *t)
{
	bool   own = t->state == STATE_OWN;
	size_t n = call_group_count(&t->group);

	if (t->state == STATE_NONE)
		return true;
	t->state = STATE_NONE;
	for (size_t i = 0; i < n; i++) {
		const struct call *c = call_group_at(&t->group, i);

		if ((!own && !print_call(t, c)) || (!c->own && !to_openai_print_answer(t, c)))
			return false;
	}
	if (!print_after(t))
		return false;
	call_group_clear(&t->group);
	t->dealt = 0;
	return true;
}

/* --- LMC messages --- */

static bool has_parts(const struct lmc_message *m)
{
	return m->kind == LMC_IMAGE || m->kind == LMC_AUDIO;
}

/* to_openai_say: prints a message that belongs to no group. */
static bool to_openai_say(struct to_openai *t, const struct lmc_message *m)
{
	if (!to_openai_end_group(t))
		return false;
	if (has_parts(m))
		return end_speech(t) && openai_message_parts(m, &t->out) && give_out(t);
	return begin_speech(t, m->role) && openai_message_content(m, &t->out) && speech_done(t);
}

/* say_after: keeps a message until the group's calls are answered (L13). */
static bool say_after(struct to_openai *t, const struct lmc_message *m)
{
	struct buf *bytes = &t->group.after_bytes;
	size_t      start = bytes->len;
	bool        whole = has_parts(m);

	return (whole ? openai_message_parts(m, bytes) : openai_message_content(m, bytes)) &&
	       call_group_put_after(&t->group, start, whole);
}

#define MADE_ID "call_lmc_"

void to_openai_calls(struct to_openai *t, const struct json_doc *d, json_at calls)
{
	t->calls_doc = calls == JSON_ABSENT ? NULL : d;
	t->calls = calls == JSON_ABSENT ? JSON_ABSENT : json_first(d, calls);
	t->calls_end = calls == JSON_ABSENT ? JSON_ABSENT : json_end(d, calls);
}

/* find_id: the id of the next call, in scratch: its own, or one that is made. */
static bool find_id(struct to_openai *t, json_at *ret_given)
{
	const struct json_doc *d = t->calls_doc;

	buf_clear(&t->scratch);
	*ret_given = JSON_ABSENT;
	if (d && t->calls != t->calls_end) {
		json_at given = t->calls;
		json_at id = json_get(d, given, "id");

		t->calls = json_next(d, given);
		*ret_given = given;
		if (id != JSON_ABSENT && json_kind(d, id) == JSON_STRING && json_inner(d, id).n > 0)
			return text_add(&t->scratch, json_inner(d, id));
	}
	t->last_id++;
	return buf_fmt(&t->scratch, MADE_ID "%llu", (unsigned long long)t->last_id);
}

/* add_extra: `,"extra_content":{…}` of a call that has it. */
static bool add_extra(struct to_openai *t, struct call *c, json_at given)
{
	const struct json_doc *d = t->calls_doc;
	struct call_group     *g = &t->group;
	size_t                 start = g->functions.len;
	json_at extra = given == JSON_ABSENT ? JSON_ABSENT : json_get(d, given, "extra_content");

	if (extra == JSON_ABSENT)
		return true;
	if (!buf_text(&g->functions, ",\"extra_content\":") ||
	    !buf_str(&g->functions, json_raw(d, extra)))
		return false;
	c->extra = (struct call_span){ start, g->functions.len - start };
	return true;
}

static bool add_call(struct to_openai *t, const struct lmc_message *m)
{
	struct call_group *g = &t->group;
	size_t             start;

	if (t->state != STATE_CALLS && !to_openai_end_group(t))
		return false;
	t->state = STATE_CALLS;
	json_at given;
	if (!find_id(t, &given))
		return false;

	struct call *c = call_group_add(g, buf_view(&t->scratch));
	if (!c)
		return false;
	start = g->functions.len;
	if (!openai_message_function(m, &t->scratch, &g->functions))
		return false;
	c->function = (struct call_span){ start, g->functions.len - start };
	return add_extra(t, c, given);
}

/* add_output: adds an output to the next call without one (L12). Only the last call can get several
 * outputs; its text is the last of `texts`. */
static bool add_output(struct to_openai *t, const struct lmc_message *m)
{
	struct buf *texts = &t->group.texts;
	/* After an image, the output of one execution goes on (computer/computer_console). */
	bool goes_on = t->dealt > 0 &&
		       json_get(t->reader.d, t->reader.message, "continued") != JSON_ABSENT;
	struct call *c =
		goes_on ? call_group_at(&t->group, t->dealt - 1) : call_group_deal(&t->group);

	if (!c)
		return say_after(t, m);
	t->dealt = (size_t)(c - call_group_at(&t->group, 0)) + 1;
	c->dealt = true;
	if (m->text.n == 0)
		return true;
	if (c->text.n == 0)
		c->text.at = texts->len;
	if ((c->text.n > 0 && !buf_text(texts, "\\n")) || !openai_message_text(m, texts))
		return false;
	c->text.n = texts->len - c->text.at;
	return true;
}

static bool to_openai_take(struct to_openai *t, const struct lmc_message *m)
{
	/* Even a skipped message separates the calls around it (L2). */
	if (t->state == STATE_CALLS && (m->computer || m->kind == LMC_OUTPUT))
		t->state = STATE_ANSWERED;

	switch (m->kind) {
	case LMC_SKIPPED: return true;
	case LMC_CALL: return t->o.fence ? to_openai_say(t, m) : add_call(t, m);
	case LMC_TOOL_CALL: return add_call(t, m);
	case LMC_OUTPUT: return t->state != STATE_NONE ? add_output(t, m) : to_openai_say(t, m);
	case LMC_TEXT:
	case LMC_CODE:
	case LMC_IMAGE:
	case LMC_AUDIO:
		return t->state != STATE_NONE && m->computer ? say_after(t, m)
							     : to_openai_say(t, m);
	}
	return false;
}

enum errc to_openai_lmc(struct to_openai *t, const struct json_doc *d, json_at message,
			const char *path, size_t index, struct err *e)
{
	struct lmc_message m;

	t->reader.d = d;
	t->reader.message = message;
	t->reader.path = path;
	t->reader.index = index;
	enum errc code = lmc_message_read(&t->reader, &m, e);
	if (code != ERR_OK)
		return code;
	return to_openai_take(t, &m) ? ERR_OK : err_no_memory(e);
}

/* --- OpenAI's messages --- */

/* to_openai_reserve_id: moves the counter of made ids beyond a given id of the same form. */
static void to_openai_reserve_id(struct to_openai *t, const struct json_doc *d, json_at id)
{
	enum { DIGITS = 18 }; /* digits that never overflow */

	if (id == JSON_ABSENT || json_kind(d, id) != JSON_STRING)
		return;
	struct str text = json_inner(d, id);
	struct str head = STR(MADE_ID);
	uint64_t   number = 0;

	if (!str_starts(text, head) || text.n > head.n + DIGITS)
		return;
	for (size_t i = head.n; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return;
		number = number * 10 + (uint64_t)(text.p[i] - '0');
	}
	if (t->last_id < number)
		t->last_id = number;
}

/* own_calls: the tool_calls of an assistant's message; JSON_ABSENT: none. */
static json_at own_calls(const struct json_doc *d, json_at message)
{
	json_at role = json_get(d, message, "role");
	json_at calls = json_get(d, message, "tool_calls");

	if (role == JSON_ABSENT || !json_is(d, role, "assistant") || calls == JSON_ABSENT ||
	    json_kind(d, calls) != JSON_ARRAY || d->tok[calls].count == 0)
		return JSON_ABSENT;
	return calls;
}

void to_openai_reserve(struct to_openai *t, const struct json_doc *d, json_at message)
{
	json_at calls = own_calls(d, message);

	to_openai_reserve_id(t, d, json_get(d, message, "tool_call_id"));
	if (calls == JSON_ABSENT)
		return;
	JSON_EACH (i, d, calls)
		to_openai_reserve_id(t, d, json_get(d, i, "id"));
}

static bool begin_own(struct to_openai *t, const struct json_doc *d, json_at calls)
{
	t->state = STATE_OWN;
	JSON_EACH (i, d, calls) {
		json_at    id = json_get(d, i, "id");
		bool       known = id != JSON_ABSENT && json_kind(d, id) == JSON_STRING;
		struct str text = STR_NONE;

		if (known && !text_view(d, id, &t->scratch, &text))
			return false;

		struct call *c = call_group_add(&t->group, text);
		if (!c)
			return false;
		c->own = !known;
	}
	return call_group_sort(&t->group);
}

/* answer_own: prints the answer `raw` of a call. An output that the call had got before is printed
 * after the group. */
static bool answer_own(struct to_openai *t, struct call *c, struct str raw)
{
	struct buf *bytes = &t->group.after_bytes;
	size_t      start = bytes->len;
	struct str  text = call_group_view(&t->group.texts, c->text);

	if (!c->own && text.n > 0 &&
	    !(openai_message_output(text, bytes) && call_group_put_after(&t->group, start, false)))
		return false;
	c->own = true;
	return t->o.made(t->o.arg, raw);
}

/* to_openai_find_call: finds the call of the open group that a tool message of OpenAI answers. */
static bool to_openai_find_call(struct to_openai *t, const struct json_doc *d, json_at message,
				struct call **ret_call)
{
	json_at    id = json_get(d, message, "tool_call_id");
	struct str text;

	*ret_call = NULL;
	if (id == JSON_ABSENT || json_kind(d, id) != JSON_STRING)
		return true;
	if (!text_view(d, id, &t->scratch, &text))
		return false;
	*ret_call = call_group_find(&t->group, text);
	return true;
}

/* takes_calls: true if a call may join this text of the assistant: a text without a name and
 * without calls. */
static bool takes_calls(const struct json_doc *d, json_at message)
{
	json_at role = json_get(d, message, "role");

	return role != JSON_ABSENT && json_is(d, role, "assistant") &&
	       json_get_some(d, message, "content") != JSON_ABSENT &&
	       json_get_some(d, message, "name") == JSON_ABSENT &&
	       json_get(d, message, "tool_calls") == JSON_ABSENT &&
	       json_get_some(d, message, "function_call") == JSON_ABSENT;
}

static bool take_own(struct to_openai *t, const struct json_doc *d, json_at message, struct str raw)
{
	json_at      role = json_get(d, message, "role");
	json_at      calls = own_calls(d, message);
	struct call *c = NULL;

	to_openai_reserve(t, d, message);
	if (t->state == STATE_OWN && role != JSON_ABSENT && json_is(d, role, "tool")) {
		if (!to_openai_find_call(t, d, message, &c))
			return false;
		return c ? answer_own(t, c, raw) : t->o.made(t->o.arg, raw);
	}
	if (!to_openai_end_group(t) || !end_speech(t))
		return false;
	if (!t->o.fence && takes_calls(d, message)) {
		t->speaker = "assistant";
		t->own_speech = true;
		return buf_add(&t->out, raw.p, raw.n - 1);
	}
	if (!t->o.made(t->o.arg, raw))
		return false;
	return calls == JSON_ABSENT || begin_own(t, d, calls);
}

enum errc to_openai_own(struct to_openai *t, const struct json_doc *d, json_at message,
			struct str raw, struct err *e)
{
	return take_own(t, d, message, raw) ? ERR_OK : err_no_memory(e);
}

enum errc to_openai_end(struct to_openai *t, struct err *e)
{
	return to_openai_end_group(t) && end_speech(t) ? ERR_OK : err_no_memory(e);
}
