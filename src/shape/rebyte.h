/* shape/rebyte: the objects of Rebyte's API, generation 1, that more than one of its answers has:
 * the value of a run, the run, and the error.  Pure. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "msg/family.h"

/* The value of a run: the assistant's message, gathered from events.  Laid open so that it can be
 * embedded. */
struct rebyte_value {
	struct buf text;  /* text, calls: escaped, or JSON */
	struct buf calls; /* the entries of tool_calls, the last one open */
	bool       open;
};

void rebyte_value_init(struct rebyte_value *v);
void rebyte_value_finish(struct rebyte_value *v);
/* rebyte_value_event: adds what an event says.  False: no memory. */
bool rebyte_value_event(struct rebyte_value *v, const struct event *ev) MUST_USE;
/* rebyte_value_read: gathers a stored message.  False: no memory, or it is no object. */
bool rebyte_value_read(struct rebyte_value *v, struct str message) MUST_USE;
/* rebyte_value_print: appends [[{"value":{…},"error":null}]].  False: out is full. */
bool rebyte_value_print(const struct rebyte_value *v, struct buf *out) MUST_USE;

/* rebyte_run: appends the run as it stands, with its results.  False: out is full, or memory is
 * short. */
bool rebyte_run(const struct run_object *o, struct buf *out) MUST_USE;
/* rebyte_run_row: the same for a list, without the results. */
bool rebyte_run_row(const struct run_object *o, struct buf *out) MUST_USE;
/* rebyte_object: the same as the answer to a request that does not wait: {"run_id":…,"run":{…}}. */
bool rebyte_object(const struct run_object *o, struct buf *out) MUST_USE;
/* rebyte_status: a run's status in Rebyte's words. */
const char *rebyte_status(const char *status);

/* rebyte_error_put: appends the error object; rebyte_error_body: the same as a body. */
bool rebyte_error_put(const struct err *e, struct str request_id, struct buf *out) MUST_USE;
bool rebyte_error_body(const struct err *e, struct str request_id, struct buf *out);

/* Settings of a run (call_request) that answers with its text alone. */
#define REBYTE_CONTENT_ONLY "{\"content_only\":true}"
