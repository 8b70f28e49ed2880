/* Translates ChatGPT's conversations.json to an archive. */

#include "archive/archive.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

static const struct json_limits element_limits = {
	.depth = LIMIT_JSON_DEPTH,
	.tokens = LIMIT_IMPORT_TOKENS,
};

enum {
	SEQUENCE_BITS = 20, /* bits of an id's key below its milliseconds */
	RECENT_MS = 1000,
};

#define NONE UINT32_MAX

struct node {
	json_at   key;     /* its name in mapping */
	json_at   message; /* JSON_ABSENT: none */
	uint32_t  parent;
	uint32_t  child; /* first; the others are next to it */
	uint32_t  next;
	bool      reached;
	struct id id; /* its message's, or what that of its children hangs on; none: nothing */
	int64_t   created_ms;
};

struct tree {
	const struct chatgpt  *c;
	const struct json_doc *doc;
	char                   path[40];
	struct node           *nodes; /* owned */
	uint32_t               count;
	uint32_t              *names; /* owned; places of nodes in the order of their names */
	struct buf            *out;
	struct buf             body;
	int64_t                created_ms;
	int64_t                last_key;
	struct chatgpt_losses *losses;
	struct err            *e;
};

void chatgpt_init(struct chatgpt *c, struct str text, int64_t now_ms)
{
	*c = (struct chatgpt){ .text = text, .now_ms = now_ms };
}

void chatgpt_finish(struct chatgpt *c)
{
	json_doc_finish(&c->doc);
}

/* --- cutting the array --- */

static void skip_space(struct chatgpt *c)
{
	while (c->at < c->text.n && strchr(" \t\r\n", c->text.p[c->at]) && c->text.p[c->at])
		c->at++;
}

/* The place after the value that begins at c->at: its brackets are counted, and the scanner
 * checks its content later.  Anything other than an object or array ends at the next comma or
 * bracket. */
