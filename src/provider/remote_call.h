/* provider/remote_call: one call of a provider over HTTP. Internal to provider/remote.
 *
 * Threads: the loop of the call. A worker decodes long answers and events; meanwhile the loop does
 * not use the decoder. */
#pragma once

#include "provider/dialect.h"
#include "upstream/upstream.h"

struct embed_want;
struct names;
struct upstream_target;

/* The arguments of a call. */
struct remote_ask {
	const struct provider  *provider;
	const struct dialect   *dialect;
	struct upstream_target *target; /* borrowed */
	struct upstream_limits  limits;
	bool                    stream;
	bool                    native; /* native and count: same as in struct decode */
	bool                    count;
	const char             *header; /* borrowed; further header lines; NULL: none */
	struct buf              body;
	struct buf              url;   /* NUL-terminated; empty: the target's URL */
	struct embed_want      *want;  /* owned; NULL: a chat */
	struct names           *names; /* owned; to be turned back in the answer; NULL: none */
};

void remote_ask_init(struct remote_ask *a);
void remote_ask_finish(struct remote_ask *a);

/* remote_call_start: as start of struct provider_ops. Takes body, url, want and names out of a, also on
 * failure, except if there is no memory for a call. */
enum errc remote_call_start(struct remote_ask *a, const struct provider_env *env,
			    provider_event_fn on_event, void *arg, struct provider_call **ret,
			    struct err *e) MUST_USE;
void      remote_call_cancel(struct provider_call *call);
void      remote_call_pause(struct provider_call *call, bool pause);

/* remote_call_name: replaces `opening` at the beginning of an error's text by "the provider" and
 * the provider's name. False: the text begins otherwise. */
bool remote_call_name(const char *name, const char *opening, struct err *e);
