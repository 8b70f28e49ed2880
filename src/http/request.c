/* The life of one request, from its request line to its log line. */
#include "http/request.h"

#include "base/api_key.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "http/internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum {
	/* libmicrohttpd walks all suspended connections for each batch of resumes. If there are
	 * many, a batch is made once in this time. */
	SUSPENDED_MANY = 256,
	RESUME_TICK_US = 4000,
	/* Runs of the library for which a request is held: a run costs 150 instructions.  With
	 * 64 clients, a stored call waits for some 30, and after 8 a fifth of them were
	 * suspended. */
	HELD_RUNS = 64,
	/* A request and the beginning of its arena are one piece of memory, of a size that allocators
	 * have.  The arena's part takes the header lines and texts of most requests. */
	REQUEST_BYTES = 2048,
	REQUEST_OWN = (sizeof(struct request) + 15) / 16 * 16, /* the request's part, aligned */
};

_Static_assert(REQUEST_BYTES - REQUEST_OWN >= 768, "a stored stream needs 678 bytes of its arena");

#define TO(p) (1u << REQUEST_##p)
static const unsigned phase_graph[REQUEST_PHASE__COUNT] = {
	[REQUEST_HEAD] = TO(BODY) | TO(REPLIED) | TO(GONE),
	[REQUEST_BODY] = TO(WORKING) | TO(REPLIED) | TO(GONE),
	[REQUEST_WORKING] = TO(REPLIED) | TO(STREAMING) | TO(GONE),
	[REQUEST_REPLIED] = 0,
	[REQUEST_STREAMING] = 0,
	[REQUEST_GONE] = 0,
};
#undef TO

static void connection_move(struct connection *c, enum connection_phase to)
{
	c->phase = to;
	c->since_us = loop_now_us(c->server->loop);
	c->slow_us = 0;
	c->slow_bytes = 0;
	if (to == CONNECTION_IDLE)
		crowd_idle(c);
	else
		crowd_busy(c);
}

/* request_move: the only writer of r->phase. */
void request_move(struct request *r, enum request_phase to)
{
	CHECK(phase_graph[r->phase] & (1u << to));
	r->phase = to;
	connection_move(r->connection, to == REQUEST_BODY ? CONNECTION_BODY : CONNECTION_BUSY);
}

struct request *request_create(struct server *s, struct MHD_Connection *mhd, const char *target)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct request *r = calloc(1, REQUEST_BYTES);

	if (!r || !info || !info->socket_context)
		goto fail;
	arena_init_in(&r->arena, LIMIT_ARENA, (char *)r + REQUEST_OWN, REQUEST_BYTES - REQUEST_OWN);
	r->input = input_create(s->options->max_body);
	r->raw_target = arena_str(&r->arena, str_of(target));
	if (!r->input || !r->raw_target.p)
		goto fail;

	const char *query = memchr(r->raw_target.p, '?', r->raw_target.n);
	r->view.path = r->raw_target;
	if (query) {
		r->view.path.n = (size_t)(query - r->raw_target.p);
		r->query = (struct str){ query + 1, r->raw_target.n - r->view.path.n - 1 };
	}
	r->server = s;
	r->view.loop = s->loop;
	r->mhd = mhd;
	r->connection = info->socket_context;
	r->connection->request = r;
	r->view.start_us = clock_mono_us();
	r->view.method = "";
	r->view.by.who = &identity_nobody;
	id_request(r->view.id);
	connection_move(r->connection, CONNECTION_HEAD);
	s->busy++;
	atomic_fetch_add_explicit(&server_counters.in_flight, 1, memory_order_relaxed);
	return r;

fail:
	if (r) {
		input_destroy(r->input);
		arena_finish(&r->arena);
	}
	free(r);
	return NULL;
}

/* id_ok: a client's own id is logged only if it has the usual form. */
static bool id_ok(struct str id)
{
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    !strchr("._-", c))
			return false;
	}
	return id.n > 0 && id.n <= 128;
}

