/* Finds the call to which each piece belongs.
 *
 * A piece belongs to the newest call with its index, or, without an index, to the newest call.  The
 * piece begins a new call instead if that one is another's: the piece has a name with another id; or
 * no id tells the two apart, and the arguments so far are whole. */
#include "provider/openai/openai.h"

#include "base/hash.h"
#include "base/limits.h"
#include "shape/carry.h"

#include <stddef.h>

enum {
	INDEX_MAX = 4096,
	PIECES_MAX = 4096, /* pieces of one event */
};

struct call {
	uint32_t choice;
	uint32_t theirs; /* the provider's index */
	uint32_t block;  /* the client's */
	/* The place among the choice's calls with this id, from 1 on; 0: the provider gave no id. */
	uint32_t nth;
	uint64_t id; /* id and name: hashes of what the provider gave */
	uint64_t name;
	bool     unnumbered;
	bool     custom; /* its input is a text, not JSON */
	bool     args;   /* some were given */
	/* State of the arguments, as escaped JSON: the depth of brackets, and where they stand. */
	uint32_t depth;
	bool     quoted;
	uint8_t  slashes; /* in a row, at the end */
};

/* A piece that was read. */
struct piece {
	uint32_t   call; /* its place among the calls */
	bool       first;
	struct str id;
	struct str name; /* empty: none, or repeated */
	struct str extra;
	json_at    args;
};

struct calls {
	struct buf list;   /* struct call */
	struct buf pieces; /* struct piece */
	size_t     taken;
	char       made[ID_MAX];
	struct buf id;   /* id and args: scratch */
	struct buf args; /* arguments that came as an object */
};

static const struct decode_state calls_state = {
	.size = sizeof(struct calls),
	.bufs = {
		{ offsetof(struct calls, list), LIMIT_TOOLS * sizeof(struct call) },
		{ offsetof(struct calls, pieces), PIECES_MAX * sizeof(struct piece) },
		{ offsetof(struct calls, id), (size_t)LIMIT_SSE_EVENT + ID_MAX },
		{ offsetof(struct calls, args), 2 * (size_t)LIMIT_SSE_EVENT },
	},
};

static struct call *openai_call_at(const struct calls *x, size_t i)
{
	return (struct call *)(void *)x->list.data + i;
}

static size_t call_count(const struct calls *x)
{
	return x->list.len / sizeof(struct call);
}

static struct piece *piece_at(const struct calls *x, size_t i)
{
	return (struct piece *)(void *)x->pieces.data + i;
}

static size_t piece_count(const struct calls *x)
{
	return x->pieces.len / sizeof(struct piece);
}

/* --- ids --- */

uint64_t openai_call_hash(struct str s)
{
	return mix_str(MIX_BEGIN, s);
}

bool openai_call_id_twin(struct str id, uint32_t nth, struct buf *out)
{
	return buf_str(out, id) && buf_fmt(out, OPENAI_CALL_TWIN "%u", nth);
}

/* openai_call_is_blank, is_id_of: whether the string that begins at p is the value of a member with an id.  The
 * quotes of a text within a string have backslashes before them. */
static bool openai_call_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_id_of(struct str before)
{
	static const struct str keys[] = { { "\"id\"", 4 }, { "\"tool_call_id\"", 14 } };

	while (before.n > 0 && openai_call_is_blank(before.p[before.n - 1]))
		before.n--;
	if (before.n == 0 || before.p[--before.n] != ':')
		return false;
	while (before.n > 0 && openai_call_is_blank(before.p[before.n - 1]))
		before.n--;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (before.n > keys[i].n &&
		    memcmp(before.p + before.n - keys[i].n, keys[i].p, keys[i].n) == 0)
			return before.p[before.n - keys[i].n - 1] != '\\';
	return false;
}

