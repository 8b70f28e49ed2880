/* The checks before a handler runs: host, route, key, size, type, JSON. */
#include "base/identity.h"
#include "base/limits.h"
#include "base/metric.h"
#include "http/internal.h"
#include "http/reply.h"
#include "http/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* --- who is asking --- */

/* bearer_key: the text after "Bearer"; the case of the scheme does not matter (RFC 9110 section
 * 11.1). */
static bool bearer_key(struct str header, struct str *ret)
{
	if (header.n < 8 || strncasecmp(header.p, "Bearer ", 7) != 0)
		return false;

	struct str key = { header.p + 7, header.n - 7 };
	while (key.n > 0 && key.p[0] == ' ') {
		key.p++;
		key.n--;
	}
	if (key.n == 0 || memchr(key.p, ' ', key.n))
		return false;
	*ret = key;
	return true;
}

static enum errc gate_find_key(struct request *r, struct str *ret, struct err *e)
{
	const struct head   *h = &r->view.head;
	const struct family *f;

	if (h->authorization.p) {
		if (!bearer_key(h->authorization, ret))
			return err_set(e, ERR_MALFORMED_API_KEY, "",
				       "the Authorization header must be: Bearer KEY");
		return ERR_OK;
	}
	for (size_t i = 0; i < KEY_HEADER__COUNT; i++) {
		if (!h->keys[i].p)
			continue;
		if (h->keys[i].n == 0)
			return err_set(e, ERR_MALFORMED_API_KEY, "", "the API key header is empty");
		*ret = h->keys[i];
		return ERR_OK;
	}
	f = request_family(r);
	if (f->key_header && (*ret = request_header(r, f->key_header)).n > 0)
		return ERR_OK;
	if (f->key_query && request_query(r, f->key_query, 0, ret))
		return ERR_OK;
	return err_set(e, ERR_MISSING_API_KEY, "",
		       "an API key is needed; send it as: Authorization: Bearer KEY");
}

static enum errc check_ticket(struct request *r, struct str ticket, struct err *e)
{
	const struct server_options *o = r->server->options;

	struct identity *who = o->ticket ? o->ticket(o->arg, ticket, r->params[0]) : NULL;
	if (who) {
		r->view.by = (struct caller){ .who = who, .scopes = who->scopes };
		return ERR_OK;
	}
	return err_set(
		e, ERR_INVALID_API_KEY, "ticket",
		"this ticket has expired, its key is no longer valid, or the ticket is for another run");
}

static enum errc check_scope(const struct request *r, struct err *e)
{
	unsigned need = route_scopes(r->route);
	char     names[64] = "";
	size_t   n = 0;

	if (r->view.by.scopes & need)
		return ERR_OK;
	for (unsigned i = 0; i < SCOPE_COUNT; i++)
		if (need & 1u << i)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
					      n > 0 ? " or " : "", scope_name(i));
	return err_set(e, ERR_INSUFFICIENT_SCOPE, "",
		       "this API key may not do that; it needs the scope %s", names);
}

static enum errc check_key(struct request *r, struct err *e)
{
	const struct server_options *o = r->server->options;
	struct str                   key = STR_NONE;
	struct str                   ticket;
	enum errc                    rc = gate_find_key(r, &key, e);

	if (rc == ERR_OK)
		rc = o->auth(o->arg, key, &r->view.by, e);
	else if (rc == ERR_MISSING_API_KEY && r->route->auth == AUTH_TICKET &&
		 request_query(r, "ticket", 0, &ticket))
		rc = check_ticket(r, ticket, e);
	if (rc == ERR_OK)
		rc = check_scope(r, e);
	if (rc != ERR_OK)
		metric_add(METRIC_AUTH_FAILURES, (const char *[]){ err_code_wire(rc), "", "" }, 1);
	return rc;
}

