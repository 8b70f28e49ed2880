/* Stored responses: runs of the Responses API.  run_read (store/run.h) reads them. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "store/job.h"

/* response_delete: deletes a response: with the conversation that it began if that has nothing else,
 * otherwise only the answer.  Errors: NOT_FOUND; CONVERSATION_BUSY with retry_after_ms: it has not
 * ended. */
struct response_delete {
	struct store_job job;
	int64_t          owner;
	int64_t          now_ms;
	struct id        run;
	struct arena     arena; /* init'ed and finished by the caller */
};
