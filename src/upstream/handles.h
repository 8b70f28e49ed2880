/* upstream/handles: keeps libcurl's easy handles with their options for the next call of the
 * same thread to the same target. Internal to upstream/. */
#pragma once

#include "upstream/internal.h"

#include <curl/curl.h>
#include <stdbool.h>

/* handles_get: an owned handle; *ret_ready: it already has the options of such a call; otherwise
 * it has libcurl's defaults. NULL: no memory. */
CURL *handles_get(const struct upstream_target *target, bool stream, bool *ret_ready);
/* handles_put_take: keeps the handle as it is, or frees it if enough are kept. */
void handles_put_take(CURL *easy, struct upstream_target *target, bool stream);
