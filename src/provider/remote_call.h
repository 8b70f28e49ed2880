/* provider/remote_call: one call of a provider over HTTP.  Internal to provider/remote.
 *
 * Threads: the loop of the call; a worker has the decoder of a long answer meanwhile. */
#pragma once

#include "provider/dialect.h"
#include "upstream/upstream.h"

struct embed_want;
struct upstream_target;

/* What is asked. */
struct remote_ask {
	const struct provider  *provider;
	const struct dialect   *dialect;
	struct upstream_target *target; /* borrowed */
	struct upstream_limits  limits;
	bool                    stream;
	const char             *header; /* one line beside the target's, or NULL */
	struct buf              body;
	struct buf              url;  /* with a NUL, where it is the call's own; else empty */
	struct embed_want      *want; /* owned; NULL: a chat */
};

void remote_ask_init(struct remote_ask *a);
void remote_ask_finish(struct remote_ask *a);

/* remote_call_start: as provider_ops' start.  body, url and want are the call's, unless there was
 * no memory for one. */
enum errc remote_call_start(struct remote_ask *a, const struct provider_env *env,
			    provider_event_fn on_event, void *arg, struct provider_call **ret,
			    struct err *e) MUST_USE;
void      remote_call_cancel(struct provider_call *call);
void      remote_call_pause(struct provider_call *call, bool pause);

/* remote_call_name: puts the provider's name into an error's text that begins with `opening`. */
bool remote_call_name(const char *name, const char *opening, struct err *e);