/* suffix_at: the length of the suffix at p, if it ends an id; 0: something else. */
static size_t suffix_at(struct str message, const char *p)
{
	const char *end = message.p + message.n;
	const char *last = p + sizeof OPENAI_CALL_TWIN - 1;
	const char *from = p;

	while (last < end && *last >= '0' && *last <= '9')
		last++;
	if (last == end || *last != '"' || last == p + sizeof OPENAI_CALL_TWIN - 1)
		return 0;
	while (from > message.p && from[-1] != '"')
		from--;
	return from > message.p + 1 &&
			       is_id_of((struct str){ message.p, (size_t)(from - 1 - message.p) })
		       ? (size_t)(last - p)
		       : 0;
}

bool openai_call_put_back(struct str message, struct buf *out)
{
	size_t at = 0;

	for (size_t look = 0;;) {
		const char *p = memmem(message.p + look, message.n - look, OPENAI_CALL_TWIN,
				       sizeof OPENAI_CALL_TWIN - 1);
		if (!p)
			return buf_add(out, message.p + at, message.n - at);

		size_t from = (size_t)(p - message.p);
		size_t n = suffix_at(message, p);
		look = from + (n > 0 ? n : 1);
		if (n == 0)
			continue;
		if (!buf_add(out, message.p + at, from - at))
			return false;
		at = look;
	}
}

/* --- whose piece it is --- */

/* args_follow: follows the brackets through a piece of the arguments. */
static void args_follow(struct call *c, struct str args)
{
	for (size_t i = 0; i < args.n; i++) {
		char ch = args.p[i];

		if (ch == '\\') {
			c->slashes++;
			continue;
		}
		/* The text is escaped: its quotes have one backslash, and three within a string. */
		if (ch == '"' && c->slashes % 4 == 1)
			c->quoted = !c->quoted;
		else if (!c->quoted && (ch == '{' || ch == '['))
			c->depth++;
		else if (!c->quoted && (ch == '}' || ch == ']') && c->depth > 0)
			c->depth--;
		c->slashes = 0;
	}
	c->args = c->args || args.n > 0;
}

static bool args_whole(const struct call *c)
{
	return c->args && c->depth == 0 && !c->quoted;
}

struct given {
	uint32_t   choice;
	bool       numbered;
	bool       custom;
	uint32_t   index;
	struct str id;
	struct str name;
	json_at    args;
	bool       some; /* args are not empty */
};

/* call_find: the call of the choice with the piece's index and id, or the newest with the index.
 * NULL: there is none. */
static struct call *call_find(const struct calls *x, const struct given *g)
{
	uint64_t     id = openai_call_hash(g->id);
	struct call *newest = NULL;

	for (size_t i = call_count(x); i > 0; i--) {
		struct call *c = openai_call_at(x, i - 1);

		if (c->choice != g->choice || (g->numbered && c->theirs != g->index))
			continue;
		if (g->id.n == 0 || (c->nth > 0 && c->id == id))
			return c;
		newest = newest ? newest : c;
	}
	return newest;
}

/* is_vague: whether ids and indices do not tell the call from the next one. */
static bool is_vague(const struct call *c)
{
	return c->nth == 0 || c->unnumbered;
}

/* is_another: whether the piece begins another call than c, with which it shares the index. */
static bool is_another(const struct call *c, const struct given *g)
{
	if (g->id.n > 0 && c->nth > 0 && c->id != openai_call_hash(g->id))
		return g->name.n > 0 || !g->numbered;
	if (g->id.n > 0 && c->nth == 0)
		return !g->numbered || (g->name.n > 0 && args_whole(c));
	if (!g->numbered && g->id.n == 0 && g->name.n > 0)
		return true;
	return is_vague(c) && g->name.n > 0 && g->some && args_whole(c);
}

/* call_number: the provider's own index, unless another call has that number. */
static uint32_t call_number(const struct calls *x, const struct given *g)
{
	bool     taken = !g->numbered;
	uint32_t next = 0;

	for (size_t i = 0; i < call_count(x); i++) {
		const struct call *c = openai_call_at(x, i);

		if (c->choice != g->choice)
			continue;
		taken = taken || c->block == g->index;
		next = c->block >= next ? c->block + 1 : next;
	}
	return taken ? next : g->index;
}

