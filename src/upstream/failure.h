/* upstream/failure: what went wrong with a transfer, in our own terms.  Internal to upstream/. */
#pragma once

#include "base/err.h"

#include <curl/curl.h>
#include <stdbool.h>

/* failure_init: starts libcurl, with an eye on its memory.  False: it can't be started. */
bool failure_init(void);

/* failure_fill: e for libcurl's code (not CURLE_OK); said: its own words, or ""; begun: body bytes had
 * come; socket_errno: why no socket could be made, 0: one could.  What is short on our side (memory,
 * descriptors, ports) is OVERLOADED, and no fault of the provider's. */
void failure_fill(CURL *easy, CURLcode code, const char *said, bool begun, int socket_errno,
		  struct err *e);
