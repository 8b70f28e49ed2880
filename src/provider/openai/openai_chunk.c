/* Makes events of OpenAI's stream chunks. This is the hot path: one scan and two short walks,
 * without allocating memory.
 *
 * A chunk that clients can take unchanged is the `raw` of its first event. A chunk that would break
 * clients (an index is missing, …) is given without raw, so that the encoder prints a chunk of its
 * own from the events. Only a repeated role is cut out instead, because many servers send it. */
#include "base/limits.h"
#include "shape/extra.h"
#include "lmc/picture.h"
#include "provider/openai/openai.h"

enum { TOOL_INDEX_MAX = 4096 };

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
};

struct chunk {
	struct decode           *d;
	const struct json_doc   *doc;
	const struct openai_top *top;
	struct choice            first; /* as read by the first walk; mostly the only choice */
	bool                     keep_raw;
	bool                     given; /* an event of the chunk was given */
	bool                     only_usage;
	struct str               role_cut; /* of the first choice, when it repeats its role */
};

struct tool_delta {
	bool       no_index;
	uint32_t   index;
	struct str id;
	struct str name;
	struct str args;
	struct str extra; /* shape/extra */
};

static bool present(const struct json_doc *doc, json_at i)
{
	return i != JSON_ABSENT && json_kind(doc, i) != JSON_NULL;
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
	if (!json_is_kind(doc, ret->reasoning, JSON_STRING))
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
	}
	ret->at = at;
	ret->no_index = !present(doc, index);
	if ((!ret->no_index && !json_int(doc, index, &n)) || n < 0 || n >= LIMIT_CHOICES)
		return decode_bad(e, "a chunk with an impossible choice index");
	ret->index = (uint32_t)n;
	if (!present(doc, ret->delta)) {
		ret->delta = JSON_ABSENT;
		return ERR_OK;
	}
	if (json_kind(doc, ret->delta) != JSON_OBJECT)
		return decode_bad(e, "a chunk with a delta that is no object");
	read_delta(doc, ret->delta, ret);

	if (present(doc, ret->content) && !json_is_kind(doc, ret->content, JSON_STRING) &&
	    json_kind(doc, ret->content) != JSON_ARRAY)
		return decode_bad(e,
				  "a chunk with content that is neither text nor a list of parts");
	if (present(doc, ret->tools) && json_kind(doc, ret->tools) != JSON_ARRAY)
		return decode_bad(e, "a chunk with tool_calls that are no list");
	return ERR_OK;
}

static enum errc openai_chunk_read_tool(const struct json_doc *doc, json_at at,
					struct tool_delta *ret, struct err *e)
{
	int64_t n = 0;

	*ret = (struct tool_delta){ 0 };
	if (json_kind(doc, at) != JSON_OBJECT)
		return decode_bad(e, "a chunk with a tool call that is no object");

	json_at index = json_get_some(doc, at, "index");
	ret->no_index = index == JSON_ABSENT;
	if (!ret->no_index && (!json_int(doc, index, &n) || n < 0 || n >= TOOL_INDEX_MAX))
		return decode_bad(e, "a chunk with an impossible tool call index");
	ret->index = (uint32_t)n;
	ret->id = json_get_inner(doc, at, "id");

	json_at function = json_get_some(doc, at, "function");
	json_at args = JSON_ABSENT;
	if (function != JSON_ABSENT) {
		args = json_get_some(doc, function, "arguments");
	} else {
		function = json_get_some(doc, at, "custom");
		if (function != JSON_ABSENT)
			args = json_get_some(doc, function, "input");
	}
	if (function != JSON_ABSENT)
		ret->name = json_get_inner(doc, function, "name");
	if (args != JSON_ABSENT && !json_is_kind(doc, args, JSON_STRING))
		return decode_bad(e, "a chunk with tool call arguments that are no string");
	ret->args = json_inner_of(doc, args);
	ret->extra = extra_of(doc, at);
	return ERR_OK;
}

/* --- can the chunk be forwarded unchanged? --- */

static bool tool_begun(const struct decode *d, uint32_t choice, uint32_t index)
{
	return choice == 0 && index < 64 && ((d->tools >> index) & 1);
}

static enum errc tools_plain(const struct chunk *c, const struct choice *ch, bool *ret,
			     struct err *e)
{
	if (!present(c->doc, ch->tools))
		return ERR_OK;
	JSON_EACH (i, c->doc, ch->tools) {
		struct tool_delta t;
		enum errc         rc = openai_chunk_read_tool(c->doc, i, &t, e);

		if (rc != ERR_OK)
			return rc;
		if (t.no_index ||
		    (tool_begun(c->d, ch->index, t.index) && (t.id.n > 0 || t.name.n > 0)))
			*ret = false;
	}
	return ERR_OK;
}

