/* Joins chunks to messages: holds the open message, and the finished messages in print. */
#include "lmc/lmc_gather.h"

#include "base/limits.h"
#include "lmc/text.h"

#include <stdlib.h>

/*
 *            start                content
 *   CLOSED ---------> STARTED ---------------+
 *     |                                      v
 *     +------------------------------------ FILLED <--+ content that goes on (C5)
 *                    content                 |  +-----+
 *
 * From STARTED and FILLED: end, a chunk that is never stored (C3) and the end of the list lead to
 * CLOSED; start, and content that does not go on, close the message and open the next.
 */
enum state {
	CLOSED,  /* no message is open */
	STARTED, /* opened by a flag; no content yet */
	FILLED,  /* has content */
};

enum role { USER, ASSISTANT, COMPUTER, SYSTEM, SERVER, ROLE__COUNT };

static const char *const roles[ROLE__COUNT] = {
	[USER] = "user",     [ASSISTANT] = "assistant", [COMPUTER] = "computer",
	[SYSTEM] = "system", [SERVER] = "server",
};

/* The members of a chunk that describe its message, beside the role. */
enum said { TYPE, FORMAT, RECIPIENT, SAID__COUNT };

struct gather {
	size_t           max;
	struct warnings *warnings;
	struct buf       out;    /* the finished messages */
	bool             failed; /* a message could not be kept */

	/* The open message. */
	enum state state;
	enum role  role;
	struct buf said[SAID__COUNT]; /* values as JSON; empty: not known yet */
	/* escaped: content needs no decoding, and the halves of a surrogate pair join by themselves */
	struct buf     content;
	struct members members;
	/* recipient of the flag whose segment is open; empty: none */
	struct buf flag_recipient;

	/* Scratch for the current chunk. */
	struct buf decoded;
	struct buf printed[SAID__COUNT];
};

/* One chunk, read and checked. */
struct chunk {
	const struct json_doc *d;
	json_at                object;
	enum role              role;
	struct str             said[SAID__COUNT]; /* values as JSON; .p NULL: absent or null */
	json_at                content;     /* JSON_ABSENT: none, or one that adds nothing (C2) */
	bool                   has_content; /* the member exists, even if it is null or empty */
	bool                   start;
	bool                   end;
	bool                   has_others; /* unknown members */
};

struct gather *gather_create(size_t max, struct warnings *warnings)
{
	struct gather *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->max = max;
	g->warnings = warnings;
	buf_init(&g->out, max);
	buf_init(&g->content, max);
	buf_init(&g->flag_recipient, max);
	buf_init(&g->decoded, max);
	members_init(&g->members, max);
	for (int i = 0; i < SAID__COUNT; i++) {
		buf_init(&g->said[i], max);
		buf_init(&g->printed[i], max);
	}
	return g;
}

void gather_destroy(struct gather *g)
{
	if (!g)
		return;
	buf_finish(&g->out);
	buf_finish(&g->content);
	buf_finish(&g->flag_recipient);
	buf_finish(&g->decoded);
	members_finish(&g->members);
	for (int i = 0; i < SAID__COUNT; i++) {
		buf_finish(&g->said[i]);
		buf_finish(&g->printed[i]);
	}
	free(g);
}

/* --- reading a chunk (C1) --- */

enum key {
	KEY_ROLE,
	KEY_TYPE,
	KEY_FORMAT,
	KEY_RECIPIENT,
	KEY_CONTENT,
	KEY_START,
	KEY_END,
	KEY__COUNT, /* an unknown member */
};

/* clang-format off */
static const char *const keys[KEY__COUNT] = {
	[KEY_ROLE] = "role",           [KEY_TYPE] = "type",       [KEY_FORMAT] = "format",
	[KEY_RECIPIENT] = "recipient", [KEY_CONTENT] = "content", [KEY_START] = "start",
	[KEY_END] = "end",
};
/* clang-format on */

static enum key gather_key_of(const struct json_doc *d, json_at i)
{
	int k = 0;

	while (k < KEY__COUNT && !json_is(d, i, keys[k]))
		k++;
	return (enum key)k;
}

static enum errc gather_refuse(struct err *e, enum errc code, const char *path, const char *member,
			       const char *text)
{
	(void)err_set(e, code, member, "%s", text);
	if (path && *path)
		err_at(e, path);
	return code;
}

