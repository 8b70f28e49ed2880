/* Makes libmicrohttpd's responses of answers and errors; the only place that sends them. */
#include "http/reply.h"

#include "base/limits.h"
#include "base/log.h"
#include "http/internal.h"

#include <stdio.h>
#include <stdlib.h>

static const char exposed[] =
	"x-request-id, request-id, retry-after, retry-after-ms, x-should-retry, location, x-run-id, "
	"x-conversation-id, x-parley-attempts, x-parley-target, x-parley-cache, x-parley-cached-from, age, idempotency-replayed, etag, x-next, "
	"x-ratelimit-limit-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-requests, "
	"x-ratelimit-remaining-tokens, x-ratelimit-reset-requests, x-ratelimit-reset-tokens, "
	"ratelimit, ratelimit-policy, openai-processing-ms, server-timing";

static bool value_ok(struct str v)
{
	for (size_t i = 0; i < v.n; i++)
		if ((unsigned char)v.p[i] < 0x20 || v.p[i] == 0x7f)
			return false;
	return v.n > 0 && v.n <= 8 * KIB;
}

static void line_push(struct request *r, struct reply_line *line, const char *name,
		      const char *value)
{
	*line = (struct reply_line){ r->headers, name, value };
	r->headers = line;
}

bool reply_header(struct request *r, const char *name, struct str value)
{
	struct reply_line *line = arena_alloc(&r->arena, sizeof *line);
	struct str         copy = arena_str(&r->arena, value);

	if (!line || !copy.p || !value_ok(value)) {
		log_note(LOG_WARN, "header_dropped", "%s", name);
		return false;
	}
	line_push(r, line, name, copy.p);
	return true;
}

bool reply_origin_allowed(const struct request *r)
{
	const struct server_options  *o = r->server->options;
	const struct server_settings *now = o->settings(o->arg);

	for (size_t i = 0; i < now->cors_count; i++)
		if (strcmp(now->cors_origins[i], "*") == 0 ||
		    str_is(r->view.head.origin, now->cors_origins[i]))
			return true;
	return false;
}

static bool says_cache(const struct request *r)
{
	for (const struct reply_line *line = r->headers; line; line = line->next)
		if (strcmp(line->name, "Cache-Control") == 0)
			return true;
	return false;
}

/* An answer that clients may keep says so itself: answers belong to one caller, and change. */
void reply_common_headers(struct request *r)
{
	const char *id_header = request_family(r)->id_header;

	line_push(r, &r->id_lines[0], "x-request-id", r->view.id);
	if (id_header)
		line_push(r, &r->id_lines[1], id_header, r->view.id);
	if (r->view.head.origin.n > 0 && reply_origin_allowed(r)) {
		reply_header(r, "Access-Control-Allow-Origin", r->view.head.origin);
		reply_header(r, "Vary", STR("Origin"));
		reply_header(r, "Access-Control-Expose-Headers", str_of(exposed));
	}
	if (r->close)
		reply_header(r, "Connection", STR("close"));
	if (!says_cache(r))
		line_push(r, &r->type_lines[0], "Cache-Control", "no-store");
}

struct MHD_Response *reply_complete(struct request *r, struct MHD_Response *response)
{
	for (struct reply_line *line = r->headers; response && line; line = line->next)
		if (MHD_add_response_header(response, line->name, line->value) == MHD_NO) {
			MHD_destroy_response(response);
			return NULL;
		}
	return response;
}

static void reply_send(struct request *r, int status, struct MHD_Response *response)
{
	reply_common_headers(r);
	reply_go(r, status, reply_complete(r, response));
}

void reply_go(struct request *r, int status, struct MHD_Response *response)
{
	r->response = response;
	r->status = status;
	r->left = NULL;
	request_move(r, response ? REQUEST_REPLIED : REQUEST_GONE);
	request_resume(r);
}

enum MHD_Result reply_queue(struct request *r)
{
	struct MHD_Response *response = TAKE(r->response);

	if (!response)
		return MHD_NO;
	enum MHD_Result rc = MHD_queue_response(r->mhd, (unsigned)r->status, response);
	MHD_destroy_response(response);
	return rc;
}

void reply_text_take(struct request *r, int status, const char *content_type, struct buf *body)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(body->len, body->data, MHD_RESPMEM_MUST_FREE);

	r->bytes_out = body->len;
	if (response) {
		TAKE(body->data);
		line_push(r, &r->type_lines[1], "Content-Type", content_type);
	}
	buf_finish(body);
	reply_send(r, status, response);
}