static bool choice_plain(const struct chunk *c, const struct choice *ch)
{
	const struct json_doc *doc = c->doc;
	bool                   begun = openai_chunk_bit(c->d->begun, ch->index);
	bool                   finish = present(doc, ch->finish);

	if (ch->no_index || ch->delta == JSON_ABSENT)
		return false;
	/* Only one role can be cut out of a chunk. */
	if (begun && present(doc, ch->role) && doc->tok[c->top->choices].count > 1)
		return false;
	if (!begun &&
	    (!json_is_kind(doc, ch->role, JSON_STRING) || !json_is(doc, ch->role, "assistant")))
		return false;
	if (finish && begun && !openai_chunk_bit(c->d->open, ch->index))
		return false;
	if (finish && c->d->unindexed)
		return false;
	return !present(doc, ch->content) || json_is_kind(doc, ch->content, JSON_STRING);
}

static bool top_plain(const struct json_doc *doc, const struct openai_top *top)
{
	struct str object = json_inner_of(doc, top->object);

	return json_is_kind(doc, top->id, JSON_STRING) &&
	       json_is_kind(doc, top->model, JSON_STRING) &&
	       json_is_kind(doc, top->object, JSON_STRING) &&
	       (object.n == 0 || str_is(object, "chat.completion.chunk")) &&
	       json_is_kind(doc, top->created, JSON_NUMBER) && top->error == JSON_ABSENT &&
	       present(doc, top->choices);
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

		if (rc == ERR_OK)
			rc = openai_finish_word(doc, ch.finish, &word, &changed, e);
		if (rc == ERR_OK)
			rc = tools_plain(c, &ch, &c->keep_raw, e);
		if (rc != ERR_OK)
			return rc;
		if (changed || !choice_plain(c, &ch))
			c->keep_raw = false;
		if (position == 1) {
			c->first = ch;
			if (openai_chunk_bit(c->d->begun, ch.index) && present(doc, ch.role))
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
	if (!present(doc, thinking) || json_kind(doc, thinking) != JSON_ARRAY)
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

/* give_reasoning: the list of details counts only if there is no text of reasoning. */
static void give_reasoning(struct chunk *c, const struct choice *ch)
{
	const struct json_doc *doc = c->doc;

	openai_chunk_give_text(c, EVENT_REASONING, ch->index, json_inner_of(doc, ch->reasoning));
	if (json_is_kind(doc, ch->reasoning, JSON_STRING) || !present(doc, ch->details) ||
	    json_kind(doc, ch->details) != JSON_ARRAY)
		return;
	JSON_EACH (i, doc, ch->details) {
		struct str text = json_get_inner(doc, i, "text");

		openai_chunk_give_text(c, EVENT_REASONING, ch->index,
				       text.n > 0 ? text : json_get_inner(doc, i, "summary"));
	}
}

static void give_images(struct chunk *c, const struct choice *ch)
{
	const struct json_doc *doc = c->doc;

	if (!present(doc, ch->images) || json_kind(doc, ch->images) != JSON_ARRAY)
		return;
	JSON_EACH (i, doc, ch->images)
		if (picture_is(json_raw(doc, i)))
			openai_chunk_give_text(c, EVENT_MEDIA, ch->index, json_raw(doc, i));
}

static uint64_t openai_chunk_hash(struct str s)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return h;
}

/* number_tool: the index of a piece without one: a new id, or a name without an id, begins the next
 * call; any other piece belongs to the last call. */
static void number_tool(struct decode *d, struct tool_delta *t)
{
	bool next = d->next_tool == 0 ||
		    (t->id.n > 0 && openai_chunk_hash(t->id) != d->last_tool) ||
		    (t->id.n == 0 && t->name.n > 0);

	d->unindexed = true;
	t->index = next ? d->next_tool : d->next_tool - 1;
}

static void give_tool(struct chunk *c, const struct choice *ch, struct tool_delta *t)
{
	struct decode *d = c->d;

	if (t->no_index)
		number_tool(d, t);

	bool     known = ch->index == 0 && t->index < 64; /* d has the call's state */
	uint64_t mask = known ? (uint64_t)1 << t->index : 0;
	bool     start = t->id.n > 0 || t->name.n > 0;

	/* A name may come in pieces (K3), but a name with an id is the whole name, repeated. */
	if (known && tool_begun(d, 0, t->index))
		start = t->id.n == 0 && t->name.n > 0 && !t->no_index && !(d->args & mask);
	else if (known)
		start = true;
	struct event ev = { .kind = EVENT_TOOL_START,
			    .choice = ch->index,
			    .block = t->index,
			    .id = t->id,
			    .name = t->name,
			    .text = t->extra };
	if (start)
		openai_chunk_give(c, &ev);
	d->tools |= mask;
	if (t->args.n > 0)
		d->args |= mask;
	if (t->id.n > 0)
		d->last_tool = openai_chunk_hash(t->id);
	if (t->index >= d->next_tool)
		d->next_tool = t->index + 1;

	struct event args = {
		.kind = EVENT_TOOL_ARGS, .choice = ch->index, .block = t->index, .text = t->args
	};
	if (t->args.n > 0)
		openai_chunk_give(c, &args);
}

static enum errc give_tools(struct chunk *c, const struct choice *ch, struct err *e)
{
	if (!present(c->doc, ch->tools))
		return ERR_OK;
	JSON_EACH (i, c->doc, ch->tools) {
		struct tool_delta t;
		enum errc         rc = openai_chunk_read_tool(c->doc, i, &t, e);

		if (rc != ERR_OK)
			return rc;
		give_tool(c, ch, &t);
	}
	return ERR_OK;
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
	/* Gemini's OpenAI route ends a stream of calls with "stop". */
	if (d->unindexed && ch->index == 0 && str_is(word, "stop"))
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
	if (present(doc, ch->content) && json_kind(doc, ch->content) == JSON_ARRAY)
		openai_chunk_give_parts(c, ch);
	else
		openai_chunk_give_text(c, EVENT_TEXT, ch->index, json_inner_of(doc, ch->content));
	openai_chunk_give_text(c, EVENT_REFUSAL, ch->index, json_inner_of(doc, ch->refusal));
	give_images(c, ch);

	enum errc rc = give_tools(c, ch, e);
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
		openai_chunk_give(c, &(struct event){ .kind = EVENT_START,
						      .id = json_inner_of(doc, top->id),
						      .text = json_inner_of(doc, top->model) });
	}
	if (present(doc, top->choices))
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
	if (present(doc, top->usage)) {
		struct event usage = { .kind = EVENT_USAGE };

		if (openai_usage(doc, top->usage, &usage.usage))
			openai_chunk_give(c, &usage);
	}
	if (!c->given && c->keep_raw)
		openai_chunk_give(c, &(struct event){ .kind = EVENT_OTHER });
	d->finished = (d->begun[0] | d->begun[1]) != 0 && (d->open[0] | d->open[1]) == 0;
	return ERR_OK;
}

