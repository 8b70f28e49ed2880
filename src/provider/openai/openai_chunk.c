/* Makes events of OpenAI's stream chunks. This is the hot path: one scan and two short walks,
 * without allocating memory.
 *
 * A chunk that clients can take unchanged is the `raw` of its first event. A chunk that would break
 * clients (an index is missing, …) is given without raw, so that the encoder prints a chunk of its
 * own from the events. Only a repeated role is cut out instead, because many servers send it. */
#include "base/limits.h"
#include "lmc/media.h"
#include "provider/openai/openai.h"

struct choice {
	json_at    at;
	uint32_t   index;
	bool       no_index;
	json_at    delta;
	json_at    role;
	struct str role_cut; /* the member with one neighbouring comma */
	json_at    content;
	json_at    reasoning;
	json_at    images;  /* OpenRouter: made by the model */
	json_at    details; /* OpenRouter: the reasoning as a list */
	json_at    refusal;
	json_at    tools;
	json_at    finish;
	json_at    error; /* OpenRouter: why the choice has ended */
	json_at    usage; /* Moonshot: in the last chunk */
};

struct chunk {
	struct decode           *d;
	const struct json_doc   *doc;
	const struct openai_top *top;
	struct choice first; /* the one that the first walk read; mostly the only choice */
	bool          keep_raw;
	bool          given; /* an event of the chunk was given */
	bool          only_usage;
	struct str    role_cut; /* the first choice's, when it repeats its role */
	bool          tells;    /* it has usage, which is d->told now */
};

static bool is_present(const struct json_doc *doc, json_at i)
{
	return i != JSON_ABSENT && json_kind(doc, i) != JSON_NULL;
}

static bool openai_chunk_is_text(const struct json_doc *doc, json_at i)
{
	return !is_present(doc, i) || json_kind(doc, i) == JSON_STRING;
}

static bool openai_chunk_bit(const uint64_t bits[2], uint32_t i)
{
	return (bits[i / 64] >> (i % 64)) & 1;
}

static void openai_chunk_give(struct chunk *c, struct event *ev)
{
	if (c->keep_raw && c->given) {
		ev->cont = true;
	} else if (c->keep_raw) {
		ev->raw = json_raw(c->doc, 0);
		ev->raw_usage = c->top->usage_cut;
		ev->raw_role = c->role_cut;
		ev->raw_id = json_raw(c->doc, c->top->id);
		ev->raw_created = json_raw(c->doc, c->top->created);
		ev->raw_only_usage = c->only_usage;
	}
	c->given = true;
	c->d->on_event(c->d->arg, ev);
}

static void openai_chunk_give_text(struct chunk *c, enum event_kind kind, uint32_t choice,
				   struct str text)
{
	if (text.n > 0)
		openai_chunk_give(c,
				  &(struct event){ .kind = kind, .choice = choice, .text = text });
}

/* --- reading --- */

static void read_delta(const struct json_doc *doc, json_at delta, struct choice *ret)
{
	json_at other = JSON_ABSENT;
	size_t  front = 0;

	JSON_EACH_MEMBER (k, doc, delta) {
		json_at v = json_value(k);

		if (OPENAI_KEY(doc, k, "content"))
			ret->content = v;
		else if (OPENAI_KEY(doc, k, "role")) {
			ret->role = v;
			ret->role_cut = openai_member_cut(doc, delta, k, front);
		} else if (OPENAI_KEY(doc, k, "tool_calls"))
			ret->tools = v;
		else if (OPENAI_KEY(doc, k, "reasoning_content"))
			ret->reasoning = v;
		else if (OPENAI_KEY(doc, k, "reasoning"))
			other = v;
		else if (OPENAI_KEY(doc, k, "images"))
			ret->images = v;
		else if (OPENAI_KEY(doc, k, "reasoning_details"))
			ret->details = v;
		else if (OPENAI_KEY(doc, k, "refusal"))
			ret->refusal = v;
		front = (size_t)doc->tok[v].at + doc->tok[v].len;
	}
	if (!is_present(doc, ret->reasoning))
		ret->reasoning = other;
}

