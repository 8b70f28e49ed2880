/* runner/execution: one piece of code that runs in a session, with its bounds. */
#pragma once

#include "runner/session.h"
#include "runner/sink.h"

/* A client's file; the descriptor is the asker's. */
struct execution_file {
	struct str name;
	int        fd;
};

/* Borrowed for the call. */
struct execution_ask {
	const struct language       *language;
	struct str                   code;
	const struct execution_file *files;
	size_t                       file_count;
	int64_t                      time_us; /* at most the option's maximum */
	bool                         fresh;   /* the session was made for it */
	const char                  *gone;
};

struct execution;

/* execution_create: begins it in a session that nobody uses, ready or not.  `over` is called in the
 * loop's turn behind the sink's end, and must destroy the execution.  Errors: INTERNAL. */
enum errc execution_create(struct session *s, const struct execution_ask *ask,
			   const struct sink *sink, void *sink_arg, void (*over)(void *arg),
			   void *over_arg, struct execution **ret, struct err *e) MUST_USE;
/* execution_destroy: of one that is over. */
void execution_destroy(struct execution *x);
/* execution_stop: SIGINT, then SIGKILL; its end follows. */
void execution_stop(struct execution *x);
/* execution_resume: the sink takes more. */
void execution_resume(struct execution *x);