static enum errc openai_chunk_decode_chunk(struct decode *d, const struct openai_top *top,
					   struct err *e)
{
	const struct json_doc *doc = d->doc;
	bool                   choices = present(doc, top->choices);
	bool                   usage = present(doc, top->usage);

	if (choices && json_kind(doc, top->choices) != JSON_ARRAY)
		return decode_bad(e, "a chunk with choices that are no list");
	if (usage && json_kind(doc, top->usage) != JSON_OBJECT)
		return decode_bad(e, "a chunk with usage that is no object");
	if (!choices && !usage)
		return ERR_OK; /* nothing that a chat client could use */

	struct chunk c = {
		.d = d,
		.doc = doc,
		.top = top,
		.keep_raw = top_plain(doc, top),
		.only_usage = usage && choices && doc->tok[top->choices].count == 0,
	};
	enum errc rc = choices ? openai_chunk_check_choices(&c, e) : ERR_OK;
	return rc == ERR_OK ? give_chunk(&c, e) : rc;
}

enum errc openai_decode_event(struct decode *d, struct str name, struct str data, struct err *e)
{
	struct openai_top top;

	if (d->done_mark)
		return ERR_OK;
	if (data.n < 32) {
		data = str_trim(data);
		d->done_mark = str_is(data, "[DONE]");
		if (d->done_mark || data.n == 0)
			return ERR_OK;
	}
	enum errc rc = openai_scan_event(d, name, data, e);
	if (rc == ERR_OK)
		rc = openai_answer(d, &name, &top, e);
	return rc == ERR_OK ? openai_chunk_decode_chunk(d, &top, e) : rc;
}