static enum errc no_room(const struct gather *g, struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "",
		       "no memory for the messages that the chunks make, "
		       "or they are over the %zu bytes allowed",
		       g->max);
}

static enum errc gather_read_role(const struct json_doc *d, json_at at, const char *path,
				  enum role *ret, struct err *e)
{
	if (at == JSON_ABSENT)
		return gather_refuse(
			e, ERR_MISSING_PARAMETER, path, "role",
			"a chunk needs a role: user, assistant, computer, system or server");
	if (json_kind(d, at) != JSON_STRING)
		return gather_refuse(
			e, ERR_INVALID_TYPE, path, "role",
			"must be a string: user, assistant, computer, system or server");
	for (int i = 0; i < ROLE__COUNT; i++)
		if (json_is(d, at, roles[i])) {
			*ret = (enum role)i;
			return ERR_OK;
		}
	return gather_refuse(e, ERR_INVALID_VALUE, path, "role",
			     "must be one of user, assistant, computer, system, server");
}

/* print_said: prints the value in one normal form, because a string can be escaped in many ways. */
static bool print_said(struct gather *g, const struct json_doc *d, json_at i, enum said what,
		       struct str *ret)
{
	struct buf *out = &g->printed[what];

	if (json_kind(d, i) == JSON_STRING && !(d->tok[i].flags & JSON_ESCAPED)) {
		*ret = json_raw(d, i);
		return true;
	}
	buf_clear(&g->decoded);
	buf_clear(out);
	if (!text_of(d, i, &g->decoded))
		return false;

	bool string = json_kind(d, i) == JSON_STRING;
	if (!(string ? text_quote(out, buf_view(&g->decoded))
		     : buf_str(out, buf_view(&g->decoded))))
		return false;
	*ret = buf_view(out);
	return true;
}

static json_at gather_some(const struct json_doc *d, json_at i)
{
	return i != JSON_ABSENT && json_kind(d, i) == JSON_NULL ? JSON_ABSENT : i;
}

/* gather_find_members: finds the first member of each known key. */
static void gather_find_members(struct chunk *c, json_at at[KEY__COUNT])
{
	const struct json_doc *d = c->d;

	JSON_EACH_MEMBER (i, d, c->object) {
		enum key k = gather_key_of(d, i);

		if (k == KEY__COUNT)
			c->has_others = true;
		else if (at[k] == JSON_ABSENT)
			at[k] = json_value(i);
	}
	c->has_content = at[KEY_CONTENT] != JSON_ABSENT;
	c->content = gather_some(d, at[KEY_CONTENT]);
	if (c->content != JSON_ABSENT && json_kind(d, c->content) == JSON_STRING &&
	    json_inner(d, c->content).n == 0)
		c->content = JSON_ABSENT;
	c->start = at[KEY_START] != JSON_ABSENT && json_kind(d, at[KEY_START]) == JSON_TRUE;
	c->end = at[KEY_END] != JSON_ABSENT && json_kind(d, at[KEY_END]) == JSON_TRUE;
}

static enum errc read_chunk(struct gather *g, struct chunk *c, const char *path, struct err *e)
{
	static const enum key  said_key[SAID__COUNT] = { KEY_TYPE, KEY_FORMAT, KEY_RECIPIENT };
	const struct json_doc *d = c->d;
	json_at                at[KEY__COUNT] = { 0 };

	if (json_kind(d, c->object) != JSON_OBJECT)
		return gather_refuse(e, ERR_INVALID_TYPE, path, "", "a chunk must be an object");
	gather_find_members(c, at);

	enum errc rc = gather_read_role(d, gather_some(d, at[KEY_ROLE]), path, &c->role, e);
	if (rc != ERR_OK)
		return rc;

	json_at type = gather_some(d, at[KEY_TYPE]);
	json_at format = gather_some(d, at[KEY_FORMAT]);
	bool    flag = (c->start || c->end) && c->content == JSON_ABSENT;
	if (type == JSON_ABSENT && !flag)
		return gather_refuse(e, ERR_MISSING_PARAMETER, path, "type",
				     "a chunk needs a type, a string; "
				     "only a start or end flag without content goes without");
	if (type != JSON_ABSENT && json_kind(d, type) != JSON_STRING)
		return gather_refuse(e, ERR_INVALID_TYPE, path, "type", "must be a string");
	if (format != JSON_ABSENT && json_kind(d, format) != JSON_STRING)
		return gather_refuse(e, ERR_INVALID_TYPE, path, "format",
				     "must be a string, null or absent");