static uint32_t call_nth(const struct calls *x, const struct given *g, uint64_t id)
{
	uint32_t nth = 1;

	if (g->id.n == 0)
		return 0;
	for (size_t i = 0; i < call_count(x); i++)
		nth += openai_call_at(x, i)->choice == g->choice && openai_call_at(x, i)->nth > 0 &&
		       openai_call_at(x, i)->id == id;
	return nth;
}

static enum errc openai_call_begin(struct calls *x, const struct given *g, struct err *e)
{
	struct call c = { .choice = g->choice,
			  .block = call_number(x, g),
			  .id = openai_call_hash(g->id),
			  .unnumbered = !g->numbered,
			  .custom = g->custom };

	if (call_count(x) == LIMIT_TOOLS || c.block >= INDEX_MAX)
		return decode_bad(e, "too many tool calls");
	c.theirs = g->numbered ? g->index : c.block;
	c.nth = call_nth(x, g, c.id);
	c.name = openai_call_hash(g->name);
	return buf_add(&x->list, &c, sizeof c) ? ERR_OK : err_no_memory(e);
}

/* further_name: what the piece adds to the name of a call that has begun: names may come in pieces,
 * but a name with an id is the whole name, repeated; so is one that equals the name so far. */
static struct str further_name(struct call *c, const struct given *g)
{
	if (g->id.n > 0 || !g->numbered || c->args || g->name.n == 0 ||
	    c->name == openai_call_hash(g->name))
		return STR_NONE;
	c->name = mix_str(c->name, g->name);
	return g->name;
}

/* --- reading --- */

static enum errc read_given(const struct json_doc *doc, json_at at, struct given *ret,
			    struct err *e)
{
	int64_t n = 0;

	if (json_kind(doc, at) != JSON_OBJECT)
		return decode_bad(e, "a chunk with a tool call that is no object");

	json_at index = json_get_some(doc, at, "index");
	json_at function = json_get_some(doc, at, "function");
	ret->numbered = index != JSON_ABSENT;
	if (ret->numbered && (!json_int(doc, index, &n) || n < 0 || n >= INDEX_MAX))
		return decode_bad(e, "a chunk with an impossible tool call index");
	ret->index = (uint32_t)n;
	ret->custom = function == JSON_ABSENT;
	if (ret->custom)
		function = json_get_some(doc, at, "custom");
	if (function != JSON_ABSENT && json_kind(doc, function) != JSON_OBJECT)
		return decode_bad(e, "a chunk with a tool call whose function is no object");
	ret->custom = ret->custom && function != JSON_ABSENT;
	if (!decode_text(doc, at, "id", &ret->id) ||
	    (function != JSON_ABSENT && !decode_text(doc, function, "name", &ret->name)))
		return decode_bad(e, "a chunk with a tool call whose id or name is no string");
	if (function != JSON_ABSENT)
		ret->args = json_get_some(doc, function, ret->custom ? "input" : "arguments");
	if (ret->args == JSON_ABSENT)
		return ERR_OK;
	ret->some = json_kind(doc, ret->args) == JSON_OBJECT ? doc->tok[ret->args].count > 0
							     : json_inner_of(doc, ret->args).n > 0;
	if (json_kind(doc, ret->args) != JSON_STRING &&
	    (ret->custom || json_kind(doc, ret->args) != JSON_OBJECT))
		return decode_bad(e, "a chunk with tool call arguments that are no string");
	return ERR_OK;
}

/* note_piece: notes the piece for openai_call_take. */
static enum errc note_piece(struct calls *x, const struct given *g, struct str extra, bool *ret_raw,
			    struct err *e)
{
	struct call *c = call_find(x, g);
	struct piece p = { .id = g->id, .name = g->name, .extra = extra };

	p.first = !c || is_another(c, g);
	if (p.first) {
		enum errc rc = openai_call_begin(x, g, e);

		if (rc != ERR_OK)
			return rc;
		c = openai_call_at(x, call_count(x) - 1);
	} else {
		p.name = further_name(c, g);
		p.id = STR_NONE;
	}
	p.call = (uint32_t)(c - openai_call_at(x, 0));
	p.args = g->some ? g->args : JSON_ABSENT;
	c->args = c->args || g->some;
	if (!g->numbered || c->block != g->index ||
	    (p.first ? c->nth != 1 : g->id.n + g->name.n > 0))
		*ret_raw = false;
	if (piece_count(x) == PIECES_MAX)
		return decode_bad(e, "too many tool calls");
	return buf_add(&x->pieces, &p, sizeof p) ? ERR_OK : err_no_memory(e);
}