static size_t end_of_value(const struct chatgpt *c)
{
	size_t depth = 0;
	bool   quoted = false;

	for (size_t i = c->at; i < c->text.n; i++) {
		char ch = c->text.p[i];

		if (quoted && ch == '\\')
			i++;
		else if (ch == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (ch == '{' || ch == '[')
			depth++;
		else if ((ch == '}' || ch == ']') && depth > 0 && --depth == 0)
			return i + 1;
		else if ((ch == ']' || ch == ',') && depth == 0)
			return i;
	}
	return c->text.n;
}

static enum errc bad_array(const struct chatgpt *c, const char *what, struct err *e)
{
	return err_set(e, ERR_INVALID_JSON, "", "at byte %zu: %s", c->at, what);
}

/* The next element; *ret.p NULL: there is none. */
static enum errc chatgpt_cut(struct chatgpt *c, struct str *ret, struct err *e)
{
	*ret = STR_NONE;
	if (c->count == 0 && c->at == 0) {
		if (str_starts(c->text, STR("\xef\xbb\xbf")))
			c->at = 3;
		skip_space(c);
		if (c->at == c->text.n || c->text.p[c->at] != '[')
			return bad_array(c, "an array of conversations is expected", e);
		c->at++;
	}
	skip_space(c);
	bool end = c->at < c->text.n && c->text.p[c->at] == ']';
	if (!end && c->count > 0) {
		if (c->at == c->text.n || c->text.p[c->at] != ',')
			return bad_array(c, "a comma or the end of the array is expected", e);
		c->at++;
		skip_space(c);
	}
	if (end) {
		c->at++;
		skip_space(c);
		if (c->at < c->text.n)
			return bad_array(c, "nothing may stand behind the array", e);
		c->at = c->text.n - 1; /* here it is met again */
		while (c->text.p[c->at] != ']')
			c->at--;
		return ERR_OK;
	}
	size_t to = end_of_value(c);
	*ret = (struct str){ c->text.p + c->at, to - c->at };
	c->at = to;
	return ERR_OK;
}

/* --- the tree --- */

static enum errc chatgpt_refuse(struct tree *t, enum errc code, const char *member,
				const char *text)
{
	err_set(t->e, code, member, "%s", text);
	err_at(t->e, t->path);
	return code;
}

static enum errc refuse_node(struct tree *t, json_at key, const char *member, const char *text)
{
	struct str name = json_inner(t->doc, key);
	char       path[120];

	snprintf(path, sizeof path, "mapping.%.*s%s%s", (int)(name.n < 64 ? name.n : 64), name.p,
		 member[0] ? "." : "", member);
	return chatgpt_refuse(t, ERR_INVALID_VALUE, path, text);
}

/* Names are compared with their escapes, because they are UUIDs or alike. */
static int compare_names(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;
	struct str         x = json_inner(t->doc, t->nodes[*(const uint32_t *)a].key);
	struct str         y = json_inner(t->doc, t->nodes[*(const uint32_t *)b].key);
	int                order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

	return order != 0 ? order : (x.n > y.n) - (x.n < y.n);
}

static uint32_t find_node(const struct tree *t, json_at name)
{
	struct str wanted = json_inner(t->doc, name);
	uint32_t   low = 0;
	uint32_t   high = t->count;

	while (low < high) {
		uint32_t   middle = low + (high - low) / 2;
		struct str s = json_inner(t->doc, t->nodes[t->names[middle]].key);
		int        order = memcmp(s.p, wanted.p, s.n < wanted.n ? s.n : wanted.n);

		if (order == 0)
			order = (s.n > wanted.n) - (s.n < wanted.n);
		if (order == 0)
			return t->names[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NONE;
}

static enum errc read_nodes(struct tree *t, json_at mapping)
{
	const struct json_doc *d = t->doc;
	uint32_t               n = 0;

	t->count = d->tok[mapping].count;
	t->nodes = calloc(t->count + 1, sizeof *t->nodes);
	t->names = calloc(t->count + 1, sizeof *t->names);
	if (!t->nodes || !t->names)
		return err_no_memory(t->e);
	for (json_at k = json_first(d, mapping); k != json_end(d, mapping);
	     k = json_next_member(d, k), n++) {
		json_at message = json_get_some(d, json_value(k), "message");

		if (json_kind(d, json_value(k)) != JSON_OBJECT)
			return refuse_node(t, k, "", "must be an object");
		if (message != JSON_ABSENT && json_kind(d, message) != JSON_OBJECT)
			return refuse_node(t, k, "message", "must be an object or null");
		t->nodes[n] = (struct node){
			.key = k, .message = message, .parent = NONE, .child = NONE, .next = NONE
		};
		t->names[n] = n;
	}
	qsort_r(t->names, t->count, sizeof *t->names, compare_names, t);
	for (uint32_t i = 1; i < t->count; i++)
		if (compare_names(&t->names[i - 1], &t->names[i], t) == 0)
			return refuse_node(t, t->nodes[t->names[i]].key, "", "is given twice");
	return ERR_OK;
}

/* Whose child each node is.  Children keep the order of the file. */
static enum errc join_nodes(struct tree *t)
{
	const struct json_doc *d = t->doc;

	for (uint32_t i = t->count; i-- > 0;) {
		struct node *node = &t->nodes[i];
		json_at      parent = json_get_some(d, json_value(node->key), "parent");

		if (parent == JSON_ABSENT)
			continue;
		if (json_kind(d, parent) != JSON_STRING)
			return refuse_node(t, node->key, "parent", "must be a string or null");
		node->parent = find_node(t, parent);
		if (node->parent == NONE)
			return refuse_node(t, node->key, "parent", "there is no such node");
		node->next = t->nodes[node->parent].child;
		t->nodes[node->parent].child = i;
	}
	return ERR_OK;
}

/* --- lines --- */

/* Seconds with a fraction; what is no time, or one to come, is none. */
static int64_t read_time(const struct tree *t, json_at at, int64_t otherwise)
{
	double seconds;

	if (at == JSON_ABSENT || !json_number(t->doc, at, &seconds) || !(seconds > 0) ||
	    seconds * 1000 > (double)t->c->now_ms)
		return otherwise;
	return (int64_t)(seconds * 1000 + 0.5);
}

/* The id is as old as what it names, and greater than all before it; but not of the last second,
 * in which others make theirs. */
static struct id chatgpt_make_id(struct tree *t, int64_t ms)
{
	int64_t latest = t->c->now_ms - RECENT_MS;
	int64_t key;

	if (ms > latest)
		ms = latest;
	key = (ms > 0 ? ms : 1) << SEQUENCE_BITS |
	      (int64_t)(id_random() & ((1u << SEQUENCE_BITS) - 1));
	if (key <= t->last_key)
		key = t->last_key + 1;
	t->last_key = key;
	return (struct id){ key, id_random() };
}

static enum errc put_node(struct tree *t, struct node *node)
{
	struct archive_line    line = { .kind = ARCHIVE_MESSAGE };
	struct chatgpt_content content = { .doc = t->doc, .out = &t->body };
	const struct node     *parent = node->parent == NONE ? NULL : &t->nodes[node->parent];

	node->reached = true;
	node->id = parent ? parent->id : (struct id){ 0 };
	node->created_ms = parent ? parent->created_ms : t->created_ms;
	if (node->message == JSON_ABSENT)
		return ERR_OK;
	node->created_ms =
		read_time(t, json_get_some(t->doc, node->message, "create_time"), node->created_ms);
	buf_clear(&t->body);
	if (!chatgpt_content_put(&content, node->message))
		return content.problem ? refuse_node(t, node->key, content.member, content.problem)
				       : err_no_memory(t->e);
	t->losses->media += content.media;
	t->losses->content += content.left_out;
	if (t->body.len == 0)
		return ERR_OK;
	line.as.message = (struct archive_message){
		.id = chatgpt_make_id(t, node->created_ms),
		.parent = node->id,
		.created_ms = node->created_ms,
		.body = buf_view(&t->body),
	};
	node->id = line.as.message.id;
	return archive_line_print(t->out, &line) ? ERR_OK : err_no_memory(t->e);
}

/* Puts each node before its children, and the children in their order. */
static enum errc put_tree(struct tree *t, uint32_t root)
{
	uint32_t i = root;

	for (;;) {
		if (put_node(t, &t->nodes[i]) != ERR_OK)
			return t->e->code;
		if (t->nodes[i].child != NONE) {
			i = t->nodes[i].child;
			continue;
		}
		while (i != root && t->nodes[i].next == NONE)
			i = t->nodes[i].parent;
		if (i == root)
			return ERR_OK;
		i = t->nodes[i].next;
	}
}

static enum errc put_nodes(struct tree *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (t->nodes[i].parent == NONE && put_tree(t, i) != ERR_OK)
			return t->e->code;
	for (uint32_t i = 0; i < t->count; i++)
		if (!t->nodes[i].reached)
			return refuse_node(t, t->nodes[i].key, "parent",
					   "no way leads from this node to a root");
	return ERR_OK;
}

/* --- the conversation's own line --- */

static struct str text_member(struct tree *t, const char *first, const char *second,
			      struct arena *arena)
{
	json_at    at = json_get_some(t->doc, 0, first);
	struct str text;

	if (at == JSON_ABSENT && second)
		at = json_get_some(t->doc, 0, second);
	if (at == JSON_ABSENT || !json_text(t->doc, at, arena, &text) || text.n == 0 ||
	    memchr(text.p, '\0', text.n))
		return STR_NONE;
	return text;
}

/* The longest start of at most max bytes that is whole characters. */
static struct str shorten_text(struct str s, size_t max)
{
	if (s.n <= max)
		return s;
	while (max > 0 && ((unsigned char)s.p[max] & 0xc0) == 0x80)
		max--;
	return (struct str){ s.p, max };
}

/* The newest message: what current_node leads to, else the last one made. */
static enum errc find_tip(struct tree *t, struct id *ret)
{
	json_at  at = json_get_some(t->doc, 0, "current_node");
	uint32_t i;

	*ret = (struct id){ 0 };
	if (at == JSON_ABSENT) {
		for (i = 0; i < t->count; i++)
			if (t->nodes[i].id.key > ret->key)
				*ret = t->nodes[i].id;
		return ERR_OK;
	}
	if (json_kind(t->doc, at) != JSON_STRING)
		return chatgpt_refuse(t, ERR_INVALID_TYPE, "current_node", "must be a string");
	i = find_node(t, at);
	if (i == NONE)
		return chatgpt_refuse(t, ERR_INVALID_VALUE, "current_node",
				      "there is no such node");
	*ret = t->nodes[i].id;
	return ERR_OK;
}

static enum errc chatgpt_put_head(struct tree *t, struct id id, struct buf *out)
{
	struct archive_line line = { .kind = ARCHIVE_CONVERSATION };
	struct arena        arena;
	struct buf          metadata;
	struct id           tip;

	if (find_tip(t, &tip) != ERR_OK)
		return t->e->code;
	arena_init(&arena, 2 * (size_t)LIMIT_STORE_ROW);
	buf_init(&metadata, 16 * KIB);
	struct str source = text_member(t, "conversation_id", "id", &arena);
	bool       ok = buf_text(&metadata, "{\"imported_from\":\"chatgpt\"");

	source = shorten_text(source, LIMIT_METADATA_VALUE);
	if (source.p)
		ok = ok && buf_text(&metadata, ",\"chatgpt_id\":") &&
		     buf_json_string(&metadata, source);
	ok = ok && buf_text(&metadata, "}");
	line.as.conversation = (struct archive_conversation){
		.id = id,
		.created_ms = t->created_ms,
		.revision = 1,
		.title = shorten_text(text_member(t, "title", NULL, &arena), LIMIT_TITLE),
		.metadata = buf_view(&metadata),
		.source = source,
		.tip = tip,
	};
	ok = ok && archive_line_print(out, &line);
	buf_finish(&metadata);
	arena_finish(&arena);
	return ok ? ERR_OK : err_no_memory(t->e);
}

/* The messages come first, because the conversation's line has their ids. */
static enum errc chatgpt_put_all(struct tree *t, struct buf *out)
{
	json_at mapping = json_get_some(t->doc, 0, "mapping");

	if (json_kind(t->doc, 0) != JSON_OBJECT)
		return chatgpt_refuse(t, ERR_INVALID_TYPE, "", "a conversation must be an object");
	if (mapping == JSON_ABSENT)
		return chatgpt_refuse(t, ERR_MISSING_PARAMETER, "mapping",
				      "is missing; this is no conversation of a ChatGPT export");
	if (json_kind(t->doc, mapping) != JSON_OBJECT)
		return chatgpt_refuse(t, ERR_INVALID_TYPE, "mapping", "must be an object");
	if (t->doc->tok[mapping].count > LIMIT_ARCHIVE_LINES)
		return chatgpt_refuse(t, ERR_REQUEST_TOO_LARGE, "mapping",
				      "the conversation is too long");
	t->created_ms = read_time(t, json_get_some(t->doc, 0, "create_time"), t->c->now_ms);
	struct id id = chatgpt_make_id(t, t->created_ms);
	t->last_key = 0;
	if (read_nodes(t, mapping) != ERR_OK || join_nodes(t) != ERR_OK || put_nodes(t) != ERR_OK ||
	    chatgpt_put_head(t, id, out) != ERR_OK)
		return t->e->code;
	return buf_str(out, buf_view(t->out)) ? ERR_OK : err_no_memory(t->e);
}

enum errc chatgpt_next(struct chatgpt *c, struct buf *out, struct chatgpt_losses *ret_losses,
		       bool *ret_more, struct err *e)
{
	struct buf  lines;
	struct tree t = { .c = c, .doc = &c->doc, .out = &lines, .losses = ret_losses, .e = e };
	struct str  text;

	*e = (struct err){ .code = ERR_OK };
	*ret_losses = (struct chatgpt_losses){ 0 };
	if (chatgpt_cut(c, &text, e) != ERR_OK)
		return e->code;
	*ret_more = text.p != NULL;
	if (!text.p)
		return ERR_OK;
	snprintf(t.path, sizeof t.path, "conversations[%zu]", c->count++);
	if (text.n > LIMIT_IMPORT_ELEMENT)
		return chatgpt_refuse(&t, ERR_REQUEST_TOO_LARGE, "",
				      "the conversation is too large");
	if (json_scan(&c->doc, text.p, text.n, &element_limits, e) != ERR_OK) {
		err_at(e, t.path);
		return e->code;
	}
	/* Escapes of what surrounds a text are all that it gets longer by. */
	buf_init(&lines, 2 * (size_t)LIMIT_IMPORT_ELEMENT);
	buf_init(&t.body, LIMIT_STORE_ROW);
	enum errc rc = chatgpt_put_all(&t, out);
	buf_finish(&t.body);
	buf_finish(&lines);
	free(t.nodes);
	free(t.names);
	return rc;
}
