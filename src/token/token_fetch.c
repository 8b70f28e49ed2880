/* One or two GETs for each set of keys: what the issuer says of itself (OpenID Connect Discovery 1.0), and the keys. */
#include "token/token_fetch.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/list.h"
#include "base/log.h"
#include "base/metric.h"
#include "json/scan.h"
#include "token/tokens.h"
#include "upstream/upstream.h"

#include <stdio.h>
#include <stdlib.h>

#define FETCH_SECOND_US ((int64_t)1000000)

static const int64_t look_us = FETCH_SECOND_US / 4;

static const struct upstream_limits limits = {
	.first_byte_us = 5 * FETCH_SECOND_US,
	.idle_us = 5 * FETCH_SECOND_US,
	.total_us = 10 * FETCH_SECOND_US,
};

struct token_fetch {
	struct token_fetch_options o;
	struct timer               look;
	struct list_head           running;
};

/* One set that is being fetched. */
struct keys_fetch {
	struct token_fetch     *owner;
	struct list_link        link;
	struct jwks            *keys;    /* held */
	char                   *issuer;  /* owned, as the next two */
	char                   *ca_file; /* NULL: none */
	char                   *url;
	bool                    asks_issuer; /* the answer is what the issuer says of itself */
	struct upstream_target *target;      /* owned */
	struct upstream_call   *call;        /* NULL: none is on its way */
	struct buf              body;
	int                     status;
};

static void fetch_free(struct keys_fetch *x)
{
	if (x->call)
		upstream_cancel(x->call);
	list_take_out(&x->link);
	upstream_target_destroy(x->target);
	buf_finish(&x->body);
	jwks_release(x->keys);
	free(x->issuer);
	free(x->ca_file);
	free(x->url);
	free(x);
}

/* fetch_over: s is consumed; NULL: why says why there is none. */
static void fetch_over(struct keys_fetch *x, struct jwks_set *s, const char *why)
{
	metric_add(METRIC_JWKS_FETCHES, (const char *[]){ x->issuer, s ? "fetched" : "failed", "" },
		   1);
	if (!s)
		log_note(LOG_WARN, "jwks", "the keys of %s can't be fetched from %.200s: %s",
			 x->issuer, x->url, why);
	jwks_fetched(x->keys, s, loop_now_us(x->owner->o.loop));
	fetch_free(x);
}

/* --- answers --- */

static void fetch_ask(struct keys_fetch *x);

/* read_url: an address that the issuer says of itself: no less safe than its own. */
static bool fetch_url(const struct keys_fetch *x, const struct json_doc *d, const char *name,
		      char ret[JWKS_URL])
{
	struct arena a;
	struct str   url = STR_NONE;

	arena_init(&a, LIMIT_JWKS);
	bool ok = json_text(d, json_get(d, 0, name), &a, &url) && url.n < JWKS_URL &&
		  !memchr(url.p, '\0', url.n);
	str_copy(ret, JWKS_URL, ok ? url : STR_NONE);
	arena_finish(&a);
	return ok && (strncmp(ret, "https://", 8) == 0 ||
		      (strncmp(x->issuer, "https://", 8) != 0 && upstream_url_is_safe(ret)));
}

/* read_issuer: takes the addresses.  NULL, or what is wrong. */
static const char *read_issuer(struct keys_fetch *x)
{
	struct json_doc     d = { 0 };
	struct jwks_sign_in at;
	char                keys[JWKS_URL];
	const char         *why = NULL;

	if (!jwt_json(&d, buf_view(&x->body)))
		why = "the answer is no JSON object";
	else if (!json_get_is(&d, 0, "issuer", x->issuer))
		why = "the answer names another issuer";
	else if (!fetch_url(x, &d, "jwks_uri", keys))
		why = "the answer has no jwks_uri that is https://";
	else if (fetch_url(x, &d, "authorization_endpoint", at.authorize) &&
		 fetch_url(x, &d, "token_endpoint", at.token)) {
		at.names_issuer = json_is_kind(
			&d, json_get(&d, 0, "authorization_response_iss_parameter_supported"),
			JSON_TRUE);
		jwks_tell(x->keys, &at);
	}
	json_doc_finish(&d);
	char *next = why ? NULL : strdup(keys);
	if (!next)
		return why ? why : "no memory";
	free(x->url);
	x->url = next;
	x->asks_issuer = false;
	return NULL;
}

static void fetch_came(struct keys_fetch *x)
{
	struct jwks_set *s = NULL;
	const char      *why;
	struct err       e;

	if (!x->asks_issuer) {
		if (jwks_set_read(buf_view(&x->body), &s, &e) == ERR_OK && !jwks_set_mark(s, 0))
			log_note(LOG_WARN, "jwks",
				 "%s has no key for RS256 (2048 to 4096 bits), ES256 or EdDSA: its "
				 "tokens are refused",
				 x->issuer);
		fetch_over(x, s, e.text);
		return;
	}
	why = read_issuer(x);
	if (why)
		fetch_over(x, NULL, why);
	else
		fetch_ask(x);
}