	for (int i = 0; i < SAID__COUNT; i++) {
		json_at value = gather_some(d, at[said_key[i]]);

		if (value != JSON_ABSENT && !print_said(g, d, value, (enum said)i, &c->said[i]))
			return no_room(g, e);
	}
	return ERR_OK;
}

/* --- the message under way --- */

static bool gather_has_word(struct str json, const char *quoted)
{
	return str_is(json, quoted);
}

/* gather_set_word: copies the value; an absent value makes b empty. */
static bool gather_set_word(struct buf *b, struct str value)
{
	buf_clear(b);
	return buf_str(b, value);
}

/* gather_same: true if both are absent or equal. A JSON value is never empty. */
static bool gather_same(const struct buf *b, struct str value)
{
	return str_eq(buf_view(b), value);
}

static bool keep_others(struct gather *g, const struct chunk *c)
{
	const struct json_doc *d = c->d;

	if (!c->has_others)
		return true;
	JSON_EACH_MEMBER (i, d, c->object) {
		struct str name;

		if (gather_key_of(d, i) != KEY__COUNT)
			continue;
		if (!text_view(d, i, &g->decoded, &name) ||
		    !members_add(&g->members, name, json_member(d, i)))
			return false;
	}
	return true;
}

static bool print_member(struct buf *out, const char *name, struct str value)
{
	return buf_text(out, ",\"") && buf_text(out, name) && buf_text(out, "\":") &&
	       buf_str(out, value);
}

static bool gather_store(struct gather *g)
{
	struct buf *out = &g->out;
	size_t      start = out->len;
	struct str  type = buf_view(&g->said[TYPE]);
	struct str  format = buf_view(&g->said[FORMAT]);
	struct str  recipient = buf_view(&g->said[RECIPIENT]);

	if (format.n == 0 && gather_has_word(type, "\"console\""))
		format = STR("\"output\"");
	if ((start == 0 || buf_text(out, ",")) && buf_text(out, "{\"role\":\"") &&
	    buf_text(out, roles[g->role]) && buf_text(out, "\"") &&
	    print_member(out, "type", type) &&
	    (format.n == 0 || print_member(out, "format", format)) &&
	    (recipient.n == 0 || print_member(out, "recipient", recipient)) &&
	    print_member(out, "content", STR("\"")) && buf_str(out, buf_view(&g->content)) &&
	    buf_text(out, "\"") && buf_str(out, buf_view(&g->members.json)) && buf_text(out, "}"))
		return true;
	out->len = start;
	return false;
}

static bool gather_is_medium(struct str type)
{
	return gather_has_word(type, "\"image\"") || gather_has_word(type, "\"audio\"") ||
	       gather_has_word(type, "\"file\"");
}

/* close_message: stores the open message, or drops it (C9). */
static bool close_message(struct gather *g)
{
	if (g->state == CLOSED)
		return true;

	struct str type = buf_view(&g->said[TYPE]);
	bool       forgotten = type.n == 0 || (g->state == STARTED && gather_is_medium(type));
	if (!forgotten && !gather_store(g))
		return false;

	g->state = CLOSED;
	for (int i = 0; i < SAID__COUNT; i++)
		buf_clear(&g->said[i]);
	members_clear(&g->members);
	/* The content has been copied to `out`; a large one must not stay in memory twice. */
	if (g->content.cap > MIB)
		buf_finish(&g->content);
	buf_clear(&g->content);
	return true;
}

/* gather_take_start: a flag opens a segment, whatever was open before. */
static bool gather_take_start(struct gather *g, const struct chunk *c)
{
	if (!close_message(g))
		return false;
	g->state = STARTED;
	g->role = c->role;
	for (int i = 0; i < SAID__COUNT; i++)
		if (!gather_set_word(&g->said[i], c->said[i]))
			return false;
	return gather_set_word(&g->flag_recipient, c->said[RECIPIENT]) && keep_others(g, c);
}

/* gather_in_segment: true if the content has the role and type of the open message, or gives the
 * message its type. */
static bool gather_in_segment(const struct gather *g, const struct chunk *c)
{
	return g->state != CLOSED && g->role == c->role &&
	       (g->said[TYPE].len == 0 || gather_same(&g->said[TYPE], c->said[TYPE]));
}

