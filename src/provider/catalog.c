/* One list of names for each provider, and at most one running fetch of the list. */
#include "provider/catalog.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "provider/credential.h"
#include "provider/dialect.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SECOND_US = 1000 * 1000 };
static const int64_t fresh_us = (int64_t)10 * 60 * SECOND_US; /* then the list is fetched again */
static const int64_t kept_us =
	(int64_t)24 * 3600 * SECOND_US;                  /* a provider may be down for a day */
static const int64_t again_us = (int64_t)30 * SECOND_US; /* after a failure */

static const struct upstream_limits limits = {
	.first_byte_us = 5 * SECOND_US,
	.idle_us = 5 * SECOND_US,
	.total_us = 10 * SECOND_US,
};

struct catalog {
	struct upstream_target *target;     /* owned */
	struct credential      *credential; /* borrowed; NULL: none */
	pthread_mutex_t         lock;       /* guards the members below; never held across a call */
	struct catalog_names   *names;      /* held; NULL: nothing is known */
	int64_t                 fetched_us;
	int64_t                 tried_us;
	char                    why[64]; /* the last fetch failed; empty: it did not */
	bool                    tried;
	bool                    fetching;
};

struct fetch {
	struct catalog       *catalog;
	const char           *provider;
	struct upstream_call *call;
	struct buf            body;
	int                   status;
	void (*done)(void *arg);
	void *arg;
};

struct catalog *catalog_create_take(struct upstream_target *target, struct credential *credential)
{
	struct catalog *c = calloc(1, sizeof *c);

	if (!c) {
		upstream_target_destroy(target);
		return NULL;
	}
	c->target = target;
	c->credential = credential;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void catalog_destroy(struct catalog *c)
{
	if (!c)
		return;
	catalog_release(c->names);
	upstream_target_destroy(c->target);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void catalog_release(struct catalog_names *n)
{
	if (n && atomic_fetch_sub(&n->refs, 1) == 1)
		free(n);
}

struct catalog_names *catalog_names(struct catalog *c, int64_t now_us)
{
	struct catalog_names *ret = NULL;

	pthread_mutex_lock(&c->lock);
	if (c->names && now_us - c->fetched_us < kept_us) {
		ret = c->names;
		atomic_fetch_add(&ret->refs, 1);
	}
	pthread_mutex_unlock(&c->lock);
	return ret;
}

bool catalog_waits(struct catalog *c, int64_t now_us)
{
	pthread_mutex_lock(&c->lock);
	bool waits = c->fetching && !(c->names && now_us - c->fetched_us < kept_us);
	pthread_mutex_unlock(&c->lock);
	return waits;
}

void catalog_why(struct catalog *c, char ret[64])
{
	pthread_mutex_lock(&c->lock);
	str_copy(ret, sizeof c->why, str_of(c->why));
	pthread_mutex_unlock(&c->lock);
}

bool catalog_due(struct catalog *c, int64_t now_us)
{
	pthread_mutex_lock(&c->lock);
	bool due = !c->fetching && (!c->tried || now_us - c->tried_us >= again_us) &&
		   (!c->names || now_us - c->fetched_us >= fresh_us);
	c->fetching |= due;
	pthread_mutex_unlock(&c->lock);
	return due;
}

/* --- names --- */

/* An entry of the list while it is read; the name is its first member, so catalog_compare serves it too. */
struct catalog_entry {
	struct str           name;
	struct catalog_facts facts;
};

static int catalog_compare(const void *left, const void *right)
{
	const struct str *a = left;
	const struct str *b = right;
	int               by_bytes = memcmp(a->p, b->p, a->n < b->n ? a->n : b->n);

	return by_bytes != 0 ? by_bytes : (a->n > b->n) - (a->n < b->n);
}

static const struct str *catalog_find(const struct catalog_names *n, struct str name)
{
	return n ? bsearch(&name, n->names, n->count, sizeof name, catalog_compare) : NULL;
}

bool catalog_has(const struct catalog_names *n, struct str name)
{
	return catalog_find(n, name);
}

const struct catalog_facts *catalog_facts(const struct catalog_names *n, struct str name)
{
	struct str        tag = STR(":latest");
	char              tagged[LIMIT_MODEL + sizeof ":latest"];
	const struct str *at = catalog_find(n, name);

	if (!at && name.n > 0 && name.n <= LIMIT_MODEL) {
		memcpy(tagged, name.p, name.n);
		memcpy(tagged + name.n, tag.p, tag.n);
		at = catalog_find(n, (struct str){ tagged, name.n + tag.n });
	}
	return at ? &n->facts[at - n->names] : NULL;
}

static bool is_name(struct str s)
{
	if (s.n == 0 || s.n > LIMIT_MODEL)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f || s.p[i] == '*')
			return false;
	return true;
}

static struct str catalog_name_of(const struct json_doc *d, json_at model, struct arena *arena)
{
	struct str prefix = STR("models/"); /* Gemini's */
	struct str name = STR_NONE;
	json_at    i = JSON_ABSENT;

