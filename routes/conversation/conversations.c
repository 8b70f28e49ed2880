/* GET /v1/conversations/{id}, its items and one of them, as in OpenAI's API. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "base/money.h"
#include "http/reply.h"
#include "routes/conversation/conversation.h"
#include "routes/kit/lookup.h"
#include "store/conversation.h"

#include <stdio.h>

enum {
	ITEMS_DEFAULT = 20,
	ITEMS_MAX = 100,
	PAGE_HEAD = 512, /* bytes before a page's data, two ids included */
};

static bool conversations_conversation_id(struct request *r, struct id *ret)
{
	return lookup_id(r, ID_CONVERSATION, "there is no such conversation", ret);
}

/* --- one conversation --- */

struct get {
	struct lookup            lookup;
	struct conversation_read read;
	struct etag              match;
	struct etag              none_match;
};

static bool conversations_print_found(struct lookup *l, struct buf *out)
{
	const struct store_conversation *found = &container_of(l, struct get, lookup)->read.found;

	etag_send(l->request, found->revision, found->titled == TITLED_BY_MODEL);
	return conversation_print(out, found, &l->gateway->keep);
}

/* etag_matches: If-Match; etag_same: If-None-Match. */
static bool etag_matches(const struct etag *tag, int64_t revision)
{
	for (size_t i = 0; i < tag->count; i++)
		if (tag->revisions[i] == revision)
			return true;
	return tag->any;
}

static bool etag_same(const struct etag *tag, int64_t revision, bool titled)
{
	for (size_t i = 0; i < tag->count; i++)
		if (tag->revisions[i] == revision && tag->titled[i] == titled)
			return true;
	return tag->any;
}

static enum errc conversations_get_came(struct lookup *l, struct err *e)
{
	const struct get *x = container_of(l, struct get, lookup);
	int64_t           revision = x->read.found.revision;
	bool              titled = x->read.found.titled == TITLED_BY_MODEL;

	if (x->match.given && !etag_matches(&x->match, revision))
		return err_set(e, ERR_PRECONDITION_FAILED, "", "the conversation has changed");
	if (etag_same(&x->none_match, revision, titled)) {
		etag_send(l->request, revision, titled);
		reply_static(TAKE(l->request), 304, NULL, STR_NONE);
	}
	return ERR_OK;
}

static const struct lookup_kind get_kind = {
	LOOKUP(struct get, read),
	LOOKUP_ARENA(struct get, read.arena, MIB),
	.came = conversations_get_came,
	.print = conversations_print_found,
};

void conversations_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;
	struct get *x = conversations_conversation_id(r, &id) ? lookup_make(&get_kind, r, g) : NULL;

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.conversation = id;
	x->match = etag_parse(request_view(r)->head.if_match, false);
	x->none_match = etag_parse(request_view(r)->head.if_none_match, true);
	lookup_start(&x->lookup, store_conversation_read(g->store, &x->read));
}

/* --- its items --- */

struct list {
	struct lookup     lookup;
	struct items_read read;
};

/* The head of a page is known only after its data. So room is left before the data, and the unused
 * part is removed at the end. */
static bool conversations_print_list(const struct items_read *read, struct items *items,
				     struct buf *out)
{
	static const char room[PAGE_HEAD];
	struct buf        head;

	if (!buf_add(out, room, sizeof room))
		return false;
	for (size_t i = 0; i < read->item_count; i++)
		if (!items_push(items, &read->items[i]))
			return false;
	if (!buf_text(out, "]}"))
		return false;

	buf_init(&head, sizeof room);
	bool ok = page_head(&head, items->first, items->last, read->has_more) &&
		  buf_text(&head, ",\"data\":[");
	if (ok) {
		memcpy(out->data + sizeof room - head.len, head.data, head.len);
		buf_take_front(out, sizeof room - head.len);
	}
	buf_finish(&head);
	return ok;
}

static bool conversations_print_items(struct lookup *l, struct buf *out)
{
	struct list *x = container_of(l, struct list, lookup);
	struct items items;

	items_init(&items, out);
	bool ok = conversations_print_list(&x->read, &items, out);
	items_finish(&items);
	return ok;
}

static size_t conversations_list_bytes(const struct lookup *l)
{
	const struct items_read *read = &container_of(l, struct list, lookup)->read;
	size_t                   bytes = 0;

	for (size_t i = 0; i < read->item_count; i++)
		bytes += read->items[i].message.body.n;
	return bytes;
}

static const struct lookup_kind list_kind = {
	LOOKUP(struct list, read),
	/* A page has room for the largest message. */
	LOOKUP_ARENA(struct list, read.arena, LIMIT_STORE_ROW + MIB),
	.bytes = conversations_list_bytes,
	.print = conversations_print_items,
};

