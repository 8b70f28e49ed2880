/* provider: the interface of providers: start and cancel a call that answers a prompt.
 *
 * A call belongs to the loop on which it was started; all callbacks run there. Events come in
 * order; the last one is EVENT_END or EVENT_ERROR, after which the call is freed by itself.
 * Streamed calls: START?, then pieces, FINISH for each choice, USAGE? (before or after FINISH,
 * maybe more than once: the last one counts), END. Plain calls: START?, MESSAGE, USAGE?, FINISH,
 * END. OTHER may come anywhere before the end. A stream without a finish reason ends with
 * EVENT_ERROR (STREAM_INCOMPLETE), never with END. */
#pragma once

#include "loop/loop.h"
#include "msg/event.h"
#include "msg/prompt.h"
#include "provider/health.h"
#include "provider/mask.h"

struct catalog;
struct provider;
struct provider_call; /* each implementation embeds it first */
struct transfers;
struct json_doc;

/* What a loop offers to a call. */
struct provider_env {
	struct loop      *loop;
	struct transfers *transfers;
	struct json_doc
		*scratch; /* for decoding, never across callbacks; NULL: each call has its own */
	struct work_pool *cpu; /* decodes long answers; NULL: the loop does */
};

/* Called on the loop's thread.  Must not cancel the call from within (use loop_later). */
typedef void (*provider_event_fn)(void *arg, const struct event *ev);

struct provider_ops {
	const char *dialect; /* as in the config file */

	/* encode: the request for prompt, appended to out; on any thread, so that a long one does
	 * not hold the loop.  start takes what stands in prompt->body then.  NULL: start alone does
	 * it. */
	enum errc (*encode)(const struct provider *p, const struct prompt *prompt, struct buf *out,
			    struct err *e);
	/* start: asks; *ret is valid until the last event or provider_cancel.  Never calls on_event
	 * from within.  Errors here mean that nothing was sent. */
	enum errc (*start)(const struct provider *p, const struct provider_env *env,
			   const struct prompt *prompt, provider_event_fn on_event, void *arg,
			   struct provider_call **ret, struct err *e);
	/* cancel: ends the call now, its socket included; no event follows. */
	void (*cancel)(struct provider_call *call);
	/* pause: true stops reading (back pressure), false goes on.  Events may still come for what
	 * was already read. */
	void (*pause)(struct provider_call *call, bool pause);
	void (*destroy)(struct provider *p);
};

/* What a provider takes beside text; bits. */
enum provider_takes {
	PROVIDER_IMAGES = 1,
	PROVIDER_AUDIO = 2,
	PROVIDER_PDF = 4,
	PROVIDER_EMBED = 8, /* it makes embeddings */
};

/* Embedded first in each implementation.  Immutable after creation, shared by all loops, freed
 * when the configuration snapshot that made it is. */
struct provider {
	const struct provider_ops *ops;
	char                       name[64];
	unsigned                   takes;    /* enum provider_takes: what its dialect can say */
	int64_t                    retries;  /* how many times a call may be tried again */
	int64_t                    total_us; /* bounds all of its tries together; 0: nothing does */
	struct mask        *mask; /* held; secrets that nothing it says may hold; NULL: none */
	struct health_rules health;
	struct catalog     *catalog; /* owned; NULL: it can't tell which models it has */
};

struct provider_call {
	const struct provider *provider;
};

/* --- options, filled by app from the configuration --- */

struct provider_header {
	const char *name;
	const char *value;
	bool        secret; /* the file only says where it stands */
};

/* Everything is copied by provider_create (provider/provider_create.h). */
struct provider_options {
	const char *name;
	const char *dialect;
	const char *base_url; /* http or https, without the trailing /chat/completions */
	const char *key;      /* NULL: none is sent */
	const char *
		key_header; /* NULL: Authorization: Bearer; else the header's name (Azure: api-key) */
	const struct provider_header *headers;
	size_t                        header_count;
	const char *query;   /* appended to the URL (Azure: api-version=…), or NULL */
	const char *ca_file; /* NULL: the system's */
	const char *http2;   /* "auto" or "off"; NULL: auto */
	const char *proxy;   /* NULL: none, also not from the environment */
	const char *
		max_tokens_field; /* max_tokens, max_completion_tokens, or NULL: as the client said */
	bool    forward_store;
	bool    propagate_trace; /* it gets a traceparent */
	bool    stream_usage;    /* ask for usage in streams (default true) */
	int64_t connect_us;
	int64_t first_byte_us;       /* counts any body byte */
	int64_t first_byte_plain_us; /* for plain calls: total unless first_byte was set */
	int64_t idle_us;
	int64_t total_us;
	int64_t retries;
	struct health_rules health;
	struct mask        *mask; /* of the whole configuration; NULL: nothing is secret */
	/* echo only */
	const char *reply;    /* scripted reply, NULL: the last user message */
	int64_t     piece;    /* bytes of a piece; 0: one word each; never more than 16 KiB */
	int64_t     delay_us; /* between pieces */
	int64_t     error_at; /* piece number (from 1) that becomes an error; 0: none */
};

/* provider_destroy: NULL is fine. */
void provider_destroy(struct provider *p);
OWNABLE(provider);
