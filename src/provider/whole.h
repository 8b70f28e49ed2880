/* provider/whole: makes a plain answer from the events that a stream would give. Internal to
 * provider/.
 *
 * A dialect decodes a plain answer as if it were streamed, between whole_begin and whole_end.
 * The pieces are gathered into one EVENT_MESSAGE, with START, USAGE and FINISH around it. */
#pragma once

#include "shape/answer.h"
#include "provider/dialect.h"

struct whole {
	struct decode    *decode;
	provider_event_fn on_event; /* the decode's own; whole_end gives it back */
	void             *arg;
	struct str        raw; /* raw and raw_id: decode's own, for the message */
	struct str        raw_id;
	struct answer     answer;
	bool              failed;
	bool              starved; /* failed for lack of memory; else the answer is too large */
	struct event      start;   /* its spans are borrowed from the dialect until whole_end */
	bool              started;
	struct usage      usage; /* the last one that was given */
	bool              has_usage;
	char              finish[64];
	char              native[64];
	bool              finished;
};

/* whole_too_much: sets the error for an answer that could not be gathered: no memory if starved,
 * else too large. */
enum errc whole_too_much(bool starved, struct err *e);
void      whole_begin(struct whole *w, struct decode *d);
/* whole_end: rc: the result of the dialect. If it is ERR_OK, the gathered events are given; else
 * the answer is dropped, and rc is returned. */
enum errc whole_end(struct whole *w, enum errc rc, struct err *e) MUST_USE;
