/* upstream/handles: libcurl's easy handles, kept for the next call of the same thread.  Internal to
 * upstream/. */
#pragma once

#include <curl/curl.h>

/* handles_get: a handle with default options, owned; NULL: no memory. */
CURL *handles_get(void);
/* handles_put_take: resets and keeps it, or frees it when enough are kept. */
void handles_put_take(CURL *easy);