/* conversations_read_query: reads limit, order and after; false: refused. */
static bool conversations_read_query(struct request *r, struct items_read *ret)
{
	struct str text;

	ret->descending = true;
	if (!page_limit(r, ITEMS_DEFAULT, ITEMS_MAX, &ret->limit) ||
	    !page_order(r, &ret->descending))
		return false;
	/* An empty cursor means no cursor, because some clients always send the parameter. */
	if (request_query(r, "after", 0, &text) && !items_cursor(text, &ret->after)) {
		reply_refuse(r, ERR_INVALID_VALUE, "after",
			     "must be the id of an item of this list");
		return false;
	}
	return true;
}

void conversations_items(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	if (conversations_conversation_id(r, &x->read.conversation) &&
	    conversations_read_query(r, &x->read))
		lookup_start(&x->lookup, store_items_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

void conversations_input_items(struct request *r, void *app)
{
	struct gateway *g = app;
	struct list    *x = lookup_make(&list_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.page_bytes = LIMIT_ITEMS_PAGE;
	if (lookup_id(r, request_family(r)->run_id, "there is no such response", &x->read.run) &&
	    conversations_read_query(r, &x->read))
		lookup_start(&x->lookup, store_items_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

/* --- one item --- */

struct one {
	struct lookup    lookup;
	struct item_read read;
	char             id[ITEM_ID_MAX]; /* the id as asked for */
	struct buf       made;            /* array of the message's items */
	struct json_doc  doc;
	json_at          found;
};

static bool make_items(struct one *x)
{
	struct items items;

	items_init(&items, &x->made);
	bool ok = buf_text(&x->made, "[") && items_push(&items, &x->read.item) &&
		  buf_text(&x->made, "]");
	items_finish(&items);
	return ok;
}

static enum errc conversations_pick(struct one *x, struct err *e)
{
	if (!make_items(x))
		return err_set(e, ERR_INTERNAL, "", "the item could not be made");
	if (json_scan(&x->doc, x->made.data, x->made.len, &json_limits_stored, e) != ERR_OK)
		return e->code;
	JSON_EACH (i, &x->doc, 0)
		if (json_is(&x->doc, json_get(&x->doc, i, "id"), x->id)) {
			x->found = i;
			return ERR_OK;
		}
	return err_set(e, ERR_NOT_FOUND, "", "there is no such item");
}

static bool conversations_print_one(struct lookup *l, struct buf *out)
{
	struct one *x = container_of(l, struct one, lookup);

	return conversations_pick(x, &l->why) == ERR_OK &&
	       buf_str(out, json_raw(&x->doc, x->found));
}

static void one_finish(struct lookup *l)
{
	struct one *x = container_of(l, struct one, lookup);

	buf_finish(&x->made);
	json_doc_finish(&x->doc);
}

static size_t one_bytes(const struct lookup *l)
{
	return container_of(l, struct one, lookup)->read.item.message.body.n;
}

static const struct lookup_kind one_kind = {
	LOOKUP(struct one, read), LOOKUP_ARENA(struct one, read.arena, LIMIT_STORE_ROW + MIB),
	.bytes = one_bytes,       .print = conversations_print_one,
	.finish = one_finish,
};

void conversations_item(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       conversation;
	struct id       message;

	if (!conversations_conversation_id(r, &conversation))
		return;
	if (request_param(r, 1).n >= ITEM_ID_MAX || !items_cursor(request_param(r, 1), &message)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such item");
		return;
	}
	struct one *x = lookup_make(&one_kind, r, g);
	if (!x)
		return;
	x->read.owner = request_owner(r);
	x->read.conversation = conversation;
	x->read.message = message;
	str_copy(x->id, sizeof x->id, request_param(r, 1));
	buf_init(&x->made, 2 * LIMIT_BRANCH_BYTES);
	lookup_start(&x->lookup, store_item_read(g->store, &x->read));
}

static bool conversation_print_members(struct buf *out, const struct store_conversation *c,
				       const struct store_keep *keep) MUST_USE;

/* --- conversation_list: The list of conversations, which OpenAI's API lacks. */

enum {
	LIST_DEFAULT = 20,
	LIST_MAX = 100,
};

struct conversation_list {
	struct lookup             lookup;
	struct conversations_read read;
};

static bool conversation_list_print_line(struct buf *out, const struct conversation_line *line,
					 const struct store_keep *keep)
{
	char cost[MONEY_TEXT];

	if (!conversation_print_members(out, &line->conversation, keep) ||
	    !buf_fmt(out, ",\"updated_at\":%lld,\"message_count\":%lld,\"cost\":",
		     (long long)(line->conversation.changed_ms / 1000), (long long)line->messages))
		return false;
	if (!(line->costs ? buf_fmt(out, "\"%s\"", money_print(line->cost_nano, cost))
			  : buf_text(out, "null")) ||
	    !buf_text(out, ",\"model\":") ||
	    !(line->model.n > 0 ? buf_json_string(out, line->model) : buf_text(out, "null")))
		return false;
	return buf_text(out, ",\"excerpt\":") && buf_json_string(out, line->excerpt) &&
	       buf_text(out, "}");
}

static bool conversation_list_print_list(struct lookup *l, struct buf *out)
{
	const struct conversations_read *read =
		&container_of(l, struct conversation_list, lookup)->read;
	char   first[ID_MAX] = "", last[ID_MAX] = "";
	size_t n = read->line_count;

	if (n > 0) {
		id_text(read->lines[0].conversation.id, ID_CONVERSATION, first);
		id_text(read->lines[n - 1].conversation.id, ID_CONVERSATION, last);
	}
	if (!page_head(out, first, last, read->has_more) || !buf_text(out, ",\"data\":["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && !buf_text(out, ",")) ||
		    !conversation_list_print_line(out, &read->lines[i], &l->gateway->keep))
			return false;
	return buf_text(out, "]}");
}

static const struct lookup_kind conversation_list_kind = {
	LOOKUP(struct conversation_list, read),
	LOOKUP_ARENA(struct conversation_list, read.arena, 8 * MIB),
	.print = conversation_list_print_list,
};

static bool read_place(struct request *r, struct conversations_read *ret)
{
	ret->descending = true;
	if (!page_order(r, &ret->descending))
		return false;
	return page_after(r, ID_CONVERSATION, "must be the id of a conversation of this list",
			  &ret->after);
}

/* read_which: origin, pinned and sort, of which each list has an index; false: refused. */
static bool read_which(struct request *r, struct conversations_read *ret)
{
	struct str origin = STR_NONE, pinned = STR_NONE, sort = STR_NONE;

	(void)request_query(r, "origin", 0, &origin);
	(void)request_query(r, "pinned", 0, &pinned);
	(void)request_query(r, "sort", 0, &sort);
	if (origin.n > 0 && !str_is(origin, "console") && !str_is(origin, "api")) {
		reply_refuse(r, ERR_INVALID_VALUE, "origin", "must be \"console\" or \"api\"");
	} else if (pinned.n > 0 && !str_is(pinned, "true")) {
		reply_refuse(r, ERR_INVALID_VALUE, "pinned", "must be true, or absent");
	} else if (sort.n > 0 && !str_is(sort, "created") && !str_is(sort, "recent")) {
		reply_refuse(r, ERR_INVALID_VALUE, "sort", "must be \"created\" or \"recent\"");
	} else if (str_is(sort, "recent") && (!str_is(origin, "console") || pinned.n > 0)) {
		reply_refuse(r, ERR_INVALID_VALUE, "sort",
			     "the order \"recent\" needs origin=console, and goes without pinned");
	} else if (origin.n > 0 && pinned.n > 0) {
		reply_refuse(r, ERR_INVALID_VALUE, "pinned",
			     "the pinned conversations of both origins are one list");
	} else {
		ret->of = pinned.n > 0                ? CONVERSATIONS_PINNED
			  : str_is(sort, "recent")    ? CONVERSATIONS_RECENT
			  : str_is(origin, "console") ? CONVERSATIONS_CONSOLE
			  : str_is(origin, "api")     ? CONVERSATIONS_PROGRAM
						      : CONVERSATIONS_ALL;
		return true;
	}
	return false;
}

/* read_labels: false: refused. */
static bool read_labels(struct request *r, struct conversations_read *ret)
{
	if (!label_filter_read(r, &ret->arena, &ret->labels))
		return false;
	if (!ret->labels.key.p || ret->of == CONVERSATIONS_ALL)
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "metadata",
		     "a list by metadata has no other filter or order");
	return false;
}

void conversation_list_get(struct request *r, void *app)
{
	struct gateway           *g = app;
	struct conversation_list *x = lookup_make(&conversation_list_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	if (page_limit(r, LIST_DEFAULT, LIST_MAX, &x->read.limit) && read_place(r, &x->read) &&
	    read_which(r, &x->read) && read_labels(r, &x->read))
		lookup_start(&x->lookup, store_conversations_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

/* --- conversation_print: Prints the conversation object of OpenAI's API, with its title if there is one. */

static bool conversation_is_kept(const struct store_conversation *c)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            kept =
		json_scan(&d, c->metadata.p, c->metadata.n, &json_limits_stored, &e) == ERR_OK &&
		json_get_is(&d, 0, "keep", "true");

	json_doc_finish(&d);
	return kept;
}

/* conversation_print_expiry: nothing where nothing ends its time. */
static bool conversation_print_expiry(struct buf *out, const struct store_conversation *c,
				      const struct store_keep *keep)
{
	int64_t ms = c->keep_ms;

	if (keep->conversations_ms > 0 && (ms == 0 || keep->conversations_ms < ms))
		ms = keep->conversations_ms;
	if (ms == 0 || (keep->pins && c->metadata.n > 0 && conversation_is_kept(c)))
		return true;
	return buf_fmt(out, ",\"expires_at\":%lld", (long long)((c->changed_ms + ms) / 1000));
}

/* conversation_print_members: without the brace that ends it. */
static bool conversation_print_ceiling(struct buf *out, const struct store_ceiling *c)
{
	int64_t gone = c->spent_nano + c->reserved_nano;
	int64_t left = c->limit_nano > gone ? c->limit_nano - gone : 0;
	char    limit[MONEY_TEXT], spent[MONEY_TEXT], reserved[MONEY_TEXT], rest[MONEY_TEXT];

	return buf_fmt(out,
		       ",\"budget\":{\"limit\":\"%s\",\"spent\":\"%s\",\"reserved\":\"%s\","
		       "\"left\":\"%s\"}",
		       money_print(c->limit_nano, limit), money_print(c->spent_nano, spent),
		       money_print(c->reserved_nano, reserved), money_print(left, rest));
}

static bool conversation_print_members(struct buf *out, const struct store_conversation *c,
				       const struct store_keep *keep)
{
	static const char *const by[] = {
		[TITLED_BY_USER] = "user",
		[TITLED_BY_MODEL] = "model",
		[TITLED_BY_WORDS] = "words",
	};
	struct str title = c->title.n > 0 ? c->title : c->opening;
	char       id[ID_MAX];

	id_text(c->id, ID_CONVERSATION, id);
	if (!buf_fmt(out,
		     "{\"id\":\"%s\",\"object\":\"conversation\",\"created_at\":%lld,\"metadata\":",
		     id, (long long)(c->created_ms / 1000)) ||
	    !buf_str(out, c->metadata.n ? c->metadata : STR("{}")))
		return false;
	if (title.n > 0 && (!buf_text(out, ",\"title\":") || !buf_json_string(out, title) ||
			    !buf_fmt(out, ",\"title_source\":\"%s\"", by[c->titled])))
		return false;
	return buf_fmt(out, ",\"origin\":\"%s\",\"pinned\":%s",
		       c->origin == ORIGIN_CONSOLE ? "console" : "api",
		       c->pinned ? "true" : "false") &&
	       conversation_print_expiry(out, c, keep) &&
	       (c->ceiling.limit_nano == 0 || conversation_print_ceiling(out, &c->ceiling));
}

bool conversation_print(struct buf *out, const struct store_conversation *c,
			const struct store_keep *keep)
{
	return conversation_print_members(out, c, keep) && buf_text(out, "}");
}

/* --- etag: Entity tags (RFC 9110 section 8.8.3): a revision in quotes. */

#define ETAG_TITLED ".t"

/* The number in quotes at the start of s; 0: not a tag of the gateway. */
static int64_t revision_of(struct str s, bool *ret_titled)
{
	int64_t v = 0;
	size_t  i = 1;

	if (s.n < 3 || s.p[0] != '"' || s.p[1] == '0')
		return 0;
	for (; i < s.n && i < 19 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		v = v * 10 + (s.p[i] - '0');
	struct str rest = { s.p + i, s.n - i };
	*ret_titled = str_is(rest, ETAG_TITLED "\"");
	return i > 1 && (*ret_titled || str_is(rest, "\"")) ? v : 0;
}

static struct str trim_spaces(struct str s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* A comma inside the quotes of a foreign tag cuts it into two tags, which are foreign too. */
struct etag etag_parse(struct str header, bool weak)
{
	struct etag tag = { .given = header.p != NULL };

	while (header.p && header.n > 0) {
		const char *comma = memchr(header.p, ',', header.n);
		size_t      n = comma ? (size_t)(comma - header.p) : header.n;
		struct str  one = trim_spaces((struct str){ header.p, n });

		header = (struct str){ header.p + n + (comma ? 1 : 0),
				       header.n - n - (comma ? 1 : 0) };
		if (weak && str_starts(one, STR("W/")))
			one = (struct str){ one.p + 2, one.n - 2 };
		tag.any |= str_is(one, "*");
		bool    titled = false;
		int64_t revision = revision_of(one, &titled);
		if (revision > 0 && tag.count < STORE_REVISIONS) {
			tag.titled[tag.count] = titled;
			tag.revisions[tag.count++] = revision;
		}
	}
	return tag;
}

void etag_send(struct request *r, int64_t revision, bool titled)
{
	char text[32];

	snprintf(text, sizeof text, "\"%lld%s\"", (long long)revision, titled ? ETAG_TITLED : "");
	reply_header(r, "ETag", str_of(text));
}
