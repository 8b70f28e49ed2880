/* provider: the interface of providers: starts, pauses and cancels a call that answers a prompt.
 *
 * A call belongs to the loop on which it was started; all callbacks run there. Events come in
 * order; the last one is EVENT_END or EVENT_ERROR, and the call frees itself with it.
 * Streamed calls: START?, then pieces, FINISH for each choice, USAGE? (before or after FINISH,
 * maybe more than once: the last one counts), END. Plain calls: START?, MESSAGE, USAGE?, FINISH,
 * END. OTHER may come anywhere before the end. A stream without a finish reason ends with
 * EVENT_ERROR (STREAM_INCOMPLETE), never with END. */
#pragma once

#include "loop/loop.h"
#include "msg/event.h"
#include "msg/prompt.h"
#include "provider/health.h"
#include "provider/secret_mask.h"

struct catalog;
struct credential;
struct credential_options; /* provider/credential.h */
struct upstream_target;    /* upstream/upstream.h */
struct provider;
struct provider_call;
struct upstream_pool;
struct json_doc;

/* The objects of a loop that a call uses; all borrowed. */
struct provider_env {
	struct loop          *loop;
	struct upstream_pool *upstreams;
	struct json_doc
		*scratch;      /* for decoding within one callback; NULL: each call has its own */
	struct work_pool *cpu; /* decodes long answers and events; NULL: the loop does */
};

/* Receives the events of a call, on the loop's thread. Must not cancel the call; a function that
 * loop_later runs may. */
typedef void (*provider_event_fn)(void *arg, const struct event *ev);

struct provider_ops {
	const char *dialect; /* its name in the config file */

	/* encode: appends the body of the request for prompt to out. Runs on any thread, so that a
	 * worker can encode a long prompt; the caller then passes the body to start in
	 * prompt->body. NULL: only start encodes. */
	enum errc (*encode)(const struct provider *p, const struct prompt *prompt, struct buf *out,
			    struct err *e);
	/* start: sends the request; *ret is borrowed, until the last event or cancel. Never calls
	 * on_event itself. After an error nothing was sent. */
	enum errc (*start)(const struct provider *p, const struct provider_env *env,
			   const struct prompt *prompt, provider_event_fn on_event, void *arg,
			   struct provider_call **ret, struct err *e);
	/* cancel: ends the call and its transfer at once; no event follows. */
	void (*cancel)(struct provider_call *call);
	/* pause: true stops reading from the provider, for a slow receiver; false resumes it. Bytes
	 * that were read before may still make events. */
	void (*pause)(struct provider_call *call, bool pause);
	void (*destroy)(struct provider *p);
};

/* The inputs that a provider accepts besides text; bits. */
enum provider_takes {
	PROVIDER_IMAGES = 1,
	PROVIDER_AUDIO = 2,
	PROVIDER_PDF = 4,
	PROVIDER_FILES = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF,
	PROVIDER_EMBED = 8,    /* requests for embeddings */
	PROVIDER_TOP_K = 16,   /* the member top_k, which OpenAI's API does not have */
	PROVIDER_REASONS = 32, /* reasoning_effort; of a model whose entry says so */
	PROVIDER_SAMPLING =
		64,           /* temperature, top_p and top_k; not of a model whose entry says so */
	PROVIDER_CACHE = 128, /* the mark cache_control on parts of messages and on tools */
	PROVIDER_MESSAGES = 256,   /* requests of Anthropic's Messages API, as they are */
	PROVIDER_TEXT = 512,       /* completions of a prompt; where the options say so */
	PROVIDER_FILE_URL = 1024,  /* file_url in a part of type file: a document by its address */
	PROVIDER_RESPONSES = 2048, /* requests of OpenAI's Responses API, as they are */
	PROVIDER_CACHE_KEY = 4096, /* the member prompt_cache_key */
	PROVIDER_TIER = 16384,     /* the member service_tier, with OpenAI's words */
	PROVIDER_OLLAMA = 65536, /* members and options of Ollama's request, with their own names */
	PROVIDER_CACHE_ALL = 8192, /* the member cache_control, for the whole request */
	PROVIDER_GEMINI = 32768,   /* members of Gemini's request, with their own names */
};

/* An entry of the configuration's providers; the first member of each implementation's struct.
 * Immutable after creation, shared by all loops, freed with the snapshot of its configuration. */