static enum errc openai_chunk_read_choice(const struct json_doc *doc, json_at at, uint32_t position,
					  struct choice *ret, struct err *e)
{
	json_at index = JSON_ABSENT;
	int64_t n = position;

	*ret = (struct choice){ 0 };
	if (json_kind(doc, at) != JSON_OBJECT)
		return decode_bad(e, "a chunk with a choice that is no object");
	JSON_EACH_MEMBER (k, doc, at) {
		json_at v = json_value(k);

		if (OPENAI_KEY(doc, k, "index"))
			index = v;
		else if (OPENAI_KEY(doc, k, "delta"))
			ret->delta = v;
		else if (OPENAI_KEY(doc, k, "finish_reason"))
			ret->finish = v;
		else if (OPENAI_KEY(doc, k, "error"))
			ret->error = v;
		else if (OPENAI_KEY(doc, k, "usage"))
			ret->usage = v;
	}
	ret->at = at;
	ret->no_index = !is_present(doc, index);
	if ((!ret->no_index && !json_int(doc, index, &n)) || n < 0 || n >= LIMIT_CHOICES)
		return decode_bad(e, "a chunk with an impossible choice index");
	ret->index = (uint32_t)n;
	if (!is_present(doc, ret->delta)) {
		ret->delta = JSON_ABSENT;
		return ERR_OK;
	}
	if (json_kind(doc, ret->delta) != JSON_OBJECT)
		return decode_bad(e, "a chunk with a delta that is no object");
	read_delta(doc, ret->delta, ret);

	if (is_present(doc, ret->content) && !json_is_kind(doc, ret->content, JSON_STRING) &&
	    json_kind(doc, ret->content) != JSON_ARRAY)
		return decode_bad(e,
				  "a chunk with content that is neither text nor a list of parts");
	if (is_present(doc, ret->tools) && json_kind(doc, ret->tools) != JSON_ARRAY)
		return decode_bad(e, "a chunk with tool_calls that are no list");
	if (!openai_chunk_is_text(doc, ret->reasoning) || !openai_chunk_is_text(doc, ret->refusal))
		return decode_bad(e, "a chunk with reasoning or a refusal that is no string");
	return ERR_OK;
}

/* --- can the chunk be forwarded unchanged? --- */

/* calls_end_plainly: whether a client that gets the end of the choice as it is has read its calls. */
static bool calls_end_plainly(struct decode *d, uint32_t choice)
{
	uint32_t block;

	return openai_call_numbered(d, choice) && !openai_call_bare(d, choice, false, &block);
}

static bool choice_plain(const struct chunk *c, const struct choice *ch)
{
	const struct json_doc *doc = c->doc;
	bool                   begun = openai_chunk_bit(c->d->begun, ch->index);
	bool                   finish = is_present(doc, ch->finish);

	if (ch->no_index || ch->delta == JSON_ABSENT)
		return false;
	/* Only one role can be cut out of a chunk. */
	if (begun && is_present(doc, ch->role) && doc->tok[c->top->choices].count > 1)
		return false;
	if (!begun &&
	    (!json_is_kind(doc, ch->role, JSON_STRING) || !json_is(doc, ch->role, "assistant")))
		return false;
	if (finish && begun && !openai_chunk_bit(c->d->open, ch->index))
		return false;
	if (finish && c->d->state && !calls_end_plainly(c->d, ch->index))
		return false;
	return !is_present(doc, ch->content) || json_is_kind(doc, ch->content, JSON_STRING);
}

static bool top_plain(const struct json_doc *doc, const struct openai_top *top)
{
	struct str object = json_inner_of(doc, top->object);

	return json_is_kind(doc, top->id, JSON_STRING) &&
	       json_is_kind(doc, top->model, JSON_STRING) &&
	       json_is_kind(doc, top->object, JSON_STRING) &&
	       (object.n == 0 || str_is(object, "chat.completion.chunk")) &&
	       json_is_kind(doc, top->created, JSON_NUMBER) && top->error == JSON_ABSENT &&
	       is_present(doc, top->choices);
}

