/* upstream/target: the address of calls, prepared once for each provider: URL, header lines,
 * TLS, proxy. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct upstream_target;

struct upstream_target_options {
	const char *name; /* the provider's, for the log and the metrics; NULL: it has none */
	const char *url;
	const char *const
		   *headers; /* "Name: value", count of them; content-type and accept are added */
	size_t      header_count;
	const char *ca_file;
	const char *proxy;
	int64_t     connect_us;
	bool        http2; /* offered to https servers; else HTTP/1.1 */
	bool        get;   /* all of its calls are GETs, without a body */
};
/* Everything is copied; immutable and shared by all loops.  Calls keep a target alive, so it may be
 * destroyed while some still run.
 * Errors: INVALID_VALUE for control bytes in a header or URL, for headers that are HTTP's own, for a
 * user name in the URL, and for schemes other than http and https; INTERNAL: libcurl can't be started. */
enum errc upstream_target_create(const struct upstream_target_options *o,
				 struct upstream_target **ret, struct err *e) MUST_USE;
void      upstream_target_destroy(struct upstream_target *t);
OWNABLE(upstream_target);

/* upstream_target_url, upstream_target_head: the URL of calls that name no other, and the header
 * lines of all calls, each with CRLF. */
const char *upstream_target_url(const struct upstream_target *t);
const char *upstream_target_head(const struct upstream_target *t, bool stream);

/* upstream_target_failed: the target was not reached, fell silent, or gave no valid answer; from time to time, the log
 * tells which host that is.  Other errors are the provider's own words, and no news. */
void upstream_target_failed(struct upstream_target *t, const struct err *e, int64_t now_us);