	if (json_kind(d, model) == JSON_OBJECT) {
		i = json_get(d, model, "id");
		if (i == JSON_ABSENT)
			i = json_get(d, model, "name");
	}
	if (!json_is_kind(d, i, JSON_STRING) || !json_text(d, i, arena, &name))
		return STR_NONE;
	if (str_starts(name, prefix))
		name = (struct str){ name.p + prefix.n, name.n - prefix.n };
	return is_name(name) ? name : STR_NONE;
}

static struct str catalog_pack(char **at, struct str text)
{
	struct str ret = { *at, text.n };

	memcpy(*at, text.p, text.n);
	*at += text.n;
	return ret;
}

/* pack_names: copies the entries into one allocation, sorted and without duplicates. */
static struct catalog_names *pack_names(struct catalog_entry *list, size_t n, size_t bytes)
{
	struct catalog_names *ret =
		calloc(1, sizeof *ret + n * (sizeof *ret->names + sizeof *ret->facts) + bytes);

	if (!ret)
		return NULL;
	atomic_init(&ret->refs, 1);
	ret->facts = (struct catalog_facts *)(void *)(ret + 1);
	ret->names = (struct str *)(void *)(ret->facts + n);
	char *at = (char *)(ret->names + n);
	qsort(list, n, sizeof *list, catalog_compare);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && str_eq(list[i].name, list[i - 1].name))
			continue;
		ret->names[ret->count] = catalog_pack(&at, list[i].name);
		ret->facts[ret->count] = list[i].facts;
		if (list[i].facts.display.n > 0)
			ret->facts[ret->count].display = catalog_pack(&at, list[i].facts.display);
		ret->count++;
	}
	return ret;
}

static struct catalog_names *catalog_collect(const struct json_doc *d, struct arena *arena)
{
	json_at               models = JSON_ABSENT;
	struct catalog_entry *list = calloc(LIMIT_CATALOG, sizeof *list);
	size_t                n = 0;
	size_t                bytes = 0;

	if (json_kind(d, 0) == JSON_OBJECT) {
		models = json_get(d, 0, "data");
		if (models == JSON_ABSENT)
			models = json_get(d, 0, "models");
	}
	if (!list || !json_is_kind(d, models, JSON_ARRAY)) {
		free(list);
		return NULL;
	}
	for (json_at i = json_first(d, models); i != json_end(d, models) && n < LIMIT_CATALOG;
	     i = json_next(d, i)) {
		list[n].name = catalog_name_of(d, i, arena);
		if (list[n].name.n == 0)
			continue;
		list[n].facts = catalog_facts_read(d, i, arena);
		bytes += list[n].name.n + list[n].facts.display.n;
		n++;
	}
	struct catalog_names *ret = pack_names(list, n, bytes);
	free(list);
	return ret;
}

struct catalog_names *catalog_read(struct str body)
{
	struct catalog_names *ret = NULL;
	struct json_doc       d = { 0 };
	struct arena          arena;
	struct err            e;

	arena_init(&arena, LIMIT_CATALOG_BYTES);
	if (json_scan(&d, body.p, body.n, &json_limits_upstream, &e) == ERR_OK)
		ret = catalog_collect(&d, &arena);
	json_doc_finish(&d);
	arena_finish(&arena);
	return ret;
}

/* --- the fetch --- */

