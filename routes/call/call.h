/* routes/call/call: a client's request becomes a run, and a run an answer.
 *
 * First, intake: it reads the body, and hands it to exchange, which makes the call (call/door). */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "desk/live.h"
#include "http/request.h"
#include "msg/family.h"
#include "routes/kit/csv.h"
#include "routes/kit/gateway.h"
#include "run/follow.h"
#include "shape/reasoning.h"
#include "store/run.h"

/* Reads a body into the members of a run's request; spans may point into the input. A worker
 * reads a long body: the function may look only at the constant parts of the gateway, and at its
 * snapshot. */
typedef enum errc (*intake_read_fn)(struct input *in, const struct gateway *g,
				    struct call_request *ret, struct err *e);

/* intake_serve: reads the request's body, starts the run and sends the reply. */
void intake_serve(struct request *r, struct gateway *g, intake_read_fn read);

/* intake_serve_model: the same where the path names the model. */
void intake_serve_model(struct request *r, struct gateway *g, struct str model,
			intake_read_fn read);

/* intake_request: an empty request of its caller's, in the arena of its input; NULL: no memory. */
struct call_request *intake_request(struct request *r, struct input *in) MUST_USE;

/* intake_model: for read functions: door_target for a member `model`, unless the path names the
 * model: then the path decides. */
enum errc intake_model(const struct gateway *g, struct str model, struct call_request *ret,
		       struct err *e) MUST_USE;

/* --- exchange: the observer of a call (call/door) that is a client's request: it gives the answer,
 * plain or streamed, until one of both ends. */

/* exchange_start: makes the call that rq asks for.  Consumes rq with its input and rq->held, the snapshot with
 * which it was read (NULL: the current one). */
void exchange_start(struct request *r, struct gateway *g, struct call_request *rq);

/* --- run_events: GET /v1/runs/{id}/events. */

struct request;

/* run_events_reply: answers with a run's stream; o's observer and arg are filled in. */
void run_events_reply(struct request *r, struct follow_options *o);

/* --- run_headers: the headers of an answer that describe its run, as the family has
 * them. */

struct run_told {
	struct str run; /* ids as text; empty: there is none to tell of */
	struct str conversation;
	bool       stored;
	bool       streamed; /* the run's events can be read */
};

/* --- run_print: the run object. */

/* run_print: {"id":…,"object":"run",…}.  False: out is full. */
bool run_print(struct buf *out, const struct run_read *run) MUST_USE;
/* run_print_whole: the same with attempt_list, for a run that is read alone. */
bool run_print_whole(struct buf *out, const struct run_read *run) MUST_USE;
/* run_print_keyed: run_print with the key, for the operator. */
bool run_print_keyed(struct buf *out, const struct run_read *run) MUST_USE;
/* run_print_admin: run_print_whole with the key. */
bool run_print_admin(struct buf *out, const struct run_read *run) MUST_USE;
/* run_csv: a line of CSV about the run; keys: with the key, for the operator.  run_csv_columns: the names of its
 * columns. */
void        run_csv(struct csv *c, const struct run_read *run, bool keys);
const char *run_csv_columns(bool keys);
/* run_print_shape: the member `shape` of the run_read for run_print_for, whose arena has this
 * maximum. */
enum { RUN_PRINT_ARENA = 2 * LIMIT_STORE_ROW + MIB };
struct str run_print_shape(const struct family *f);
/* run_print_for: a run as clients of the family see it: their own object, or the run object. */
bool run_print_for(struct buf *out, const struct family *f, enum reasoning_name reasoning,
		   const struct run_read *run) MUST_USE;
/* run_print_object: the run for the functions of families; spans are run's. */
struct run_object run_print_object(const struct run_read *run, enum reasoning_name reasoning);
/* run_print_status: the HTTP status of an answer that is a run which has just begun. */
int run_print_status(const struct family *f);
/* run_print_live: run_print_whole for a run that is not stored; the log of its attempts is borrowed. */
bool run_print_live(struct buf *out, const struct live *live, struct str attempt_log) MUST_USE;

/* --- attempt_print: the member attempt_list of a run object. */

/* attempt_print: ,"attempt_list":[…] of what run->attempt_log and the rest of the run tell.  False:
 * out is full. */
bool attempt_print(struct buf *out, const struct run_read *run) MUST_USE;
