/* app_about: what the operator's overview tells of a configuration and of the process, as JSON. */
#pragma once

#include "app/app_listen.h"
#include "base/arena.h"
#include "config/config.h"
#include "routes/kit/gateway.h"

/* The headers for the collector, "name=value,…", often contain a key. */
extern const char app_about_otlp[];

/* app_about: running: the configuration of the start; read: of the last reload, or the same.  The
 * texts are in a.  Errors: INTERNAL (memory). */
enum errc app_about(const struct config *running, const struct config *read, struct arena *a,
		    struct snapshot_about *ret, struct err *e) MUST_USE;
/* app_about_listeners: the list of listeners, printed to out. */
bool app_about_listeners(const struct listen_set *set, bool tls, struct buf *out) MUST_USE;
