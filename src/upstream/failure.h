/* upstream/failure: what went wrong with a transfer, in our own terms.  Internal to upstream/. */
#pragma once

#include "base/err.h"

#include <curl/curl.h>

/* failure_fill: e for libcurl's code (not CURLE_OK); said: its own words, or ""; begun: body bytes had
 * come. */
void failure_fill(CURL *easy, CURLcode code, const char *said, bool begun, struct err *e);
