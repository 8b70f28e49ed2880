/* upstream/failure: turns the failure of a transfer into an error of Parley's. Internal to
 * upstream/. */
#pragma once

#include "base/err.h"

#include <curl/curl.h>
#include <stdbool.h>

/* failure_init: starts libcurl, once for the process, with a count of its memory. False: libcurl can't be
 * started. */
bool failure_init(void);

/* failure_fill: fills e for libcurl's code (not CURLE_OK). said: libcurl's own message, or "";
 * begun: bytes of the body had come; socket_errno: why no socket could be made, or 0. A shortage
 * on our side (memory, descriptors, ports) is OVERLOADED, and no fault of the provider's. */
void failure_fill(CURL *easy, CURLcode code, const char *said, bool begun, int socket_errno,
		  struct err *e);

/* failure_cut: the connection ended in the middle of an answer, or without one where no byte of a body
 * had come. words: more about it, or "". */
void failure_cut(bool begun, const char *words, struct err *e);
/* failure_wrong: the answer can't be read; what: what of it. */
void failure_wrong(bool begun, const char *what, struct err *e);
/* failure_length: the answer is longer than LIMIT_UPSTREAM_BODY. */
void failure_length(struct err *e);