/* usage_aside: takes a usage that stands elsewhere than OpenAI has it.  Many servers repeat it where
 * it should be, so it is given only when nothing more can come. */
static void usage_aside(struct decode *d, json_at at)
{
	struct usage u;
	bool         plain;

	if (!openai_usage(d->doc, at, &u, &plain))
		return;
	usage_take(&d->told, &u);
	d->untold = true;
}

/* usage_of: takes the chunk's usage.  One that clients would read otherwise is printed anew. */
static void usage_of(struct chunk *c, json_at at)
{
	struct decode *d = c->d;
	struct usage   u = { .known = false };
	bool           plain;

	if (openai_usage(c->doc, at, &u, &plain)) {
		usage_take(&d->told, &u);
		if (c->top->tier != JSON_ABSENT)
			d->told.class = (uint8_t)openai_class(c->doc, c->top->tier);
		d->untold = false;
		c->tells = true;
	}
	if (!plain || !usage_same(&d->told, &u))
		c->keep_raw = false;
}

/* The first walk: finds everything that may be wrong before the first event is given. */
static enum errc openai_chunk_check_choices(struct chunk *c, struct err *e)
{
	const struct json_doc *doc = c->doc;
	json_at                list = c->top->choices;
	uint32_t               position = 0;

	JSON_EACH (i, doc, list) {
		struct choice ch;
		struct str    word;
		bool          changed;
		enum errc     rc = openai_chunk_read_choice(doc, i, position++, &ch, e);

		if (rc == ERR_OK && ch.error != JSON_ABSENT && openai_truthy(doc, ch.error))
			rc = openai_error(c->d, ch.error, e);
		if (rc == ERR_OK)
			rc = openai_finish_word(doc, ch.finish, &word, &changed, e);
		if (rc == ERR_OK && is_present(doc, ch.tools))
			rc = openai_call_read(c->d, ch.index, ch.tools, &c->keep_raw, e);
		if (rc != ERR_OK)
			return rc;
		if (changed || !choice_plain(c, &ch))
			c->keep_raw = false;
		if (is_present(doc, ch.usage))
			usage_aside(c->d, ch.usage);
		if (position == 1) {
			c->first = ch;
			if (openai_chunk_bit(c->d->begun, ch.index) && is_present(doc, ch.role))
				c->role_cut = ch.role_cut;
		}
	}
	return ERR_OK;
}

/* --- giving --- */

static void give_thinking(struct chunk *c, const struct choice *ch, json_at thinking)
{
	const struct json_doc *doc = c->doc;

	openai_chunk_give_text(c, EVENT_REASONING, ch->index, json_inner_of(doc, thinking));
	if (!is_present(doc, thinking) || json_kind(doc, thinking) != JSON_ARRAY)
		return;
	JSON_EACH (i, doc, thinking)
		openai_chunk_give_text(c, EVENT_REASONING, ch->index,
				       json_get_inner(doc, i, "text"));
}

/* Mistral: content as a list of parts. */
static void openai_chunk_give_parts(struct chunk *c, const struct choice *ch)
{
	const struct json_doc *doc = c->doc;

	JSON_EACH (i, doc, ch->content) {
		if (json_kind(doc, i) == JSON_STRING)
			openai_chunk_give_text(c, EVENT_TEXT, ch->index, json_inner(doc, i));
		openai_chunk_give_text(c, EVENT_TEXT, ch->index, json_get_inner(doc, i, "text"));
		give_thinking(c, ch, json_get(doc, i, "thinking"));
	}
}

/* give_reasoning: the list of details counts as text only if there is no text of reasoning. */
static void give_reasoning(struct chunk *c, const struct choice *ch)
{
	const struct json_doc *doc = c->doc;

	openai_chunk_give_text(c, EVENT_REASONING, ch->index, json_inner_of(doc, ch->reasoning));
	if (!json_is_kind(doc, ch->details, JSON_ARRAY) || doc->tok[ch->details].count == 0)
		return;
	for (json_at i = json_first(doc, ch->details);
	     !json_is_kind(doc, ch->reasoning, JSON_STRING) && i != json_end(doc, ch->details);
	     i = json_next(doc, i)) {
		struct str text = json_get_inner(doc, i, "text");

		openai_chunk_give_text(c, EVENT_REASONING, ch->index,
				       text.n > 0 ? text : json_get_inner(doc, i, "summary"));
	}
	openai_chunk_give(c, &(struct event){ .kind = EVENT_OTHER,
					      .choice = ch->index,
					      .name = json_raw(doc, ch->details) });
}