/* check_foreign: what a page of another origin may ask of a gateway without keys. It can't read the
 * answer, but browsers send its forms and uploads without asking first, and they would store
 * messages and files, call providers, or create the first key and so lock out everybody else.
 * Browsers name the origin in every request that is not GET or HEAD (Fetch standard, "append a
 * request Origin header"), so requests without one are no page's. */
static enum errc check_foreign(const struct request *r, struct err *e)
{
	if (r->route->auth == AUTH_ADMIN)
		return err_set(e, ERR_HOST_NOT_ALLOWED, "",
			       "without API keys no page of another origin is served here");
	if (strcmp(r->route->method, "GET") == 0 || reply_origin_allowed(r))
		return ERR_OK;
	return err_set(e, ERR_HOST_NOT_ALLOWED, "",
		       "without API keys a page of another origin may not write here; create a "
		       "key, or add the page's origin to `cors_origins`");
}

/* check_query: refuses a parameter that can't be decoded, so that it does not count as absent. */
static enum errc check_query(const struct request *r, struct err *e)
{
	struct str bad;
	char       key[64] = "";
	size_t     arguments = 1;

	for (size_t i = 0; i < r->query.n; i++)
		arguments += r->query.p[i] == '&';
	if (arguments > LIMIT_ARGUMENTS)
		return err_set(e, ERR_BAD_REQUEST, "", "the query has more than %d arguments",
			       LIMIT_ARGUMENTS);
	if (route_query(r->query, &bad))
		return ERR_OK;
	const char *eq = memchr(bad.p, '=', bad.n);
	struct str  name = { bad.p, eq ? (size_t)(eq - bad.p) : bad.n };
	if (!memchr(name.p, '%', name.n))
		str_copy(key, sizeof key, name);
	return err_set(e, ERR_BAD_REQUEST, key, "the query has a bad percent escape");
}

/* --- from the head --- */

/* gate_max_body: the smallest limit that applies. A limit below the gateway's also bounds the bytes
 * that are read. */
static size_t gate_max_body(struct request *r, const struct server_settings *now)
{
	size_t all = r->server->options->max_body;
	size_t mine = (size_t)r->view.by.who->max_body;

	if (r->route->body == BODY_UPLOAD)
		return r->server->options->max_upload;
	if (now->max_body > 0 && now->max_body < all)
		all = now->max_body;
	if (mine > 0 && mine < all)
		all = mine;
	r->input->body.max = all;
	return all;
}

static enum errc check_head(struct request *r, const struct server_settings *now, struct err *e)
{
	char      *scratch = arena_alloc(&r->arena, r->raw_target.n + ROUTE_SPELLED + 1);
	char      *spelled = arena_alloc(&r->arena, 2 * r->raw_target.n + ROUTE_SPELLED + 1);
	struct str target = r->raw_target;

	if (!scratch || !spelled)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the request");
	/* A web page can reach loopback addresses under its own host name (DNS rebinding). */
	if (now->open && !r->server->on_unix && r->view.head.host.p &&
	    !head_host_is_local(r->view.head.host))
		return err_set(e, ERR_HOST_NOT_ALLOWED, "",
			       "without API keys only localhost, 127.0.0.1 and [::1] are served");

