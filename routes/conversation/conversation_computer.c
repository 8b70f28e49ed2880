/* Asks the runner about the session of a conversation.
 *
 *   the store: the conversation is the caller's --> the runner: one question --> the answer
 *                                                                           \--> a file, as it comes */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "computer/link.h"
#include "http/body.h"
#include "http/reply.h"
#include "http/request.h"
#include "json/scan.h"
#include "routes/kit/gateway.h"
#include "routes/kit/lookup.h"
#include "run/session_name.h"
#include "store/conversation.h"

#include <stdlib.h>

enum { ASK_US = 10 * 1000 * 1000, ASK_MAX = 4 * 1024 * 1024 };

struct asking {
	struct gateway          *gateway;
	struct request          *request; /* until the answer begins; NULL: the client has left */
	struct conversation_read read;
	enum frame_kind          kind;
	struct str               path; /* path of a file, in the arena; p NULL: none */
	struct link             *link; /* owned */
	struct timer             timer;
	struct buf               out;   /* the answer's body, or bytes of the file that wait */
	size_t                   count; /* files listed so far */
	int64_t                  bytes; /* size of the file */
	struct download         *download;
	bool                     whole; /* all bytes of the file have come */
	bool                     failed;
};

static void asking_destroy(struct asking *x)
{
	timer_stop(x->gateway->loop, &x->timer);
	link_close(x->link);
	arena_finish(&x->read.arena);
	buf_finish(&x->out);
	free(x);
}

static void asking_fail(struct asking *x, enum errc code, const char *path, const char *text)
{
	if (x->request)
		reply_refuse(x->request, code, path, text);
	asking_destroy(x);
}

static void asking_left(void *arg)
{
	struct asking *x = arg;

	x->request = NULL;
	if (x->link || x->timer.link)
		asking_destroy(x);
	else
		atomic_store_explicit(&x->read.job.cancelled, true, memory_order_relaxed);
}

static void asking_reply(struct asking *x, bool ok)
{
	struct request *r = x->request;

	if (!ok)
		buf_clear(&x->out); /* told as a lack of memory */
	reply_json_take(r, 200, &x->out);
	asking_destroy(x);
}

/* --- a file --- */

static struct str file_ready(void *arg, bool *ret_failed)
{
	struct asking *x = arg;

	*ret_failed = x->failed && x->out.len == 0;
	return buf_view(&x->out);
}

static void file_taken(void *arg, size_t n)
{
	struct asking *x = arg;

	buf_take_front(&x->out, n);
	if (x->link && x->out.len < LIMIT_FEED_LOW)
		link_pause(x->link, false);
}

static void file_over(void *arg)
{
	asking_destroy(arg);
}

static bool file_ended(void *arg)
{
	return ((struct asking *)arg)->whole;
}

static bool file_open(struct asking *x)
{
	static const struct download_source source = { file_ready, file_taken, file_over,
						       file_ended };

	if (x->download)
		return true;
	timer_stop(x->gateway->loop, &x->timer);
	reply_header(x->request, "Content-Type", STR("application/octet-stream"));
	reply_header(x->request, "Content-Disposition", STR("attachment"));
	reply_header(x->request, "X-Content-Type-Options", STR("nosniff"));
	reply_header(x->request, "Content-Security-Policy", STR("default-src 'none'; sandbox"));
	reply_header(x->request, "Cache-Control", STR("no-store"));
	x->download = download_open(x->request, (uint64_t)x->bytes, &source, x);
	if (!x->download)
		return false;
	x->request = NULL;
	return true;
}

/* file_found: the length of the file is told first, and its bytes are as many, unless it is cut. */
static void file_found(struct asking *x, const struct json_doc *d)
{
	if (!json_int(d, json_get(d, 0, "bytes"), &x->bytes) || x->bytes < 0)
		asking_fail(x, ERR_COMPUTER, "", "the computer's answer can't be read");
	else if (!file_open(x))
		asking_fail(x, ERR_OVERLOADED, "", "no memory for the file");
}

static void file_bytes(struct asking *x, struct str bytes)
{
	if (!file_open(x)) {
		asking_fail(x, ERR_OVERLOADED, "", "no memory for the file");
		return;
	}
	x->failed |= !buf_str(&x->out, bytes);
	if (x->out.len > LIMIT_FEED_HIGH)
		link_pause(x->link, true);
	download_wake(x->download);
}

