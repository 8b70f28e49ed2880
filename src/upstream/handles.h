/* upstream/handles: libcurl's easy handles of calls that ended, kept with their options for the next
 * call to the same target. Internal to upstream/. Each thread has its own handles, and frees
 * them when it ends. */
#pragma once

#include "upstream/internal.h"

enum handle_kind {
	HANDLE_WHOLE,   /* a call whose answer comes whole */
	HANDLE_STREAM,  /* a call whose answer is a stream */
	HANDLE_CONNECT, /* only sets a connection up */
};

/* handles_get: a handle with the options of the target and of its kind; owned. NULL: no memory. */
CURL *handles_get(const struct upstream_target *target, enum handle_kind kind) MUST_USE;
/* handles_put_take: keeps the handle for the next call, or frees an older one. */
void handles_put_take(CURL *easy, struct upstream_target *target, enum handle_kind kind);
/* handles_set_errors: where libcurl's words (CURL_ERROR_SIZE bytes) and the errno of a failed socket go to from now on. */
bool handles_set_errors(CURL *easy, char *said, int *socket_errno) MUST_USE;