/* gather_goes_on: true if a content chunk of the segment continues the open message (C5). */
static bool gather_goes_on(const struct gather *g, const struct chunk *c, struct str recipient)
{
	const struct buf *format = &g->said[FORMAT];

	if (format->len > 0 && c->said[FORMAT].n > 0 && !gather_same(format, c->said[FORMAT]))
		return false;
	/* The first content may name the recipient that the flag has not named (C6). */
	if (g->state == STARTED)
		return g->said[RECIPIENT].len == 0 || gather_same(&g->said[RECIPIENT], recipient);
	return gather_same(&g->said[RECIPIENT], recipient) &&
	       !gather_is_medium(buf_view(&g->said[TYPE]));
}

static bool gather_append(struct gather *g, const struct json_doc *d, json_at content)
{
	if (json_kind(d, content) == JSON_STRING)
		return buf_str(&g->content, json_inner(d, content));
	buf_clear(&g->decoded);
	return text_of(d, content, &g->decoded) && text_put(&g->content, buf_view(&g->decoded));
}

static bool gather_take_content(struct gather *g, const struct chunk *c)
{
	bool       segment = gather_in_segment(g, c);
	struct str said[SAID__COUNT] = { c->said[TYPE], c->said[FORMAT], c->said[RECIPIENT] };

	/* The flag describes all content up to its end, even if that makes several messages. */
	if (!segment)
		buf_clear(&g->flag_recipient);
	if (said[RECIPIENT].n == 0)
		said[RECIPIENT] = buf_view(&g->flag_recipient);
	if (!segment || !gather_goes_on(g, c, said[RECIPIENT])) {
		if (!close_message(g))
			return false;
		g->role = c->role;
	}
	for (int i = 0; i < SAID__COUNT; i++)
		if (g->said[i].len == 0 && !gather_set_word(&g->said[i], said[i]))
			return false;
	g->state = FILLED;
	return gather_append(g, c->d, c->content) && keep_others(g, c);
}

static bool gather_take_end(struct gather *g, const struct chunk *c)
{
	bool fits = g->state != CLOSED && g->role == c->role &&
		    (c->said[TYPE].n == 0 || gather_same(&g->said[TYPE], c->said[TYPE]));

	return !fits || (keep_others(g, c) && close_message(g));
}

/* never_stored: the reason by C3 in words for the warning, or NULL. */
static const char *never_stored(const struct chunk *c)
{
	if (c->role == SERVER)
		return "what the server says of itself is not stored";
	if (gather_has_word(c->said[TYPE], "\"confirmation\""))
		return "a confirmation is not stored";
	if (gather_has_word(c->said[TYPE], "\"review\""))
		return "a review is not stored";
	return NULL;
}

static bool gather_is_active_line(const struct chunk *c)
{
	return c->has_content && gather_has_word(c->said[TYPE], "\"console\"") &&
	       gather_has_word(c->said[FORMAT], "\"active_line\"");
}

static bool gather_take(struct gather *g, const struct chunk *c, size_t index)
{
	const char *why = never_stored(c);

	if (why) {
		warnings_add(g->warnings, index, "not_stored", "%s", why);
		return close_message(g);
	}
	if (c->start && !gather_take_start(g, c))
		return false;
	if (gather_is_active_line(c))
		warnings_add(g->warnings, index, "not_stored", "an active line is not stored");
	else if (c->content != JSON_ABSENT && !gather_take_content(g, c))
		return false;
	return !c->end || gather_take_end(g, c);
}

static size_t gather_held(const struct gather *g)
{
	size_t n = g->out.len + g->content.len + members_bytes(&g->members) + g->flag_recipient.len;

	for (int i = 0; i < SAID__COUNT; i++)
		n += g->said[i].len;
	return n;
}

enum errc gather_chunk(struct gather *g, const struct json_doc *d, json_at chunk, const char *path,
		       size_t index, struct err *e)
{
	struct chunk c = { .d = d, .object = chunk };

	if (g->failed)
		return no_room(g, e);

	enum errc rc = read_chunk(g, &c, path, e);
	if (rc == ERR_OK && (!gather_take(g, &c, index) || gather_held(g) > g->max))
		rc = no_room(g, e);
	g->failed = rc == ERR_OVERLOADED;
	return rc;
}

enum errc gather_end(struct gather *g, struct str *ret, struct err *e)
{
	g->failed = g->failed || !close_message(g);
	if (g->failed)
		return no_room(g, e);
	*ret = g->out.len > 0 ? buf_view(&g->out) : STR("");
	return ERR_OK;
}
