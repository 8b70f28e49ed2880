/* routes/kit/lookup: a request that waits for one job of the store, as most routes do.
 *
 *   struct get {
 *           struct lookup   lookup;
 *           struct run_read read;
 *   };
 *   static const struct lookup_kind get_kind = {
 *           LOOKUP(struct get, read), LOOKUP_ARENA(struct get, read.arena, MIB), .print = print_get
 *   };
 *
 *   struct get *x = lookup_make(&get_kind, r, g);
 *   … fills x->read; then lookup_start(&x->lookup, store_run_read(g->store, &x->read));
 *
 * Threads: the loop's own, but for print. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/id.h"
#include "http/request.h"
#include "routes/kit/gateway.h"
#include "store/audit.h"
#include "store/job.h"
#include "store/label.h"

#include <stddef.h>

struct lookup;

/* The job that a route waits for, and its answer; const. */
struct lookup_kind {
	size_t size; /* bytes that the route keeps while it waits: LOOKUP */
	size_t arena; /* where the job's arena stands, and its maximum: LOOKUP_ARENA; 0: there is none */
	size_t arena_max;
	/* came: the job went well and the client is there.  A request that is answered here is taken out
	 * of l.  NULL: nothing is done. */
	enum errc (*came)(struct lookup *l, struct err *e);
	/* failed: says an error of the job in the words of the route.  NULL: nothing is changed. */
	void (*failed)(const struct lookup *l, struct err *e);
	/* bytes: about how much there is to print; above LIMIT_TRANSLATE_LOOP a worker does it, which
	 * may not look at the request.  NULL: little. */
	size_t (*bytes)(const struct lookup *l);
	/* print: the answer's body; false: as why says, or no memory. */
	bool (*print)(struct lookup *l, struct buf *out);
	void (*finish)(struct lookup *l); /* frees what else the route has; NULL: nothing */
	const char *type;                 /* the body's content type; NULL: JSON */
	bool        cpu;                  /* print's workers are those that wait for no file */
};

/* First member of what a route keeps; its job follows directly. */
struct lookup {
	const struct lookup_kind *kind;
	struct gateway           *gateway;
	struct request           *request; /* NULL: the client left */
	struct err                why;     /* print's error; code ERR_OK: not said */
	struct work_job           work;    /* work and body: the printing worker's */
	struct buf                body;
};

/* LOOKUP: the size, and that the job is where it is looked for. */
#define LOOKUP(T, job)                                                                        \
	.size = sizeof(T) + 0 * sizeof(struct {                                               \
				    int unused;                                               \
				    _Static_assert(offsetof(T, job) == sizeof(struct lookup), \
						   "the job stands right behind the lookup"); \
			    })
#define LOOKUP_ARENA(T, at, max) .arena = offsetof(T, at), .arena_max = (max)

/* lookup_make: zeroed, with its job's loop and answer set; ends in lookup_start or lookup_refuse.
 * NULL: no memory, and refused. */
void *lookup_make(const struct lookup_kind *kind, struct request *r, struct gateway *g) MUST_USE;
/* lookup_start: started is what the store's function returned; false answers 503. */
void lookup_start(struct lookup *l, bool started);
/* lookup_refuse: instead of a start; e: NULL where the request was refused before. */
void lookup_refuse(struct lookup *l, const struct err *e);
/* lookup_id: the id with this prefix in the path; missing: what to say where it is none.  False: the request was
 * refused and answered. */
bool lookup_id(struct request *r, const char *prefix, const char *missing, struct id *ret) MUST_USE;

/* --- audit: who did what, noted with the write that does it (store/audit.h). */

/* audit_request: an entry of what r does.  lookup_audit: one of l's job, which keeps it in *x. */
void audit_request(const struct request *r, enum audit_action action, struct str object,
		   struct audit_entry *ret);
void lookup_audit(struct lookup *l, enum audit_action action, struct str object,
		  struct audit_entry *x);

/* --- page: the common parts of all lists: the parameters of a page, and the members
 * before its data. */

struct request;

/* page_limit: the parameter `limit`, from 1 to most; standard if absent. page_order: the
 * parameter `order`; *ret is unchanged if absent. False: the request was refused and answered. */
bool page_limit(struct request *r, size_t standard, size_t most, size_t *ret) MUST_USE;
/* page_size: the size of a page as Google's APIs have it: 0 means the standard, and more than the most means the most.
 * Source: google.aip.dev/158. */
bool page_size(struct request *r, const char *name, size_t standard, size_t most,
	       size_t *ret) MUST_USE;
bool page_order(struct request *r, bool *ret_descending) MUST_USE;
/* page_number: a whole number of at most so many digits; page_seconds: a time in seconds since 1970.  *ret is
 * unchanged if the parameter is absent.  must: as in page_after.  False: the request was refused and answered. */
bool page_number(struct request *r, const char *name, size_t digits, const char *must,
		 int64_t *ret) MUST_USE;
bool page_seconds(struct request *r, const char *name, int64_t *ret) MUST_USE;
/* page_text: a text of at most so many bytes, copied, because the request may end before its answer; *ret is unchanged
 * if the parameter is absent.  False: the request was refused and answered. */
bool page_text(struct request *r, const char *name, size_t most, struct arena *a,
	       struct str *ret) MUST_USE;
/* page_after: the parameter `after`, an id with this prefix; *ret is unchanged if absent.  must: what it must be, for
 * the error.  False: the request was refused and answered. */
bool page_after(struct request *r, const char *prefix, const char *must, struct id *ret) MUST_USE;

/* page_head: {"object":"list","first_id":…,"last_id":…,"has_more":… ; the object is left open.  An
 * empty id is null.  False: out is full. */
bool page_head(struct buf *out, const char *first, const char *last, bool has_more) MUST_USE;

/* --- label_filter: the filter metadata[k]=v in a query, for lists. */

/* label_filter_read: the pairs into ret, kept in a.  False: refused. */
bool label_filter_read(struct request *r, struct arena *a, struct store_labels *ret) MUST_USE;