void reply_json_take(struct request *r, int status, struct buf *body)
{
	/* For a terminal, whose prompt follows.  Where there is no room, it is left out. */
	if (!request_family(r)->verbatim && body->len > 0 && body->data[body->len - 1] != '\n')
		(void)!buf_text(body, "\n");
	reply_text_take(r, status, "application/json", body);
}

void reply_static(struct request *r, int status, const char *content_type, struct str body)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		body.n, (void *)(uintptr_t)body.p, MHD_RESPMEM_PERSISTENT);

	r->bytes_out = body.n;
	if (response && content_type)
		line_push(r, &r->type_lines[1], "Content-Type", content_type);
	reply_send(r, status, response);
}

/* ends_retries: the SDKs retry 409, 429 and all statuses from 500 on. If the gateway has retried
 * already, both would multiply. */
static bool ends_retries(const struct request *r, const struct err *e)
{
	int  http = err_http(e);
	bool tried = r->note.attempts > 1 && (http == 500 || http == 502 || http == 504);

	return tried || (!err_retryable(e) && (http >= 500 || http == 429));
}

static void error_headers(struct request *r, const struct err *e)
{
	char text[32];

	if (e->retry_after_ms > 0) {
		snprintf(text, sizeof text, "%lld", (long long)(e->retry_after_ms + 999) / 1000);
		reply_header(r, "Retry-After", str_of(text));
		snprintf(text, sizeof text, "%lld", (long long)e->retry_after_ms);
		reply_header(r, "retry-after-ms", str_of(text));
	} else if (err_http(e) == 503) {
		reply_header(r, "Retry-After", STR("1"));
	}
	if (ends_retries(r, e))
		reply_header(r, "x-should-retry", STR("false"));
	else if (e->code == ERR_HOOK_UNAVAILABLE)
		reply_header(r, "x-should-retry", STR("true"));
	if (err_http(e) == 401)
		reply_header(r, "WWW-Authenticate", STR("Bearer realm=\"parley\""));
}

/* Where there is no memory for the text of an error its code is told all the same, in the members that all
 * families have. */
static void error_terse(struct request *r, const struct err *e)
{
	char                 text[512];
	int                  n = snprintf(text, sizeof text,
					  "{\"error\":{\"message\":\"out of memory for the text of this error\","
							   "\"type\":\"%s\",\"param\":null,\"code\":\"%s\",\"request_id\":\"%s\"}}\n",
					  err_type(e), err_wire(e), r->view.id);
	struct MHD_Response *response =
		MHD_create_response_from_buffer((size_t)n, text, MHD_RESPMEM_MUST_COPY);

	r->bytes_out = (size_t)n;
	line_push(r, &r->type_lines[1], "Content-Type", "application/json");
	reply_send(r, family_http(request_family(r), e), response);
}

/* unmade_header: the id with which the refused call will stand in the ledger. */
static void unmade_header(struct request *r)
{
	char text[ID_MAX];

	if (!r->route || !(r->route->traits & ROUTE_CALL) || r->note.run.n > 0 ||
	    r->note.replayed || !r->server->options->unmade)
		return;
	r->unmade = id_new();
	reply_header(r, "X-Run-Id", id_text(r->unmade, ID_RUN, text));
}

void reply_error(struct request *r, const struct err *e)
{
	struct buf body;

	if (e != r->refusal)
		request_refuse(r, e); /* for the log */
	if (e->code == ERR_METHOD_NOT_ALLOWED && r->route) {
		struct buf allow;

		buf_init(&allow, 256);
		if (route_allow(request_routes(r), r->route, &allow))
			reply_header(r, "Allow", buf_view(&allow));
		buf_finish(&allow);
	}
	error_headers(r, e);
	unmade_header(r);
	buf_init(&body, 4 * KIB);
	if (request_family(r)->error(e, str_of(request_view(r)->id), &body)) {
		reply_json_take(r, family_http(request_family(r), e), &body);
		return;
	}
	buf_finish(&body);
	error_terse(r, e);
}

void reply_refuse(struct request *r, enum errc code, const char *path, const char *text)
{
	struct err e;

	err_set(&e, code, path, "%s", text);
	reply_error(r, &e);
}