	const struct server_options *o = r->server->options;
	if (!route_spell(o->spellings, r->raw_target, spelled, &target, &r->view.named)) {
		target = r->raw_target;
		r->view.named = STR_NONE;
	}
	enum errc rc = route_match(request_routes(r), o->hints, str_of(r->view.method), target,
				   scratch, r->params, &r->route, e);
	/* Without a key, too: a client that tries a socket first learns at once to use HTTP. */
	if ((rc == ERR_OK || rc == ERR_METHOD_NOT_ALLOWED) && strcmp(r->view.method, "GET") == 0 &&
	    head_asks_websocket(r->mhd))
		return err_set(e, ERR_UPGRADE_REFUSED, "",
			       "there is no WebSocket here; use HTTP, with server-sent events");
	if (strcmp(r->view.method, "OPTIONS") == 0 &&
	    (rc == ERR_METHOD_NOT_ALLOWED || r->view.path.p[0] == '*'))
		return ERR_OK; /* answered in gate_body; a preflight carries no key */
	if (rc != ERR_OK)
		return rc;
	if (now->open && r->view.head.origin.p && !head_is_same_origin(&r->view.head))
		rc = check_foreign(r, e);
	if (rc != ERR_OK)
		return rc;
	if (route_scopes(r->route) != 0) {
		if (now->open)
			r->view.by =
				(struct caller){ .who = &identity_open, .scopes = SCOPES_OPEN };
		else
			rc = check_key(r, e);
		if (rc != ERR_OK)
			return rc;
	}
	if (r->connection->surplus) {
		r->close = true;
		if (!(r->route->traits & ROUTE_QUIET))
			return err_set(e, ERR_OVERLOADED, "", "too many connections; try again");
	}
	if (r->server->leaving) {
		r->close = true;
	} else if (r->server->quiesced && !(r->route->traits & ROUTE_QUIET)) {
		r->close = true;
		return err_set(e, ERR_DRAINING, "", "the gateway is stopping");
	}

	rc = check_query(r, e);
	if (rc != ERR_OK)
		return rc;

	size_t max = gate_max_body(r, now);
	if (r->view.head.body_bytes > max)
		return err_set(e, ERR_REQUEST_TOO_LARGE, "",
			       "the body of %zu bytes is over the limit of %zu bytes",
			       r->view.head.body_bytes, max);
	return ERR_OK;
}

void gate_head(struct request *r)
{
	const struct server_options *o = r->server->options;
	struct err                   e;

	if (check_head(r, o->settings(o->arg), &e) != ERR_OK)
		request_refuse(r, &e);
}

/* --- from the body --- */

static bool is_json_type(struct str type)
{
	const char *semicolon = type.n ? memchr(type.p, ';', type.n) : NULL;
	size_t      n = semicolon ? (size_t)(semicolon - type.p) : type.n;

	while (n > 0 && (type.p[n - 1] == ' ' || type.p[n - 1] == '\t'))
		n--;
	if (n == 16 && strncasecmp(type.p, "application/json", 16) == 0)
		return true;
	return n > 17 && strncasecmp(type.p, "application/", 12) == 0 &&
	       strncasecmp(type.p + n - 5, "+json", 5) == 0;
}

static enum errc check_type(struct request *r, struct err *e)
{
	struct str encoding = r->view.head.content_encoding;

	if (encoding.n > 0 && !(encoding.n == 8 && strncasecmp(encoding.p, "identity", 8) == 0)) {
		reply_header(r, "Accept-Encoding", STR("identity"));
		return err_set(e, ERR_UNSUPPORTED_MEDIA, "",
			       "a compressed body is not taken; send it without Content-Encoding");
	}
	if (r->input->body.len == 0)
		return err_set(e, ERR_INVALID_JSON, "",
			       "the body is empty; it must be a JSON object");
	if (!request_family(r)->untyped && !is_json_type(r->view.head.content_type))
		return err_set(
			e, ERR_UNSUPPORTED_MEDIA, "",
			"the body must be JSON; add the header Content-Type: application/json");
	return ERR_OK;
}

static enum errc check_scanned(struct request *r, struct err *e)
{
	struct input *in = r->input;

	/* Values that were read from the body may be larger than the body. */
	if (!input_hold(in, in->body.len + in->doc.cap * sizeof *in->doc.tok,
			r->server->options->max_bodies))
		return err_set(e, ERR_OVERLOADED, "",
			       "the bodies of all requests take too much memory; try again");
	if (json_kind(&in->doc, 0) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, "", "the body must be a JSON object");
	return ERR_OK;
}