static void fetch_on_head(void *arg, int status, const char *content_type, int64_t retry_after_ms)
{
	(void)content_type;
	(void)retry_after_ms;
	((struct keys_fetch *)arg)->status = status;
}

static bool fetch_on_data(void *arg, const char *bytes, size_t len)
{
	return buf_add(&((struct keys_fetch *)arg)->body, bytes, len);
}

static void fetch_on_done(void *arg, const struct err *e)
{
	struct keys_fetch *x = arg;
	char               why[64];

	x->call = NULL;
	snprintf(why, sizeof why, "status %d", x->status);
	if (e->code != ERR_OK)
		fetch_over(x, NULL, err_code_wire(e->code));
	else if (x->status != 200)
		fetch_over(x, NULL, why);
	else
		fetch_came(x);
}

/* --- asking --- */

/* fetch_ask: a GET of x->url. */
static void fetch_ask(struct keys_fetch *x)
{
	static const struct upstream_callbacks callbacks = { fetch_on_head, fetch_on_data,
							     fetch_on_done };
	struct err                             e;

	upstream_target_destroy(x->target);
	x->target = NULL;
	buf_clear(&x->body);
	x->status = 0;
	if (upstream_target_create(
		    &(struct upstream_target_options){ .url = x->url,
						       .ca_file = x->ca_file,
						       .connect_us = 5 * FETCH_SECOND_US,
						       .get = true },
		    &x->target, &e) != ERR_OK ||
	    upstream_start(x->owner->o.upstreams, x->target, &(struct upstream_ask){ .url = NULL },
			   &limits, &callbacks, x, &x->call, &e) != ERR_OK)
		fetch_over(x, NULL, e.text);
}

static char *first_url(const struct token_source *s, bool *ret_asks_issuer)
{
	static const char known[] = "/.well-known/openid-configuration";
	size_t            n = strlen(s->issuer);
	char             *url;

	*ret_asks_issuer = strcmp(s->jwks, "auto") == 0;
	if (!*ret_asks_issuer)
		return strdup(s->jwks);
	n -= n > 0 && s->issuer[n - 1] == '/';
	url = malloc(n + sizeof known);
	if (url) {
		memcpy(url, s->issuer, n);
		memcpy(url + n, known, sizeof known);
	}
	return url;
}

static void fetch_begin(struct token_fetch *f, const struct token_source *s)
{
	struct keys_fetch *x = calloc(1, sizeof *x);

	if (!x) {
		jwks_fetched(s->keys, NULL, loop_now_us(f->o.loop));
		return;
	}
	x->owner = f;
	x->keys = jwks_hold(s->keys);
	x->issuer = strdup(s->issuer);
	x->ca_file = s->ca_file ? strdup(s->ca_file) : NULL;
	x->url = first_url(s, &x->asks_issuer);
	buf_init(&x->body, LIMIT_JWKS);
	list_put_front(&f->running, &x->link);
	if (x->issuer && x->url && (x->ca_file || !s->ca_file)) {
		fetch_ask(x);
		return;
	}
	jwks_fetched(x->keys, NULL, loop_now_us(f->o.loop));
	fetch_free(x);
}

/* --- looking --- */

void token_fetch_look(struct token_fetch *f)
{
	const struct tokens *t = f->o.now(f->o.arg);
	struct token_source  s;

	if (!t)
		return;
	for (size_t i = 0; tokens_source(t, i, &s); i++)
		if (jwks_due(s.keys, loop_now_us(f->o.loop)))
			fetch_begin(f, &s);
	timer_start(f->o.loop, &f->look, look_us);
}

static void fetch_on_look(struct timer *t)
{
	token_fetch_look(container_of(t, struct token_fetch, look));
}

enum errc token_fetch_create(const struct token_fetch_options *o, struct token_fetch **ret,
			     struct err *e)
{
	struct token_fetch *f = calloc(1, sizeof *f);

	if (!f)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	f->o = *o;
	f->look.fn = fetch_on_look;
	*ret = f;
	return ERR_OK;
}

void token_fetch_destroy(struct token_fetch *f)
{
	if (!f)
		return;
	timer_stop(f->o.loop, &f->look);
	for (struct keys_fetch *x = LIST_FIRST(&f->running, struct keys_fetch, link), *next; x;
	     x = next) {
		next = LIST_NEXT(x, struct keys_fetch, link);
		jwks_fetched(x->keys, NULL, loop_now_us(f->o.loop));
		fetch_free(x);
	}
	free(f);
}
