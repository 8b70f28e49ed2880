/* GET /v1/search: messages with the words of q, best first, each with the matching text. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/reply.h"
#include "routes/kit/lookup.h"
#include "store/job.h"
#include "store/search.h"

enum {
	SEARCH_DEFAULT = 20,
	SEARCH_MAX = 50,
};

struct find {
	struct lookup      lookup;
	struct search_read read;
};

/* --- the answer --- */

static bool print_segments(const struct search_hit *h, struct buf *out)
{
	if (!buf_text(out, ",\"snippet\":\""))
		return false;
	for (size_t i = 0; i < h->segment_count; i++)
		if (!buf_json_escape(out, h->segments[i].text))
			return false;
	if (!buf_text(out, "\",\"segments\":["))
		return false;
	for (size_t i = 0; i < h->segment_count; i++)
		if (!buf_text(out, i > 0 ? ",{\"text\":" : "{\"text\":") ||
		    !buf_json_string(out, h->segments[i].text) ||
		    !buf_fmt(out, ",\"match\":%s}", h->segments[i].match ? "true" : "false"))
			return false;
	return buf_text(out, "]}");
}

static bool print_hit(const struct search_hit *h, struct buf *out)
{
	char conversation[ID_MAX];
	char message[ID_MAX];

	id_text(h->conversation, ID_CONVERSATION, conversation);
	id_text(h->message, ID_MESSAGE, message);
	if (!buf_fmt(out,
		     "{\"object\":\"search.result\",\"kind\":\"%s\",\"conversation\":\"%s\","
		     "\"title\":",
		     h->of_title ? "title" : "message", conversation) ||
	    !(h->title.n > 0 ? buf_json_string(out, h->title) : buf_text(out, "null")))
		return false;
	if (!(h->of_title ? buf_text(out, ",\"message_id\":null,\"role\":null")
			  : buf_fmt(out, ",\"message_id\":\"%s\",\"role\":\"%s\"", message,
				    search_role_name(h->role))))
		return false;
	return buf_fmt(out, ",\"created_at\":%lld,\"score\":%lld.%06lld",
		       (long long)(h->created_ms / 1000), (long long)(h->score / 1000000),
		       (long long)(h->score % 1000000)) &&
	       print_segments(h, out);
}

static bool search_print(struct lookup *l, struct buf *out)
{
	const struct search_read *read = &container_of(l, struct find, lookup)->read;
	bool                      more = read->next.n > 0;

	if (!buf_fmt(out,
		     "{\"object\":\"list\",\"has_more\":%s,\"next\":", more ? "true" : "false") ||
	    !(more ? buf_json_string(out, read->next) : buf_text(out, "null")) ||
	    !buf_fmt(out, ",\"complete\":%s,\"data\":[", read->complete ? "true" : "false"))
		return false;
	for (size_t i = 0; i < read->hit_count; i++)
		if ((i > 0 && !buf_text(out, ",")) || !print_hit(&read->hits[i], out))
			return false;
	return buf_text(out, "]}");
}

static const struct lookup_kind find_kind = {
	LOOKUP(struct find, read),
	LOOKUP_ARENA(struct find, read.arena, MIB),
	.print = search_print,
};

/* --- the question --- */

static bool search_refused(struct request *r, enum errc code, const char *param, const char *why)
{
	reply_refuse(r, code, param, why);
	return false;
}

static bool read_words(struct request *r, struct find *x)
{
	struct str q;

	if (!request_query(r, "q", 0, &q))
		return search_refused(r, ERR_MISSING_PARAMETER, "q",
				      "the words to search for are missing");
	if (q.n > LIMIT_SEARCH_QUERY)
		return search_refused(r, ERR_INVALID_VALUE, "q",
				      "must not be longer than 1024 bytes");
	if (q.n > 0 && (!utf8_valid(q.p, q.n) || memchr(q.p, '\0', q.n)))
		return search_refused(r, ERR_INVALID_VALUE, "q", "must be UTF-8 without NUL");
	x->read.query = arena_str(&x->read.arena, q);
	return x->read.query.p || search_refused(r, ERR_OVERLOADED, "", "no memory for the search");
}
_Static_assert(LIMIT_SEARCH_QUERY == 1024, "the message names it");

static bool search_read_role(struct request *r, int *ret)
{
	struct str text;

	*ret = -1;
	if (!request_query(r, "role", 0, &text))
		return true;
	for (int i = SEARCH_ROLE_OTHER + 1; i < SEARCH_ROLE_TITLE; i++)
		if (str_is(text, search_role_name((enum search_role)i))) {
			*ret = i;
			return true;
		}
	return search_refused(r, ERR_INVALID_VALUE, "role",
			      "must be one of: user, assistant, system, developer, tool, computer");
}

/* search_read_kind: a title has a role of its own in the index; after search_read_role. */
static bool search_read_kind(struct request *r, struct search_read *ret)
{
	struct str text;

	if (!request_query(r, "kind", 0, &text))
		return true;
	if (str_is(text, "message"))
		ret->no_titles = true;
	else if (str_is(text, "title") && ret->role < 0)
		ret->role = SEARCH_ROLE_TITLE;
	else
		return search_refused(r, ERR_INVALID_VALUE, "kind",
				      "must be one of: message, title; a title has no role");
	return true;
}

static bool read_question(struct request *r, struct find *x)
{
	struct str text;

	if (!read_words(r, x) || !page_limit(r, SEARCH_DEFAULT, SEARCH_MAX, &x->read.limit) ||
	    !search_read_role(r, &x->read.role) || !search_read_kind(r, &x->read))
		return false;
	if (request_query(r, "conversation", 0, &text) &&
	    !id_parse(text, ID_CONVERSATION, &x->read.conversation))
		return search_refused(r, ERR_NOT_FOUND, "conversation",
				      "there is no such conversation");
	if (!request_query(r, "after", 0, &text))
		return true;
	x->read.after = arena_str(&x->read.arena, text);
	return x->read.after.p || search_refused(r, ERR_OVERLOADED, "", "no memory for the search");
}

void search_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct find    *x = lookup_make(&find_kind, r, g);

	if (!x)
		return;
	x->read.owner = request_owner(r);
	if (read_question(r, x))
		lookup_start(&x->lookup, store_search_read(g->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}
