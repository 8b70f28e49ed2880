/* Waits for one job of the store and prints its result; client and job may end in any order. */
#include "routes/kit/lookup.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "http/reply.h"

#include <stdio.h>
#include <stdlib.h>

/* Room for the largest rows and the text around them. */
enum { BODY_MAX = 2 * LIMIT_STORE_ROW + 8 * MIB };

static struct store_job *job_of(struct lookup *l)
{
	return (struct store_job *)(void *)(l + 1);
}

static struct arena *arena_of(struct lookup *l)
{
	return (struct arena *)(void *)((char *)l + l->kind->arena);
}

static void lookup_destroy(struct lookup *l)
{
	if (l->kind->finish)
		l->kind->finish(l);
	if (l->kind->arena)
		arena_finish(arena_of(l));
	buf_finish(&l->body);
	free(l);
}

void lookup_refuse(struct lookup *l, const struct err *e)
{
	if (l->request && e)
		reply_error(l->request, e);
	lookup_destroy(l);
}

/* --- the answer --- */

static void lookup_print_body(struct lookup *l)
{
	if (!l->kind->print(l, &l->body) && l->why.code == ERR_OK)
		err_set(&l->why, ERR_INTERNAL, "", "the answer could not be made");
}

static void lookup_answer(struct lookup *l)
{
	if (l->request && l->why.code == ERR_OK && l->kind->type)
		reply_text_take(l->request, 200, l->kind->type, &l->body);
	else if (l->request && l->why.code == ERR_OK)
		reply_json_take(l->request, 200, &l->body);
	lookup_refuse(l, l->why.code != ERR_OK ? &l->why : NULL);
}

static void work_print(struct work_job *job)
{
	lookup_print_body(container_of(job, struct lookup, work));
}

static void on_printed(struct work_job *job)
{
	lookup_answer(container_of(job, struct lookup, work));
}

static void lookup_print(struct lookup *l, size_t bytes)
{
	struct gateway *g = l->gateway;

	buf_init(&l->body, BODY_MAX);
	l->work = (struct work_job){ .loop = g->loop, .run = work_print, .done = on_printed };
	if (bytes <= LIMIT_TRANSLATE_LOOP) {
		lookup_print_body(l);
		lookup_answer(l);
	} else if (!work_submit(l->kind->cpu ? g->cpu : g->work, &l->work)) {
		err_set(&l->why, ERR_OVERLOADED, "",
			"too much is waiting to be printed; try again");
		lookup_answer(l);
	}
}

static void lookup_on_done(struct store_job *job)
{
	struct lookup *l = (struct lookup *)(void *)job - 1;
	struct err     e = job->err;

	if (e.code != ERR_OK && l->kind->failed)
		l->kind->failed(l, &e);
	if (e.code == ERR_OK && l->request && l->kind->came)
		e.code = l->kind->came(l, &e);
	if (e.code != ERR_OK || !l->request)
		lookup_refuse(l, &e);
	else
		lookup_print(l, l->kind->bytes ? l->kind->bytes(l) : 0);
}

/* --- the start --- */

void *lookup_make(const struct lookup_kind *kind, struct request *r, struct gateway *g)
{
	struct lookup *l = calloc(1, kind->size);
	struct err     e;

	if (!l) {
		err_no_memory(&e);
		reply_error(r, &e);
		return NULL;
	}
	*l = (struct lookup){ .kind = kind, .gateway = g, .request = r };
	job_of(l)->loop = g->loop;
	job_of(l)->done = lookup_on_done;
	if (kind->arena)
		arena_init(arena_of(l), kind->arena_max);
	return l;
}

static void lookup_client_left(void *arg)
{
	struct lookup *l = arg;

	l->request = NULL;
	atomic_store_explicit(&job_of(l)->cancelled, true, memory_order_relaxed);
}

void lookup_start(struct lookup *l, bool started)
{
	struct err e;

	if (started) {
		request_on_left(l->request, lookup_client_left, l);
		return;
	}
	err_set(&e, ERR_OVERLOADED, "", "too many reads are waiting");
	lookup_refuse(l, &e);
}

bool lookup_id(struct request *r, const char *prefix, const char *missing, struct id *ret)
{
	bool ok = id_parse(request_param(r, 0), prefix, ret);

	if (!ok)
		reply_refuse(r, ERR_NOT_FOUND, "", missing);
	return ok;
}

/* --- audit --- */

void audit_request(const struct request *r, enum audit_action action, struct str object,
		   struct audit_entry *ret)
{
	const struct request_view *v = request_view(r);
	_Static_assert((int)AUDIT_ADDRESS >= (int)PEER_TEXT &&
			       (int)AUDIT_ACTOR >= (int)IDENTITY_ID_MAX,
		       "what is noted has room");

	audit_begin(ret, action, v->by.who->id[0] ? v->by.who->id : "nobody");
	request_client(r, ret->address);
	if (!id_none(v->by.session.id))
		id_text(v->by.session.id, ID_SESSION, ret->session);
	str_copy(ret->object, sizeof ret->object, object);
	str_copy(ret->request, sizeof ret->request, str_of(v->id));
}

void lookup_audit(struct lookup *l, enum audit_action action, struct str object,
		  struct audit_entry *x)
{
	audit_request(l->request, action, object, x);
	job_of(l)->audit = x;
}

/* --- page: Pages of lists: reads limit and order, prints the head. */

