/* provider/remote: a provider over HTTP: a dialect joined with a connection. Internal to
 * provider/. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "msg/event.h"
#include "msg/prompt.h"
#include "provider/dialect.h"
#include "upstream/upstream.h"

/* remote_create: as provider_create, for one dialect. */
enum errc remote_create(const struct provider_options *o, const struct dialect *dialect,
			struct provider **ret, struct err *e) MUST_USE;

/* --- remote_call: one call of a provider over HTTP. Internal to provider/remote.
 *
 * Threads: the loop of the call. A worker decodes long answers and events; meanwhile the loop does
 * not use the decoder. */

struct embed_want;
struct names;
struct upstream_target;

/* The arguments of a call. */
struct remote_ask {
	const struct provider  *provider;
	const struct dialect   *dialect;
	struct upstream_target *target; /* borrowed */
	struct upstream_limits  limits;
	bool                    stream;
	bool                    native; /* native and count: same as in struct decode */
	bool                    count;
	const char             *header; /* borrowed; further header lines; NULL: none */
	struct buf              body;
	struct buf              url;        /* NUL-terminated; empty: the target's URL */
	struct credential      *credential; /* borrowed; signs the call; NULL: header is all */
	struct embed_want      *want;       /* owned; NULL: a chat */
	struct names           *names;      /* owned; to be turned back in the answer; NULL: none */
};

void remote_ask_init(struct remote_ask *a);
void remote_ask_finish(struct remote_ask *a);

/* remote_call_start: as start of struct provider_ops. Takes body, url, want and names out of a, also on
 * failure, except if there is no memory for a call. */
enum errc remote_call_start(struct remote_ask *a, const struct provider_env *env,
			    provider_event_fn on_event, void *arg, struct provider_call **ret,
			    struct err *e) MUST_USE;
void      remote_call_cancel(struct provider_call *call);
void      remote_call_pause(struct provider_call *call, bool pause);

/* remote_call_name: replaces `opening` at the beginning of an error's text by "the provider" and
 * the provider's name. False: the text begins otherwise. */
bool remote_call_name(const char *name, const char *opening, struct err *e);

/* --- remote_sign: the header lines that a call gets of its entry's credential: waits for keys, and lets a worker
 * hash a long body.  Internal to provider/.
 *
 *   remote_sign_go --keys, short body--> its lines
 *        |  ^
 *        |  +-- no keys yet: a refresh ends --+
 *        +----- a long body: a worker --------+--> on_signed
 *
 * Threads: the loop of the call. */

struct remote_sign;

/* All borrowed, until remote_sign_leave_take. */
struct remote_sign_options {
	const struct provider_env    *env; /* for the call alone */
	struct credential            *credential;
	const struct upstream_target *target;
	struct upstream_limits        limits;
	bool                          stream;
	const char
		*header; /* for the call alone; the lines that the call has already; NULL: none */
	/* on_signed: e: NULL: the lines are there; never called from within remote_sign_go. */
	void (*on_signed)(void *arg, const char *header, const struct err *e);
	void *arg;
};

/* remote_sign_create: owned; NULL: no memory. */
struct remote_sign *remote_sign_create(const struct remote_sign_options *o) MUST_USE;
/* remote_sign_go: *ret: all lines of the call, as in upstream_ask; NULL: on_signed follows.  url: NULL: the target's.
 * body and url are borrowed until then, or until remote_sign_leave_take.  Errors: those of credential_wait and
 * credential_lines. */
enum errc remote_sign_go(struct remote_sign *s, const char *url, struct str body, const char **ret,
			 struct err *e) MUST_USE;
/* remote_sign_again: whether this answer says that the keys are not good, for the first time: then they count as old.
 * remote_sign_refused: whether an answer says so, at any time. */
bool remote_sign_again(struct remote_sign *s, int status, struct str body);
bool remote_sign_refused(const struct remote_sign *s, int status, struct str body);
/* remote_sign_send: starts the call with these lines. */
enum errc remote_sign_send(const struct remote_sign *s, const struct upstream_ask *ask,
			   const struct upstream_callbacks *cb, void *arg,
			   struct upstream_call **ret, struct err *e) MUST_USE;
/* remote_sign_leave_take: on_signed does not come any more; consumes s, which may be NULL, and the bytes of the body. */
void remote_sign_leave_take(struct remote_sign *s, struct buf *body);