struct provider {
	const struct provider_ops *ops;
	char                       name[64];
	/* The name, and the key's place where the entry has several: "openai#2".  Health is told by it. */
	char     label[PROVIDER_LABEL];
	unsigned place;         /* from 1, of its key among the entry's; 0: there is one */
	unsigned takes;         /* enum provider_takes; of the dialect */
	int64_t  retries;       /* further attempts that a call may have */
	int64_t  total_us;      /* limit for all attempts together; 0: none */
	bool     forward_store; /* it is told what the client wants stored */
	uint64_t
		print; /* a hash of what the entry says of its answers: where and how it is asked */
	struct mask *mask; /* held; secrets to remove from the provider's texts; NULL: none */
	struct health_rules health;
	struct catalog     *catalog;    /* owned; NULL: the dialect can't list models */
	struct credential  *credential; /* held; NULL: the entry's key, or none */
	struct upstream_target
		*target; /* borrowed from the implementation; NULL: it calls nobody */
};

/* The first member of each implementation's struct of a call. */
struct provider_call {
	const struct provider *provider;
	int                    http; /* the status that was received; 0: none, or not yet */
};

/* --- options, filled by app from the configuration --- */

struct provider_header {
	const char *name;
	const char *value;
	bool        secret; /* the configuration file only says where the value is stored */
};

/* provider_create copies everything, and becomes a holder of mask. */
struct provider_options {
	const char *name;
	const char *dialect;
	const char *
		hosting; /* where the dialect's API is served otherwise than by its vendor; NULL: nowhere */
	const char *base_url; /* http or https; the dialect's path at its end is ignored */
	const char *key;      /* NULL: none is sent */
	/* Several keys: a provider is made of each, with a place (from 1).  count 0: there is one. */
	const char *const *keys;
	size_t             key_count;
	unsigned           place;
	const char *
		key_header; /* the header for the key; NULL: the dialect's, such as Authorization */
	const char *
		key_scheme; /* "bearer": `Bearer` before the key; "plain"; NULL: plain in a header that
				 * has a name */
	const struct credential_options *auth; /* where keys are fetched; NULL: nowhere */
	const struct provider_header    *headers;
	size_t                           header_count;
	const char *query;   /* appended to the URL (Azure: api-version=…), or NULL */
	const char *ca_file; /* NULL: the system's */
	const char *http2;   /* "auto" or "off"; NULL: auto */
	const char *proxy;   /* NULL: none, also not from the environment */
	const char *
		max_tokens_field; /* the name of the limit of tokens; NULL: as the client sent it */
	/* The treatment of several system messages: "auto", "keep" or "one"; NULL: auto. */
	const char *system_messages;
	/* base_url is the address of the dialect's own vendor (struct dialect's hosts); set by the
	 * implementation. */
	bool vendor;
	/* The configured marks of beta features, for a dialect that has them in the body; set by the
	 * implementation.  NULL: none. */
	const char *flags;
	bool        forward_store;
	bool        propagate_trace; /* send a traceparent header (W3C Trace Context) */
	bool        completions;     /* completions of a prompt are passed on */
	bool        stream_usage;    /* ask for usage in streams (default true) */
	bool        truncate;        /* Ollama may cut the beginning of a prompt that is too long */
	int64_t     connect_us;
	int64_t     first_byte_us;       /* for streams: until any byte of the body */
	int64_t     first_byte_plain_us; /* for plain calls: total_us, unless first_byte was set */
	int64_t     idle_us;
	int64_t     total_us;
	int64_t     retries;
	struct health_rules health;
	struct mask        *mask; /* the mask of all secrets of the configuration; NULL: none */
	/* echo only */
	const char *reply;    /* scripted reply, NULL: the last user message */
	int64_t     piece;    /* bytes of a piece; 0: one word each; never more than 16 KiB */
	int64_t     delay_us; /* between pieces */
	int64_t     error_at; /* piece number (from 1) that becomes an error; 0: none */
};

/* provider_destroy: NULL is fine. */
void provider_destroy(struct provider *p);
OWNABLE(provider);

/* --- provider_create: the list of all dialects, and the creation of a provider from its
 * options. */

/* provider_create: makes an owned provider of the dialect in its options. Errors: INVALID_VALUE
 * (unknown dialect, bad URL, header with control bytes, …). */
enum errc provider_create(const struct provider_options *o, struct provider **ret,
			  struct err *e) MUST_USE;

/* --- secrets: collects the secrets of a configuration. */

/* secrets_mask: makes a mask of the keys and secret headers of all providers, because a chain of
 * providers may repeat another one's, and of the secrets in queries and proxies. *ret has one
 * holder. False: no memory. */
bool secrets_mask(const struct provider_options *providers, size_t count,
		  struct mask **ret) MUST_USE;