static void give_images(struct chunk *c, const struct choice *ch)
{
	const struct json_doc *doc = c->doc;

	if (!is_present(doc, ch->images) || json_kind(doc, ch->images) != JSON_ARRAY)
		return;
	JSON_EACH (i, doc, ch->images)
		if (picture_is(json_raw(doc, i))) {
			c->d->told.images++;
			openai_chunk_give_text(c, EVENT_MEDIA, ch->index, json_raw(doc, i));
		}
}

static enum errc give_tools(struct chunk *c, const struct choice *ch, struct err *e)
{
	enum errc rc = ERR_OK;

	for (uint32_t n = c->doc->tok[ch->tools].count; rc == ERR_OK && n > 0; n--) {
		struct event events[2];
		size_t       count;

		rc = openai_call_take(c->d, events, &count, e);
		for (size_t i = 0; rc == ERR_OK && i < count; i++)
			openai_chunk_give(c, &events[i]);
	}
	return rc;
}

/* fill_calls: a call without arguments gets an empty object before the choice ends. */
static void fill_calls(struct chunk *c, uint32_t choice)
{
	struct event ev = { .kind = EVENT_TOOL_ARGS, .choice = choice, .text = STR("{}") };

	while (openai_call_bare(c->d, choice, true, &ev.block))
		openai_chunk_give(c, &ev);
}

static enum errc openai_chunk_give_finish(struct chunk *c, const struct choice *ch, struct err *e)
{
	struct decode *d = c->d;
	uint64_t       mask = (uint64_t)1 << (ch->index % 64);
	struct str     word;
	bool           changed;
	enum errc      rc = openai_finish_word(c->doc, ch->finish, &word, &changed, e);

	if (rc != ERR_OK || word.n == 0 || !openai_chunk_bit(d->open, ch->index))
		return rc;
	if (d->state)
		fill_calls(c, ch->index);
	/* Gemini's OpenAI route ends a stream of calls with "stop". */
	if (d->state && str_is(word, "stop") && !openai_call_numbered(d, ch->index))
		word = STR("tool_calls");
	d->open[ch->index / 64] &= ~mask;
	struct event ev = { .kind = EVENT_FINISH,
			    .choice = ch->index,
			    .text = word,
			    .name = openai_native(c->doc, ch->at) };
	openai_chunk_give(c, &ev);
	return ERR_OK;
}

static enum errc give_choice(struct chunk *c, const struct choice *ch, struct err *e)
{
	const struct json_doc *doc = c->doc;
	struct decode         *d = c->d;
	uint64_t               mask = (uint64_t)1 << (ch->index % 64);

	if (!openai_chunk_bit(d->begun, ch->index)) {
		d->begun[ch->index / 64] |= mask;
		d->open[ch->index / 64] |= mask;
	}
	give_reasoning(c, ch);
	if (is_present(doc, ch->content) && json_kind(doc, ch->content) == JSON_ARRAY)
		openai_chunk_give_parts(c, ch);
	else
		openai_chunk_give_text(c, EVENT_TEXT, ch->index, json_inner_of(doc, ch->content));
	openai_chunk_give_text(c, EVENT_REFUSAL, ch->index, json_inner_of(doc, ch->refusal));
	give_images(c, ch);

	enum errc rc = is_present(doc, ch->tools) ? give_tools(c, ch, e) : ERR_OK;
	return rc == ERR_OK ? openai_chunk_give_finish(c, ch, e) : rc;
}

static enum errc give_chunk(struct chunk *c, struct err *e)
{
	const struct json_doc   *doc = c->doc;
	const struct openai_top *top = c->top;
	struct decode           *d = c->d;
	uint32_t                 position = 0;