static void file_end(struct asking *x, bool whole)
{
	if (!file_open(x)) {
		asking_fail(x, ERR_OVERLOADED, "", "no memory for the file");
		return;
	}
	link_close(TAKE(x->link));
	x->whole = whole;
	x->failed |= !whole;
	download_wake(x->download);
}

/* --- what the runner says --- */

static bool put_conversation(struct asking *x)
{
	char id[ID_MAX];

	return buf_text(&x->out, "{\"object\":\"computer\",\"conversation\":\"") &&
	       buf_str(&x->out, id_text(x->read.conversation, ID_CONVERSATION, id)) &&
	       buf_text(&x->out, "\",");
}

/* put_languages: "python, shell" as a list. */
static bool put_languages(struct asking *x, struct str names)
{
	bool ok = buf_text(&x->out, "\"languages\":[");

	for (size_t n = 0; ok && names.n > 0; n++) {
		const char *end = memchr(names.p, ',', names.n);
		struct str  one = { names.p, end ? (size_t)(end - names.p) : names.n };

		names = (struct str){ names.p + one.n + (end != NULL),
				      names.n - one.n - (end != NULL) };
		ok = buf_text(&x->out, n > 0 ? ",\"" : "\"") && buf_str(&x->out, str_trim(one)) &&
		     buf_text(&x->out, "\"");
	}
	return ok && buf_text(&x->out, "],");
}

static void asking_state(struct asking *x, const struct json_doc *d)
{
	struct str state = json_get_inner(d, 0, "state");
	int64_t    idle = 0;
	int64_t    memory = 0;
	bool       ok = json_int(d, json_get(d, 0, "idle_ms"), &idle) &&
		  json_int(d, json_get(d, 0, "memory"), &memory) && put_conversation(x) &&
		  buf_text(&x->out, "\"state\":\"") && buf_str(&x->out, state) &&
		  buf_text(&x->out, "\",") && put_languages(x, json_get_inner(d, 0, "languages")) &&
		  buf_fmt(&x->out, "\"idle_ms\":%lld,\"memory\":%lld}", (long long)idle,
			  (long long)memory);

	asking_reply(x, ok);
}

static void asking_gone(struct asking *x)
{
	asking_reply(x, put_conversation(x) && buf_text(&x->out, "\"state\":\"none\","
								 "\"languages\":[],\"idle_ms\":0,"
								 "\"memory\":0}"));
}

static void asking_listed(struct asking *x, const struct json_doc *d)
{
	json_at path = json_get(d, 0, "path");
	int64_t bytes = 0;

	if (path == JSON_ABSENT || !json_int(d, json_get(d, 0, "bytes"), &bytes))
		return;
	/* An entry without room is left out, and the answer fails at its end. */
	x->failed |= !(buf_text(&x->out, x->count++ > 0 ? "," : "") &&
		       buf_text(&x->out, "{\"path\":") && buf_str(&x->out, json_raw(d, path)) &&
		       buf_fmt(&x->out, ",\"bytes\":%lld}", (long long)bytes));
}

static void asking_list_end(struct asking *x, bool more)
{
	asking_reply(x, !x->failed && buf_text(&x->out, more ? "],\"has_more\":true}"
							     : "],\"has_more\":false}"));
}

static bool asking_scan(const struct frame *f, struct json_doc *ret)
{
	struct err e;

	return json_scan(ret, f->body.p, f->body.n, &json_limits_request, &e) == ERR_OK &&
	       json_kind(ret, 0) == JSON_OBJECT;
}

static void asking_json(struct asking *x, const struct frame *f)
{
	struct json_doc d = { 0 };

	if (!asking_scan(f, &d))
		asking_fail(x, ERR_COMPUTER, "", "the computer's answer can't be read");
	else if (f->kind == FRAME_STATE)
		asking_state(x, &d);
	else if (f->kind == FRAME_RESET)
		asking_gone(x);
	else if (f->kind == FRAME_FILE && x->path.p)
		file_found(x, &d);
	else if (f->kind == FRAME_FILE)
		asking_listed(x, &d);
	else if (f->kind == FRAME_END && x->path.p)
		file_end(x, json_get_is(&d, 0, "outcome", "ok"));
	else if (f->kind == FRAME_END)
		asking_list_end(x, json_is_kind(&d, json_get(&d, 0, "more"), JSON_TRUE));
	else if (f->kind == FRAME_REFUSED && !x->path.p && x->kind == FRAME_DOWNLOAD)
		asking_list_end(x, false); /* no session: no files */
	else
		asking_fail(x, ERR_NOT_FOUND, "", "there is no such file");
	json_doc_finish(&d);
}