enum errc openai_call_read(struct decode *d, uint32_t choice, json_at list, bool *ret_raw,
			   struct err *e)
{
	struct calls *x = decode_state(d, &calls_state);
	enum errc     rc = ERR_OK;

	if (!x)
		return err_no_memory(e);
	for (json_at i = json_first(d->doc, list); rc == ERR_OK && i != json_end(d->doc, list);
	     i = json_next(d->doc, i)) {
		struct given g = { .choice = choice };

		rc = read_given(d->doc, i, &g, e);
		if (rc != ERR_OK)
			return rc;
		rc = note_piece(x, &g, extra_of(d->doc, i), ret_raw, e);
		if (rc != ERR_OK)
			return rc;

		struct call *c = openai_call_at(x, piece_at(x, piece_count(x) - 1)->call);
		bool         text = json_is_kind(d->doc, g.args, JSON_STRING);

		if (g.args != JSON_ABSENT && !text)
			*ret_raw = false;
		if (text && is_vague(c))
			args_follow(c, json_inner(d->doc, g.args));
	}
	return rc;
}

/* --- giving --- */

/* first_id: the id that the client gets. */
static enum errc first_id(struct calls *x, const struct call *c, const struct piece *p,
			  char made[ID_MAX], struct str *ret, struct err *e)
{
	*ret = p->id;
	if (c->nth == 0)
		*ret = decode_made_id(made);
	if (c->nth < 2)
		return ERR_OK;
	buf_clear(&x->id);
	if (!openai_call_id_twin(p->id, c->nth, &x->id))
		return err_no_memory(e);
	*ret = buf_view(&x->id);
	return ERR_OK;
}

enum errc openai_call_take(struct decode *d, struct event ret[2], size_t *ret_count, struct err *e)
{
	struct calls      *x = d->state;
	const struct piece p = *piece_at(x, x->taken);
	const struct call *c = openai_call_at(x, p.call);
	struct event       start = { .kind = EVENT_TOOL_START,
				     .choice = c->choice,
				     .block = c->block,
				     .name = p.name,
				     .text = p.extra };
	struct event args = { .kind = EVENT_TOOL_ARGS, .choice = c->choice, .block = c->block };
	enum errc    rc = ERR_OK;

	*ret_count = 0;
	if (++x->taken == piece_count(x)) {
		x->taken = 0;
		buf_clear(&x->pieces);
	}
	if (p.first)
		rc = first_id(x, c, &p, x->made, &start.id, e);
	/* Gemini may send a signature alone, after the call. */
	if (rc == ERR_OK && (p.first || p.name.n > 0 || p.extra.n > 0))
		ret[(*ret_count)++] = start;
	if (rc == ERR_OK && p.args != JSON_ABSENT)
		rc = decode_args(d->doc, p.args, &x->args, &args.text, e);
	if (rc == ERR_OK && args.text.n > 0)
		ret[(*ret_count)++] = args;
	return rc;
}

/* --- the end --- */

bool openai_call_numbered(const struct decode *d, uint32_t choice)
{
	const struct calls *x = d->state;

	for (size_t i = 0; x && i < call_count(x); i++)
		if (openai_call_at(x, i)->choice == choice && openai_call_at(x, i)->unnumbered)
			return false;
	return true;
}

bool openai_call_bare(struct decode *d, uint32_t choice, bool fill, uint32_t *ret_block)
{
	const struct calls *x = d->state;

	for (size_t i = 0; x && i < call_count(x); i++) {
		struct call *c = openai_call_at(x, i);

		if (c->choice != choice || c->args || c->custom)
			continue;
		c->args = fill;
		*ret_block = c->block;
		return true;
	}
	return false;
}