	if (!d->started) {
		d->started = true;
		if (top->tier != JSON_ABSENT)
			d->told.class = (uint8_t)openai_class(doc, top->tier);
		openai_chunk_give(c, &(struct event){ .kind = EVENT_START,
						      .id = json_inner_of(doc, top->id),
						      .text = json_inner_of(doc, top->model) });
	}
	if (is_present(doc, top->choices))
		JSON_EACH (i, doc, top->choices) {
			struct choice ch = c->first;
			enum errc     rc = ERR_OK;

			if (position > 0)
				rc = openai_chunk_read_choice(doc, i, position, &ch, e);
			if (rc == ERR_OK)
				rc = give_choice(c, &ch, e);
			if (rc != ERR_OK)
				return rc;
			position++;
		}
	if (c->tells)
		openai_chunk_give(c, &(struct event){ .kind = EVENT_USAGE, .usage = d->told });
	if (!c->given && c->keep_raw)
		openai_chunk_give(c, &(struct event){ .kind = EVENT_OTHER });
	d->finished = (d->begun[0] | d->begun[1]) != 0 && (d->open[0] | d->open[1]) == 0;
	return ERR_OK;
}

static enum errc openai_chunk_decode_chunk(struct decode *d, const struct openai_top *top,
					   struct err *e)
{
	const struct json_doc *doc = d->doc;
	bool                   choices = is_present(doc, top->choices);
	bool                   usage = is_present(doc, top->usage);

	if (choices && json_kind(doc, top->choices) != JSON_ARRAY)
		return decode_bad(e, "a chunk with choices that are no list");
	if (usage && json_kind(doc, top->usage) != JSON_OBJECT)
		return decode_bad(e, "a chunk with usage that is no object");
	if (is_present(doc, top->aside))
		usage_aside(d, json_get(doc, top->aside, "usage"));
	if (!choices && !usage)
		return ERR_OK; /* nothing that a chat client could use */

	struct chunk c = {
		.d = d,
		.doc = doc,
		.top = top,
		.keep_raw = top_plain(doc, top),
		.only_usage = usage && choices && doc->tok[top->choices].count == 0,
	};
	if (usage)
		usage_of(&c, top->usage);
	enum errc rc = choices ? openai_chunk_check_choices(&c, e) : ERR_OK;
	return rc == ERR_OK ? give_chunk(&c, e) : rc;
}

/* end_choices: after the terminator, nothing can follow in a choice.  If a server has ended some of
 * several choices and forgotten the others, the answer is complete. */
static void end_choices(struct decode *d)
{
	for (uint32_t i = 0; i < LIMIT_CHOICES; i++) {
		uint64_t mask = (uint64_t)1 << (i % 64);

		if (!(d->open[i / 64] & mask))
			continue;
		d->open[i / 64] &= ~mask;
		d->on_event(
			d->arg,
			&(struct event){ .kind = EVENT_FINISH, .choice = i, .text = STR("stop") });
	}
	d->finished = true;
}

static bool some_ended(const struct decode *d)
{
	return ((d->begun[0] & ~d->open[0]) | (d->begun[1] & ~d->open[1])) != 0;
}

void openai_chunk_over(struct decode *d, bool well)
{
	(void)well;
	if (d->untold && d->finished)
		d->on_event(d->arg, &(struct event){ .kind = EVENT_USAGE, .usage = d->told });
	d->untold = false;
}

enum errc openai_decode_event(struct decode *d, struct str name, struct str data, struct err *e)
{
	struct openai_top top;

	if (d->done_mark)
		return ERR_OK;
	if (data.n < 32) {
		data = str_trim(data);
		d->done_mark = str_is(data, "[DONE]");
		if (d->done_mark && !d->finished && some_ended(d))
			end_choices(d);
		if (d->done_mark || data.n == 0)
			return ERR_OK;
	}
	enum errc rc = openai_scan_event(d, name, data, e);
	if (rc == ERR_OK)
		rc = openai_answer(d, &name, &top, e);
	return rc == ERR_OK ? openai_chunk_decode_chunk(d, &top, e) : rc;
}