/* page_whole: a number of digits alone; more than `most`: most + 1.  False: it is none. */
static bool page_whole(struct str text, size_t most, size_t *ret)
{
	size_t v = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		if (v <= most)
			v = v * 10 + (size_t)(text.p[i] - '0');
	}
	*ret = v <= most ? v : most + 1;
	return text.n > 0;
}

static bool page_refuse(struct request *r, const char *name, size_t least, size_t most)
{
	char allowed[64];

	snprintf(allowed, sizeof allowed, "must be an integer from %zu to %zu", least, most);
	reply_refuse(r, ERR_INVALID_VALUE, name, allowed);
	return false;
}

bool page_limit(struct request *r, size_t standard, size_t most, size_t *ret)
{
	struct str text;

	*ret = standard;
	if (!request_query(r, "limit", 0, &text))
		return true;
	return (page_whole(text, most, ret) && *ret >= 1 && *ret <= most) ||
	       page_refuse(r, "limit", 1, most);
}

bool page_size(struct request *r, const char *name, size_t standard, size_t most, size_t *ret)
{
	struct str text;

	*ret = standard;
	if (!request_query(r, name, 0, &text))
		return true;
	if (!page_whole(text, most, ret))
		return page_refuse(r, name, 0, most);
	if (*ret == 0)
		*ret = standard;
	if (*ret > most)
		*ret = most;
	return true;
}

bool page_order(struct request *r, bool *ret_descending)
{
	struct str text;

	if (!request_query(r, "order", 0, &text))
		return true;
	if (str_is(text, "desc") || str_is(text, "asc")) {
		*ret_descending = str_is(text, "desc");
		return true;
	}
	reply_refuse(r, ERR_INVALID_VALUE, "order", "must be one of: asc, desc");
	return false;
}

bool page_number(struct request *r, const char *name, size_t digits, const char *must, int64_t *ret)
{
	struct str text;
	int64_t    n = 0;

	if (!request_query(r, name, 0, &text))
		return true;
	for (size_t i = 0; i < text.n; i++) {
		if (text.n > digits || text.p[i] < '0' || text.p[i] > '9') {
			reply_refuse(r, ERR_INVALID_VALUE, name, must);
			return false;
		}
		n = 10 * n + (text.p[i] - '0');
	}
	*ret = n;
	return true;
}

bool page_seconds(struct request *r, const char *name, int64_t *ret)
{
	enum { DIGITS = 11 }; /* until the year 5138 */

	return page_number(r, name, DIGITS, "must be seconds since 1970", ret);
}

bool page_text(struct request *r, const char *name, size_t most, struct arena *a, struct str *ret)
{
	struct err e;
	struct str text;

	if (!request_query(r, name, 0, &text))
		return true;
	bool fits = text.n <= most && utf8_valid(text.p, text.n);
	if (fits)
		*ret = arena_str(a, text);
	if (fits && ret->p)
		return true;
	if (fits)
		err_no_memory(&e);
	else
		err_set(&e, ERR_INVALID_VALUE, name, "must be UTF-8 of at most %zu bytes", most);
	reply_error(r, &e);
	return false;
}

bool page_after(struct request *r, const char *prefix, const char *must, struct id *ret)
{
	struct str text;

	if (!request_query(r, "after", 0, &text) || id_parse(text, prefix, ret))
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "after", must);
	return false;
}

static bool put_edge(struct buf *out, const char *key, const char *id)
{
	return id[0] ? buf_fmt(out, ",\"%s\":\"%s\"", key, id) : buf_fmt(out, ",\"%s\":null", key);
}

bool page_head(struct buf *out, const char *first, const char *last, bool has_more)
{
	return buf_text(out, "{\"object\":\"list\"") && put_edge(out, "first_id", first) &&
	       put_edge(out, "last_id", last) &&
	       buf_fmt(out, ",\"has_more\":%s", has_more ? "true" : "false");
}

/* --- label_filter: Filters by metadata. */

enum { PAIRS_MAX = 64 * KIB }; /* all pairs of a filter, as JSON */

/* label_filter_put: what is wrong with the pairs, or NULL. No stored metadata has text that is not
 * UTF-8. */
static const char *label_filter_put(struct request *r, struct arena *a, struct store_labels *ret,
				    struct buf *out)
{
	struct str key;
	struct str value;
	size_t     n = 0;

	for (; request_query_within(r, "metadata", n, &key, &value); n++) {
		if (!utf8_valid(key.p, key.n) || !utf8_valid(value.p, value.n))
			return "must be UTF-8";
		if (n == LIMIT_METADATA)
			return "at most 16 pairs are allowed";
		if (n == 0) {
			ret->key = arena_str(a, key);
			ret->value = arena_str(a, value);
		}
		if (!ret->key.p || !ret->value.p || !buf_text(out, n > 0 ? "," : "{") ||
		    !buf_json_string(out, key) || !buf_text(out, ":") ||
		    !buf_json_string(out, value))
			return "the filter is too long";
	}
	if (n == 0)
		return NULL;
	ret->filter = buf_text(out, "}") ? arena_str(a, buf_view(out)) : STR_NONE;
	return ret->filter.p ? NULL : "the filter is too long";
}

bool label_filter_read(struct request *r, struct arena *a, struct store_labels *ret)
{
	struct buf pairs;

	buf_init(&pairs, PAIRS_MAX);
	const char *wrong = label_filter_put(r, a, ret, &pairs);
	buf_finish(&pairs);
	if (wrong)
		reply_refuse(r, ERR_INVALID_VALUE, "metadata", wrong);
	return !wrong;
}
_Static_assert(LIMIT_METADATA == 16, "the message names it");
