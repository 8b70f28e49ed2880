/* upstream/internal: the struct of a target, shared by the files of upstream/. Not for other
 * folders. */
#pragma once

#include "upstream/share.h"
#include "upstream/target.h"

#include <curl/curl.h>
#include <stdatomic.h>

struct upstream_target {
	atomic_int         refs;
	char              *url;
	char              *ca_file; /* NULL: the system's */
	char              *proxy;   /* NULL: none */
	struct curl_slist *plain;   /* headers of a call that wants JSON */
	struct curl_slist *stream;  /* and of one that wants events */
	struct share      *share;
	long               connect_ms;
	bool               get;   /* its calls are GETs, else POSTs */
	bool               http2; /* where the server offers it, and only with TLS */
};

/* target_ref: adds a holder; each upstream_target_destroy removes one. */
struct upstream_target *target_ref(const struct upstream_target *t);