void request_client(const struct request *r, char ret[PEER_TEXT])
{
	const struct server_options    *o = r->server->options;
	const struct server_settings   *now = o->settings(o->arg);
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(r->mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	peer_client(info ? info->client_addr : NULL, r->view.head.x_forwarded_for,
		    r->view.head.forwarded, now->proxies, now->proxy_count, ret);
}

static void log_known(struct log_line *line, const char *key, struct str value)
{
	if (value.n > 0)
		log_str(line, key, value);
}

static void write_log(const struct request *r, int status, int64_t us)
{
	struct log_line line;
	char            client[PEER_TEXT];

	request_client(r, client);
	log_begin(&line, LOG_INFO, "request");
	log_str(&line, "request_id", str_of(r->view.id));
	log_known(&line, "client", str_of(client));
	if (id_ok(r->view.head.client_request_id))
		log_str(&line, "client_request_id", r->view.head.client_request_id);
	if (r->view.trace.id[0]) {
		log_str(&line, "trace_id", str_of(r->view.trace.id));
		log_str(&line, "span_id", str_of(r->view.trace.span));
	}
	log_str(&line, "method", str_of(r->view.method));
	log_str(&line, "route", str_of(r->route ? r->route->name : ""));
	/* A key in this place is a mistake of the client, and must not reach the log. */
	log_str(&line, "path",
		api_key_within(r->view.path) ? STR("(a key stands in it)") : r->view.path);
	log_int(&line, "status", status);
	log_ms(&line, "duration_ms", us);
	log_int(&line, "bytes_in", (int64_t)r->view.head.body_bytes);
	log_int(&line, "bytes_out", (int64_t)r->bytes_out);
	log_known(&line, "key_id", str_of(r->view.by.who->id));
	log_known(&line, "key_name", r->view.by.who->name);
	call_note_log(&r->note, &line);
	log_known(&line, "user_agent", r->view.head.user_agent);
	log_known(&line, "error_code",
		  r->refusal ? str_of(err_wire(r->refusal)) : r->note.error_code);
	log_end(&line);
}

/* The names are those of OpenTelemetry's conventions for HTTP servers. */
static void request_tell_trace(const struct request *r, int status, int64_t us)
{
	struct trace_span s;
	char              name[128];
	char              code[4];

	if (!trace_wanted(&r->view.trace) || (r->route && (r->route->traits & ROUTE_QUIET)))
		return;
	/* Without a route, the method may be any text. */
	snprintf(name, sizeof name, "%s %s", r->route ? r->view.method : "HTTP",
		 r->route ? r->route->path : "");
	snprintf(code, sizeof code, "%d", status);
	trace_open(&s, &r->view.trace, TRACE_SERVER, str_of(name), us);
	trace_str(&s, "http.request.method", str_of(r->route ? r->view.method : "_OTHER"));
	if (r->route)
		trace_str(&s, "http.route", str_of(r->route->path));
	trace_int(&s, "http.response.status_code", status);
	trace_str(&s, "url.scheme", str_of(r->server->tls ? "https" : "http"));
	trace_str(&s, "parley.request_id", str_of(r->view.id));
	trace_str(&s, "parley.run", r->note.run);
	trace_close(&s, status < 500 && status != 499 ? NULL
			: r->refusal                  ? err_wire(r->refusal)
						      : code);
}

static void request_count(const struct request *r, int status, int64_t us)
{
	const char        *route = r->route ? r->route->name : "none";
	const char *const *labels = (const char *[]){ route, "", "" };

	metric_http(route, r->view.method, status, us);
	metric_observe(METRIC_REQUEST_BYTES, labels, (int64_t)r->view.head.body_bytes);
	metric_observe(METRIC_RESPONSE_BYTES, labels, (int64_t)r->bytes_out);
	if (!r->note.upstream_us)
		return;

	/* A client may have the last byte before the run has noted that the provider is done. */
	int64_t own_us = us - r->note.upstream_us;

	metric_observe(METRIC_OVERHEAD, labels, own_us > 0 ? own_us : 0);
}

/* request_unmade: whether a call ended without a run.  What an earlier call answers is no call. */
static bool request_unmade(const struct request *r)
{
	bool refused = r->status >= 400 && r->refusal;

	return r->route && (r->route->traits & ROUTE_CALL) && r->note.run.n == 0 &&
	       !r->note.replayed && (r->status == 0 || refused);
}

static void request_tell_unmade(const struct request *r, int64_t us)
{
	const struct server_options *o = r->server->options;

	if (!o->unmade)
		return;
	o->unmade(o->arg, r,
		  &(struct server_unmade){
			  .id = r->unmade,
			  .http = r->status,
			  .us = us,
			  .code = r->status != 0 ? err_wire(r->refusal) : NULL,
			  .model = r->note.model,
			  .label = r->note.label,
		  });
}

void request_destroy(struct request *r)
{
	if (!r)
		return;

	struct server *s = r->server;
	int64_t        us = clock_mono_us() - r->view.start_us;
	/* No status means that the client has left before; 499 is only in logs. */
	int status = r->status ? r->status : 499;

	CHECK(!r->suspended && !r->resuming && !r->held);
	upload_cut(r);
	if (r->stream)
		stream_completed(r->stream);
	bool unmade = request_unmade(r);
	char run[ID_MAX];
	if (unmade) {
		r->note.outcome = r->status == 0 ? STR("client_left") : STR("refused");
		if (id_none(r->unmade))
			r->unmade = id_new();
		if (s->options->unmade)
			r->note.run = id_text(r->unmade, ID_RUN, run);
	}
	if (log_on(LOG_INFO) && !(r->route && (r->route->traits & ROUTE_QUIET) && status < 400))
		write_log(r, status, us);
	request_count(r, status, us);
	request_tell_trace(r, status, us);
	if (unmade)
		request_tell_unmade(r, us);
	r->connection->request = NULL;
	connection_move(r->connection, CONNECTION_IDLE);
	if (r->response)
		MHD_destroy_response(r->response);
	input_destroy(r->input);
	arena_finish(&r->arena);
	identity_release(r->view.by.who);
	s->busy--;
	atomic_fetch_sub_explicit(&server_counters.in_flight, 1, memory_order_relaxed);
	free(r);
}

void request_dropped(struct request *r)
{
	r->view.method = "";
	r->view.head = (struct head){ .body_bytes = r->view.head.body_bytes };
	request_destroy(r);
}

/* --- suspending --- */

/* Suspending costs five system calls: the library takes the descriptor out of its epoll set, and at
 * the next request it reads in vain, puts the descriptor back, and is told that there is room to
 * write.  A held request costs nothing but a call at each run of the library, because a connection
 * without an answer is looked at again each time.  So a request that waits for its provider is held
 * first; a wait that is not short ends as a suspension.  TLS is not held, because the library may have
 * bytes that no event tells of (library_wait_ms). */
void request_hold(struct request *r)
{
	struct server *s = r->server;

	if (s->tls) {
		request_suspend(r);
		return;
	}
	CHECK(!r->held);
	r->held = true;
	r->held_runs = 0;
	r->held_us = loop_now_us(s->loop);
	if (s->held++ == 0)
		s->held_until_us = r->held_us + HELD_US;
}

static void hold_end(struct request *r)
{
	r->held = false;
	r->server->held--;
}

bool request_held(struct request *r)
{
	if (!r->held)
		return false;
	if (++r->held_runs > HELD_RUNS || loop_now_us(r->server->loop) - r->held_us >= HELD_US) {
		hold_end(r);
		request_suspend(r);
	}
	return true;
}

void request_suspend(struct request *r)
{
	CHECK(!r->suspended);
	r->suspended = true;
	r->server->suspended++;
	MHD_suspend_connection(r->mhd);
}

static void resume_all(struct server *s)
{
	while (s->to_resume) {
		struct request *r = s->to_resume;

		s->to_resume = r->next_resume;
		r->resuming = false;
		r->suspended = false;
		s->suspended--;
		MHD_resume_connection(r->mhd);
	}
	s->need_run = true;
	s->resumed_us = loop_now_us(s->loop);
}

static void resume_due(struct timer *t)
{
	resume_all(container_of(t, struct server, resume_tick));
}

void request_resume(struct request *r)
{
	struct server *s = r->server;

	if (r->held) {
		hold_end(r);
		s->need_run = true;
	}
	if (!r->suspended || r->resuming)
		return;
	r->resuming = true;
	r->next_resume = s->to_resume;
	s->to_resume = r;

	int64_t since = loop_now_us(s->loop) - s->resumed_us;
	if (s->suspended <= SUSPENDED_MANY || since >= RESUME_TICK_US) {
		resume_all(s);
	} else if (!timer_running(&s->resume_tick)) {
		s->resume_tick.fn = resume_due;
		timer_start(s->loop, &s->resume_tick, RESUME_TICK_US - since);
	}
}

void request_client_left(struct request *r)
{
	if (r->phase == REQUEST_STREAMING && r->stream) {
		stream_reader_left(r->stream);
		return;
	}
	if (r->phase != REQUEST_WORKING)
		return;

	void (*left)(void *arg) = r->left;
	request_move(r, REQUEST_GONE);
	r->left = NULL;
	request_resume(r);
	if (left)
		left(r->left_arg);
}

void request_cut_off(struct request *r)
{
	if (r->held)
		hold_end(r);
	request_client_left(r);
}

void request_on_left(struct request *r, void (*fn)(void *arg), void *arg)
{
	r->left = fn;
	r->left_arg = arg;
}

/* --- what handlers ask --- */

const struct request_view *request_view(const struct request *r)
{
	return &r->view;
}

/* A listener that only this machine reaches serves everybody if a proxy on this machine passes their
 * requests on. */
struct route_list request_routes(const struct request *r)
{
	struct route_list list = r->server->options->routes;

	if (r->view.head.x_forwarded_for.p || r->view.head.forwarded.p)
		list.without |= r->server->options->without_proxied;
	return list;
}

bool request_reaches(const struct request *r, enum route_auth auth)
{
	return !(request_routes(r).without & 1u << auth);
}

const struct family *request_family(const struct request *r)
{
	return r->server->options->family(r, r->route);
}

int64_t request_owner(const struct request *r)
{
	return r->view.by.who->owner;
}

struct str request_param(const struct request *r, size_t i)
{
	CHECK(i < ROUTE_PARAMS);
	return r->params[i];
}

/* A header that is looked for, and who gets its lines. */
struct named_header {
	struct str name;
	void (*fn)(void *arg, struct str line);
	void *arg;
};

static enum MHD_Result find_header(void *cls, enum MHD_ValueKind kind, const char *name,
				   size_t name_len, const char *value, size_t value_len)
{
	const struct named_header *h = cls;

	(void)kind;
	if (name_len == h->name.n && strncasecmp(name, h->name.p, name_len) == 0)
		h->fn(h->arg, (struct str){ value ? value : "", value_len });
	return MHD_YES;
}

void request_header_lines(const struct request *r, const char          *name,
			  void (*fn)(void *arg, struct str line), void *arg)
{
	struct named_header h = { .name = str_of(name), .fn = fn, .arg = arg };

	MHD_get_connection_values_n(r->mhd, MHD_HEADER_KIND, find_header, &h);
}

struct prefixed {
	struct str prefix;
	void (*fn)(void *arg, struct str name, struct str value);
	void *arg;
};

static enum MHD_Result find_prefix(void *cls, enum MHD_ValueKind kind, const char *name,
				   size_t name_len, const char *value, size_t value_len)
{
	const struct prefixed *p = cls;
	size_t                 n = p->prefix.n;

	(void)kind;
	if (name_len > n && strncasecmp(name, p->prefix.p, n) == 0)
		p->fn(p->arg, (struct str){ name + n, name_len - n },
		      (struct str){ value ? value : "", value_len });
	return MHD_YES;
}

void request_headers_with(const struct request *r, const char                            *prefix,
			  void (*fn)(void *arg, struct str name, struct str value), void *arg)
{
	struct prefixed p = { .prefix = str_of(prefix), .fn = fn, .arg = arg };

	MHD_get_connection_values_n(r->mhd, MHD_HEADER_KIND, find_prefix, &p);
}

static void take_line(void *arg, struct str line)
{
	*(struct str *)arg = line;
}

struct str request_header(const struct request *r, const char *name)
{
	struct str last = STR_NONE;

	request_header_lines(r, name, take_line, &last);
	return last;
}

struct arena *request_arena(struct request *r)
{
	return &r->arena;
}

const struct input *request_input(const struct request *r)
{
	return r->input;
}

struct input *request_input_take(struct request *r)
{
	return TAKE(r->input);
}

/* key_matches: true also for a key with empty brackets: "include[]" matches "include". */
static bool key_matches(struct str key, const char *want)
{
	size_t n = strlen(want);

	return str_is(key, want) ||
	       (key.n == n + 2 && memcmp(key.p, want, n) == 0 && memcmp(key.p + n, "[]", 2) == 0);
}

/* next_pair: cuts the next key and value off *rest and decodes them. Pairs that can't be decoded,
 * and empty values, are skipped: an empty value means absent. */
static bool next_pair(struct request *r, struct str *rest, struct str *ret_key,
		      struct str *ret_value)
{
	while (rest->n > 0) {
		const char *amp = memchr(rest->p, '&', rest->n);
		struct str  pair = { rest->p, amp ? (size_t)(amp - rest->p) : rest->n };
		const char *eq = pair.n ? memchr(pair.p, '=', pair.n) : NULL;
		struct str  raw_key = { pair.p, eq ? (size_t)(eq - pair.p) : pair.n };
		struct str  raw_value = STR_NONE;
		char       *scratch = arena_alloc(&r->arena, 2 * pair.n + 2);
		size_t      key_len;
		size_t      value_len;

		if (eq)
			raw_value = (struct str){ eq + 1, pair.n - raw_key.n - 1 };
		rest->p += pair.n + (amp ? 1 : 0);
		rest->n -= pair.n + (amp ? 1 : 0);
		if (!scratch || !route_decode(raw_key, true, scratch, &key_len) ||
		    !route_decode(raw_value, true, scratch + pair.n + 1, &value_len) ||
		    value_len == 0)
			continue;
		*ret_key = (struct str){ scratch, key_len };
		*ret_value = (struct str){ scratch + pair.n + 1, value_len };
		return true;
	}
	return false;
}

bool request_query(struct request *r, const char *key, size_t nth, struct str *ret)
{
	struct str rest = r->query;
	struct str name;
	struct str value;

	while (next_pair(r, &rest, &name, &value)) {
		if (!key_matches(name, key) || nth-- > 0)
			continue;
		*ret = value;
		return true;
	}
	return false;
}

bool request_query_is(const struct request *r, const char *key, const char *value)
{
	struct str rest = r->query;
	size_t     n = strlen(key);

	while (rest.n > 0) {
		const char *amp = memchr(rest.p, '&', rest.n);
		struct str  pair = { rest.p, amp ? (size_t)(amp - rest.p) : rest.n };

		if (pair.n > n + 1 && memcmp(pair.p, key, n) == 0 && pair.p[n] == '=' &&
		    (!value || str_is((struct str){ pair.p + n + 1, pair.n - n - 1 }, value)))
			return true;
		rest.p += pair.n + (amp ? 1 : 0);
		rest.n -= pair.n + (amp ? 1 : 0);
	}
	return false;
}

bool request_query_within(struct request *r, const char *name, size_t nth, struct str *ret_key,
			  struct str *ret_value)
{
	struct str rest = r->query;
	size_t     n = strlen(name);
	struct str key;
	struct str value;

	while (next_pair(r, &rest, &key, &value)) {
		if (key.n < n + 2 || memcmp(key.p, name, n) != 0 || key.p[n] != '[' ||
		    key.p[key.n - 1] != ']' || nth-- > 0)
			continue;
		*ret_key = (struct str){ key.p + n + 1, key.n - n - 2 };
		*ret_value = value;
		return true;
	}
	return false;
}

bool request_query_with(struct request *r, const char *prefix, size_t nth, struct str *ret_rest,
			struct str *ret_value)
{
	struct str rest = r->query;
	struct str begin = str_of(prefix);
	struct str key;

	while (next_pair(r, &rest, &key, ret_value)) {
		if (!str_starts(key, begin) || nth-- > 0)
			continue;
		*ret_rest = (struct str){ key.p + begin.n, key.n - begin.n };
		return true;
	}
	return false;
}

static void request_keep(struct request *r, struct str *to, struct str s)
{
	if (s.n > 0 && !str_eq(*to, s))
		*to = arena_str(&r->arena, s);
}

bool request_is_listed(const struct request *r)
{
	return r->server->options->unmade != NULL;
}

void request_note(struct request *r, const struct call_note *n)
{
	request_keep(r, &r->note.run, n->run);
	request_keep(r, &r->note.conversation, n->conversation);
	request_keep(r, &r->note.model, n->model);
	request_keep(r, &r->note.label, n->label);
	request_keep(r, &r->note.provider, n->provider);
	request_keep(r, &r->note.finish_reason, n->finish_reason);
	request_keep(r, &r->note.outcome, n->outcome);
	request_keep(r, &r->note.error_code, n->error_code);
	if (n->cache)
		r->note.cache = n->cache;
	if (n->tokens_in || n->tokens_out) {
		r->note.tokens_in = n->tokens_in;
		r->note.tokens_out = n->tokens_out;
	}
	if (n->costs) {
		r->note.costs = true;
		r->note.cost_nano = n->cost_nano;
	}
	if (n->first_token_us)
		r->note.first_token_us = n->first_token_us;
	if (n->upstream_us)
		r->note.upstream_us = n->upstream_us;
	if (n->attempts)
		r->note.attempts = n->attempts;
	r->note.stream = r->note.stream || n->stream;
	r->note.replayed = r->note.replayed || n->replayed;
}

void request_refuse(struct request *r, const struct err *e)
{
	static struct err no_memory = { .code = ERR_OVERLOADED,
					.text = "no memory for the request" };

	r->refusal = arena_alloc(&r->arena, sizeof *r->refusal);
	if (r->refusal)
		*r->refusal = *e;
	else
		r->refusal = &no_memory;
}

/* --- request_aside: A request whose work is at a worker's: who comes back first, the worker or the client's end. */

static void request_aside_left(void *arg)
{
	struct request_aside *a = arg;

	a->request = NULL;
	work_unwant(&a->job);
}

static void request_aside_run(struct work_job *job)
{
	struct request_aside *a = container_of(job, struct request_aside, job);

	a->err.code = a->run(a, &a->err);
}

static void request_aside_done(struct work_job *job)
{
	struct request_aside *a = container_of(job, struct request_aside, job);

	if (a->request)
		request_on_left(a->request, NULL, NULL);
	a->done(a);
}

enum errc request_aside_start(struct request_aside *a, struct request *r, struct work_pool *pool,
			      enum errc (*run)(struct request_aside *a, struct err *e),
			      void (*done)(struct request_aside *a), struct err *e)
{
	*a = (struct request_aside){ .request = r, .run = run, .done = done };
	a->job = (struct work_job){ .loop = request_view(r)->loop,
				    .run = request_aside_run,
				    .done = request_aside_done };
	if (!work_submit(pool, &a->job))
		return err_set(e, ERR_OVERLOADED, "",
			       "too many large requests are waiting; try again");
	request_on_left(r, request_aside_left, a);
	return ERR_OK;
}