/* remote_sign_head: appends the lines of a call as a dialect's sign gets them.  own: with CRLF between two; NULL: none. */
bool remote_sign_head(const struct upstream_target *target, bool stream, const char *own,
		      struct buf *out) MUST_USE;

/* --- endpoint: the URLs and headers of a provider over HTTP. Internal to provider/. */

/* endpoint_check: checks the options that every provider over HTTP has. Errors: INVALID_VALUE. */
enum errc endpoint_check(const struct provider_options *o, struct err *e) MUST_USE;
/* endpoint_base: the length of base_url without the dialect's path at its end, which people copy
 * from a provider's page together with the base. */
size_t endpoint_base(const struct provider_options *o, const struct dialect *dialect);
/* endpoint_is_vendor: whether base_url has one of the dialect's hosts. */
bool endpoint_is_vendor(const struct provider_options *o, const struct dialect *dialect);
/* endpoint_value: the value of a header that the options or else the dialect name; NULL: neither
 * does.  Borrowed from them. */
const char *endpoint_value(const struct provider_options *o, const struct dialect *dialect,
			   const char *name);
/* endpoint_target: makes an owned target for a path after the base. get: GET instead of POST; only
 * then the target has the headers that calls bring along (dialect->call_headers).
 * Errors: those of upstream_target_create, OVERLOADED. */
enum errc endpoint_target(const struct provider_options *o, const struct dialect *dialect,
			  const char *path, bool get, struct upstream_target **ret,
			  struct err *e) MUST_USE;

/* --- names: names of functions that a provider's API refuses, as short ones, and back.
 * Internal to provider/.
 *
 * Anthropic's API takes names of up to 128 letters, digits, `_` and `-`; others 64 ("mcp__server__tool"
 * is often longer), and the clients of some send other characters. The short name is the beginning of the
 * long one and a hash of it, the same in each request, so that a provider's cache and a model's memory
 * hold. Everybody but the provider sees the client's own name. Source: FunctionObject in OpenAI's
 * description of its API, and the texts of errors ("string too long. Expected a string with maximum
 * length 64"). */

/* The names that one call has to turn back. */

/* names_shorten: replaces the names in the tools, the choice and the messages of a copy of a prompt;
 * what is made is in the arena. A prompt without such a name is left as it is, and was hardly read.
 * Errors: OVERLOADED, REQUEST_TOO_LARGE. */
enum errc names_shorten(struct prompt *p, struct arena *a, struct err *e) MUST_USE;

/* names_read: *ret is owned; NULL: the prompt's tools have no such name. Errors: OVERLOADED. */
enum errc names_read(const struct prompt *p, struct names **ret, struct err *e) MUST_USE;
/* names_restore: changes an event of the call: the client's names, and nothing of the provider's own
 * bytes, in which they are short. What is made is borrowed until the next event. False: nothing is
 * left of the event, or (*ret_starved) memory is short. */
bool names_restore(struct names *n, struct event *ev, bool *ret_starved) MUST_USE;
/* names_free: NULL is fine. */
void names_free(struct names *n);

/* --- kept: a queue of events that a worker has decoded and that wait for their loop.
 *
 * A text longer than LIMIT_PIECE is kept as several events, as if the provider had sent several
 * pieces, so that a step of the loop prints or escapes one piece, not megabytes. An event of a
 * stream that is long nevertheless is kept twice, for two passes (enum event_pass).
 *
 * Threads: any, one at a time. */

struct kept_event;

struct kept {
	struct arena arena;  /* memory of the events and of copied spans */
	struct buf  *source; /* borrowed; the decoded bytes; spans into them are not copied */
	struct buf   made;   /* copy of the first long raw outside of source; empty: none */
	bool         stream; /* source is an event of a stream */
	bool         cut;    /* the newest event was split, or follows a split one of its chunk */
	struct kept_event  *first;
	struct kept_event **end;
};

void kept_init(struct kept *k);
/* kept_start: forgets all events. The next ones are decoded from source, which must live until
 * kept_start or kept_finish. stream: source is an event of a stream, not a plain answer. */
void kept_start(struct kept *k, struct buf *source, bool stream);
void kept_finish(struct kept *k);
/* kept_add: appends the event, with copies of its spans outside of source. False: no memory. */
bool kept_add(struct kept *k, const struct event *ev) MUST_USE;
/* kept_take: removes and returns the next event, borrowed until kept_start or kept_finish; NULL:
 * none. same: only if the event has the number of the one before, because the log takes all events
 * of a number together. */
const struct event *kept_take(struct kept *k, bool same);