/* A long body that a worker scans. The object owns itself from scan_aside to gate_scanned. */
struct scan {
	struct request_aside aside;
	struct input        *input; /* owned */
	bool                 keyed; /* the handler needs the body's digest */
};

static enum errc scan_run(struct request_aside *a, struct err *e)
{
	struct scan  *x = container_of(a, struct scan, aside);
	struct input *in = x->input;
	enum errc rc = json_scan(&in->doc, in->body.data, in->body.len, &json_limits_request, e);

	if (x->keyed && rc == ERR_OK)
		(void)input_digest(in);
	return rc;
}

static void gate_scanned(struct request_aside *a)
{
	struct scan    *x = container_of(a, struct scan, aside);
	struct request *r = a->request;
	struct err      e = a->err;

	if (r)
		r->input = x->input;
	else
		input_destroy(x->input);
	free(x);
	if (!r)
		return;
	if (e.code == ERR_OK)
		check_scanned(r, &e);
	if (e.code == ERR_OK)
		r->route->handle(r, r->server->app);
	else
		reply_error(r, &e);
}

static enum errc scan_aside(struct request *r, struct err *e)
{
	struct scan *x = calloc(1, sizeof *x);

	if (!x)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the request");
	x->input = r->input;
	x->keyed = r->view.head.idempotency_key.p;
	enum errc rc = request_aside_start(&x->aside, r, r->server->options->cpu, scan_run,
					   gate_scanned, e);
	if (rc == ERR_OK)
		r->input = NULL;
	else
		free(x);
	return rc;
}

/* check_json: *ret_aside: a worker scans the body, and the handler is called afterwards. */
static enum errc check_json(struct request *r, bool *ret_aside, struct err *e)
{
	struct input *in = r->input;
	enum errc     rc = check_type(r, e);

	if (rc == ERR_OK && in->body.len > LIMIT_LOOP_JSON) {
		rc = scan_aside(r, e);
		*ret_aside = rc == ERR_OK;
		return rc;
	}
	if (rc == ERR_OK)
		rc = json_scan(&in->doc, in->body.data, in->body.len, &json_limits_request, e);
	return rc == ERR_OK ? check_scanned(r, e) : rc;
}

static enum errc make_empty(struct request *r, struct err *e)
{
	static const char nothing[] = "{}";

	return json_scan(&r->input->doc, nothing, 2, &json_limits_request, e);
}

static void answer_options(struct request *r)
{
	struct buf allow;

	buf_init(&allow, 256);
	if (r->route && route_allow(request_routes(r), r->route, &allow))
		reply_header(r, "Allow", buf_view(&allow));
	buf_finish(&allow);
	if (r->view.head.request_method.p) {
		reply_header(r, "Access-Control-Allow-Methods", STR("GET, POST, DELETE, OPTIONS"));
		reply_header(r, "Access-Control-Max-Age", STR("7200"));
		if (r->view.head.request_headers.n > 0 &&
		    r->view.head.request_headers.n <= 2 * KIB &&
		    head_token_list(r->view.head.request_headers))
			reply_header(r, "Access-Control-Allow-Headers",
				     r->view.head.request_headers);
	}
	reply_static(r, 204, NULL, STR_NONE);
}

bool gate_body(struct request *r)
{
	if (strcmp(r->view.method, "OPTIONS") == 0) {
		answer_options(r);
		return false;
	}

	struct err e;
	enum errc  rc = ERR_OK;
	bool       aside = false;
	switch (r->route->body) {
	case BODY_JSON: rc = check_json(r, &aside, &e); break;
	case BODY_MAYBE:
		rc = r->input->body.len > 0 ? check_json(r, &aside, &e) : make_empty(r, &e);
		break;
	case BODY_NONE:
	case BODY_UPLOAD:
	case BODY_UNSET: break;
	}
	if (rc != ERR_OK)
		reply_error(r, &e);
	return rc == ERR_OK && !aside;
}
