/* http/request: the functions with which a handler reads a request, and learns that the client
 * left.
 *
 * A request belongs to the loop of its connection. It lives until its reply is sent, its stream
 * has ended, or the client has left; after that (the `left` callback included) the handler must
 * not touch it. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "base/identity.h"
#include "base/trace.h"
#include "http/head.h"
#include "http/peer.h"
#include "http/route.h"
#include "json/input.h"
#include "loop/loop.h"
#include "loop/work.h"
#include "msg/family.h"

struct call_note;
struct request;

/* The members of a request that a handler may read; the server writes them.  Spans are borrowed from the
 * request. */
struct request_view {
	struct loop *loop;
	char         id[ID_MAX]; /* "req_…", also in x-request-id */
	const char  *method;
	struct str   path;  /* without the query */
	struct str   named; /* the model that another spelling of the path names, such as Azure's */
	struct caller by; /* an object that outlives the request must hold `who` (identity_hold) */
	struct head   head;
	struct trace  trace; /* its span is this request's; an empty one: it is in none */
	int64_t       start_us;
};
const struct request_view *request_view(const struct request *r);

/* request_reaches: whether the request, as it came, gets routes with this auth. */
bool request_reaches(const struct request *r, enum route_auth auth);

/* request_family: the family of the request's route, which decides the shape of answers and
 * errors. */
const struct family *request_family(const struct request *r);
int64_t              request_owner(const struct request *r); /* the key's owner; 0: no keys */
struct str request_param(const struct request *r, size_t i); /* {…} of the template, decoded */
/* request_header: a header that only some families read (struct family, headers), borrowed as the
 * others are; of several lines the last.  Empty: absent. */
struct str request_header(const struct request *r, const char *name);
/* request_header_lines: calls fn with each line of a header, in their order. */
void request_header_lines(const struct request *r, const char          *name,
			  void (*fn)(void *arg, struct str line), void *arg);
/* request_headers_with: calls fn with each header whose name begins so, and with the rest of its name. */
void          request_headers_with(const struct request *r, const char                            *prefix,
				   void (*fn)(void *arg, struct str name, struct str value), void *arg);
struct arena *request_arena(struct request *r);
/* request_client: the client's address, as far as trusted proxies report it; empty: not known. */
void request_client(const struct request *r, char ret[PEER_TEXT]);
/* request_query: the nth (from 0) value of a query key, decoded and not empty. A key also
 * matches with "[]" after it, because the SDKs write arrays so. False: there is none. */
bool request_query(struct request *r, const char *key, size_t nth, struct str *ret);
/* request_query_is: whether the query has the key with this value, neither of them escaped; NULL: with any value. */
bool request_query_is(const struct request *r, const char *key, const char *value);
/* request_query_with: the nth pair whose key begins with a prefix, and the rest of that key. */
bool request_query_with(struct request *r, const char *prefix, size_t nth, struct str *ret_rest,
			struct str *ret_value);
/* request_query_within: the nth (from 0) pair of the form name[key]=value, the value not empty.  False: there is none. */
bool request_query_within(struct request *r, const char *name, size_t nth, struct str *ret_key,
			  struct str *ret_value);

/* request_input_take: body and tape; the caller owns them from then on, so they can outlive the
 * request.  request_input: borrowed until they are taken. */
struct input       *request_input_take(struct request *r) MUST_USE;
const struct input *request_input(const struct request *r);

/* request_on_left: fn(arg) runs when the client leaves before there is a reply; the request is
 * gone when fn returns. A reply clears fn; a stream has its own callback. */
void request_on_left(struct request *r, void (*fn)(void *arg), void *arg);

/* request_is_listed: whether each call stands in the ledger, where its id finds it. */
bool request_is_listed(const struct request *r);

/* request_note: the members of a request's log line and metrics beyond HTTP; spans are copied. */
void request_note(struct request *r, const struct call_note *n);

/* --- request_aside: long work for a request, done by a worker while its client waits.
 *
 *   the loop --request_aside_start--> run (a worker) --> done (the loop)
 *
 * Embedded in an object that owns all data of run.  The request may end meanwhile, but the object
 * stays until done, which frees it.  If the client leaves before a worker has begun, run is left
 * out.
 *
 * Threads: the loop of the request, but for run. */

struct request_aside {
	struct request *request; /* NULL: the client left */
	struct err      err;     /* run's error; code ERR_OK: no error */

	/* request_aside's own */
	struct work_job job;
	enum errc (*run)(struct request_aside *a, struct err *e);
	void (*done)(struct request_aside *a);
};

/* request_aside_start: Errors: OVERLOADED; then nothing has happened, and the caller still owns the
 * object. */
enum errc request_aside_start(struct request_aside *a, struct request *r, struct work_pool *pool,
			      enum errc (*run)(struct request_aside *a, struct err *e),
			      void (*done)(struct request_aside *a), struct err *e) MUST_USE;