static void asking_on_frame(void *arg, const struct frame *f)
{
	struct asking *x = arg;

	if (f->kind == FRAME_BYTES)
		file_bytes(x, f->body);
	else
		asking_json(x, f);
}

static void asking_on_lost(void *arg)
{
	struct asking *x = arg;

	x->link = NULL;
	if (!x->download) {
		asking_fail(x, ERR_COMPUTER, "", "the computer does not answer");
		return;
	}
	x->failed = true;
	download_wake(x->download);
}

static void asking_on_time(struct timer *t)
{
	asking_fail(container_of(t, struct asking, timer), ERR_COMPUTER, "",
		    "the computer does not answer");
}

/* --- the question --- */

static bool put_question(struct asking *x, struct buf *out)
{
	char       name[SESSION_NAME_TEXT];
	struct buf body;

	session_name(x->gateway->store, x->read.owner, x->read.conversation, name);
	buf_init(&body, 16 * KIB);
	bool ok = buf_fmt(&body, "{\"session\":\"%s\"", name) &&
		  (!x->path.p ||
		   (buf_text(&body, ",\"path\":") && buf_json_string(&body, x->path))) &&
		  buf_text(&body, "}") && frame_put(out, x->kind, buf_view(&body));
	buf_finish(&body);
	return ok;
}

/* asking_nothing: a gateway without a computer has no sessions. */
static void asking_nothing(struct asking *x)
{
	if (x->path.p)
		asking_fail(x, ERR_NOT_FOUND, "", "there is no such file");
	else if (x->kind == FRAME_DOWNLOAD)
		asking_list_end(x, false);
	else
		asking_gone(x);
}

static void asking_on_read(struct store_job *job)
{
	static const struct link_ear ear = { asking_on_frame, asking_on_lost };
	struct asking               *x = container_of(job, struct asking, read.job);
	struct err                   e = job->err;
	struct buf                   out;

	if (!x->request) {
		asking_destroy(x);
		return;
	}
	if (e.code == ERR_OK && !x->gateway->computer) {
		asking_nothing(x);
		return;
	}
	buf_init(&out, 32 * KIB);
	if (e.code == ERR_OK && !put_question(x, &out))
		err_no_memory(&e);
	if (e.code == ERR_OK)
		e.code = link_open(x->gateway->loop, x->gateway->computer, &out, &ear, x, &x->link,
				   &e);
	buf_finish(&out);
	if (e.code != ERR_OK) {
		reply_error(x->request, &e);
		asking_destroy(x);
		return;
	}
	x->timer.fn = asking_on_time;
	timer_start(x->gateway->loop, &x->timer, ASK_US);
}

static void asking_begin(struct request *r, struct gateway *g, enum frame_kind kind, bool file)
{
	struct id      id;
	struct asking *x = NULL;

	if (!lookup_id(r, ID_CONVERSATION, "there is no such conversation", &id))
		return;
	x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the answer");
		return;
	}
	*x = (struct asking){ .gateway = g, .request = r, .kind = kind };
	x->read = (struct conversation_read){
		.job = { .loop = g->loop, .done = asking_on_read },
		.owner = request_owner(r),
		.conversation = id,
	};
	arena_init(&x->read.arena, MIB);
	buf_init(&x->out, ASK_MAX);
	if (file)
		x->path = arena_str(&x->read.arena, request_param(r, 1));
	bool ok = (!file || x->path.p) && (kind != FRAME_DOWNLOAD || file ||
					   buf_text(&x->out, "{\"object\":\"list\",\"data\":["));
	if (!ok || !store_conversation_read(g->store, &x->read)) {
		asking_fail(x, ERR_OVERLOADED, "", "too many reads are waiting; try again");
		return;
	}
	request_on_left(r, asking_left, x);
}

void conversation_computer_get(struct request *r, void *app)
{
	asking_begin(r, app, FRAME_STATE, false);
}

void conversation_computer_delete(struct request *r, void *app)
{
	asking_begin(r, app, FRAME_RESET, false);
}

void conversation_computer_files(struct request *r, void *app)
{
	asking_begin(r, app, FRAME_DOWNLOAD, false);
}

void conversation_computer_file(struct request *r, void *app)
{
	asking_begin(r, app, FRAME_DOWNLOAD, true);
}