static void catalog_note(const struct fetch *f, const char *why)
{
	struct log_line l;

	metric_add(METRIC_CATALOGS, (const char *[]){ f->provider, why ? "failed" : "fetched", "" },
		   1);
	if (!why || !log_on(LOG_WARN))
		return;
	log_begin(&l, LOG_WARN, "models_not_listed");
	log_str(&l, "provider", str_of(f->provider));
	log_str(&l, "reason", str_of(why));
	log_end(&l);
}

/* catalog_over: why: the reason of the failure; NULL: the fetch succeeded. */
static void catalog_over(struct fetch *f, struct catalog_names *names, const char *why)
{
	struct catalog       *c = f->catalog;
	struct catalog_names *old = NULL;
	int64_t               now = clock_mono_us();

	catalog_note(f, why);
	pthread_mutex_lock(&c->lock);
	c->fetching = false;
	c->tried = true;
	c->tried_us = now;
	str_copy(c->why, sizeof c->why, str_of(why ? why : ""));
	if (names) {
		old = c->names;
		c->names = names;
		c->fetched_us = now;
	}
	pthread_mutex_unlock(&c->lock);
	catalog_release(old);
	f->done(f->arg); /* may destroy the catalog */
	buf_finish(&f->body);
	free(f);
}

static void catalog_on_head(void *arg, int status, const char *content_type, int64_t retry_after_ms)
{
	(void)content_type;
	(void)retry_after_ms;
	((struct fetch *)arg)->status = status;
}

static bool catalog_on_data(void *arg, const char *bytes, size_t len)
{
	return buf_add(&((struct fetch *)arg)->body, bytes, len);
}

static void catalog_on_done(void *arg, const struct err *e)
{
	struct fetch         *f = arg;
	struct catalog_names *names = NULL;
	char                  why[64] = "it is no list of models";

	if (e->code != ERR_OK)
		str_copy(why, sizeof why, str_of(err_code_wire(e->code)));
	else if (f->status < 200 || f->status > 299)
		snprintf(why, sizeof why, "status %d", f->status);
	else
		names = catalog_read(buf_view(&f->body));
	catalog_over(f, names, names ? NULL : why);
}

/* catalog_sign: the lines of the credential. NULL: there are none now. */
static const char *catalog_sign(const struct catalog *c, struct buf *out)
{
	struct credential_keys *keys = credential_now(c->credential, NULL);
	unsigned char           nothing[HASH_BYTES];
	struct err              e;

	hash_sha256("", 0, nothing);
	bool ok = keys &&
		  credential_lines(
			  c->credential, keys,
			  &(struct dialect_ask){ .method = "GET",
						 .url = upstream_target_url(c->target),
						 .head = upstream_target_head(c->target, false) },
			  nothing, out, &e) == ERR_OK &&
		  buf_add(out, "", 1);
	credential_keys_release(keys);
	return ok ? out->data + 2 : NULL;
}

static void catalog_ask(struct fetch *f, struct upstream_pool *pool)
{
	static const struct upstream_callbacks callbacks = { catalog_on_head, catalog_on_data,
							     catalog_on_done };
	struct catalog                        *c = f->catalog;
	struct buf                             lines;
	struct err                             e;
	const char                            *header = NULL;

	buf_init(&lines, 2 * (size_t)LIMIT_SECRET);
	if (c->credential)
		header = catalog_sign(c, &lines);
	if (c->credential && !header)
		catalog_over(f, NULL, "no credentials yet");
	else if (upstream_start(pool, c->target, &(struct upstream_ask){ .header = header },
				&limits, &callbacks, f, &f->call, &e) != ERR_OK)
		catalog_over(f, NULL, err_code_wire(e.code));
	buf_finish(&lines);
}

void catalog_fetch(struct catalog *c, const char *provider, struct upstream_pool *pool,
		   void (*done)(void *arg), void *arg)
{
	struct fetch *f = calloc(1, sizeof *f);

	if (!f) {
		pthread_mutex_lock(&c->lock);
		c->fetching = false;
		pthread_mutex_unlock(&c->lock);
		done(arg);
		return;
	}
	*f = (struct fetch){ .catalog = c, .provider = provider, .done = done, .arg = arg };
	buf_init(&f->body, LIMIT_CATALOG_BYTES);
	catalog_ask(f, pool);
}
