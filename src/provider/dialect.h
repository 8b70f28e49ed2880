/* provider/dialect: the interface of dialects: pure functions that encode requests and decode
 * answers of a provider's HTTP API. Testing a dialect needs no socket; provider/remote_call.c does
 * the rest (connection, SSE framing, limits). */
#pragma once

#include "base/buf.h"
#include "json/scan.h"
#include "msg/event.h"
#include "msg/prompt.h"
#include "provider/provider.h"

/* The state of one answer being decoded; embedded in the call, zeroed at its start, ended with the
 * dialect's finish. */
struct decode {
	struct json_doc   *doc;  /* scratch, borrowed */
	const struct mask *mask; /* borrowed; what no error may hold; NULL: nothing */
	bool               stream;
	bool               started;
	bool               finished;  /* every choice seen so far has its finish reason */
	bool               done_mark; /* the dialect's terminator was seen ([DONE]) */
	uint64_t           begun[2];  /* bit i: choice i has been seen (i < LIMIT_CHOICES) */
	uint64_t           open[2];   /* bit i: choice i has begun and not finished */
	uint64_t           tools;     /* bit i: call i of choice 0 has its start (i < 64) */
	uint32_t           next_tool; /* for providers that leave the index out */
	uint64_t           last_tool; /* and a hash of the newest call's id */
	bool               unindexed; /* this provider does leave it out */
	uint64_t           args;  /* bit i: call i of choice 0 has begun its arguments (i < 64) */
	struct usage       told;  /* so far; of dialects that give EVENT_USAGE only at the end */
	void              *state; /* whatever else the dialect needs; owned, freed by its finish */
	const struct decode_state
			 *kind; /* of state, where decode_state made it (provider/decode.h) */
	provider_event_fn on_event;
	void             *arg;
};

enum framing {
	FRAMING_EVENTS, /* server-sent events */
	FRAMING_LINES,  /* one JSON value a line */
};

struct embed_want;

/* POST /v1/embeddings in a dialect's words. */
struct dialect_embed {
	const char *path; /* behind base_url, as a dialect's */
	bool (*place)(const struct provider_options *o, const struct prompt *prompt,
		      struct buf *out);
	enum errc (*encode)(const struct provider_options *o, const struct prompt *prompt,
			    struct buf *out, struct err *e);
	/* decode: the body of a 2xx answer becomes OpenAI's list, with the vectors as they are
	 * wanted. */
	enum errc (*decode)(struct decode *d, const struct embed_want *want, struct str body,
			    struct err *e);
};

struct dialect {
	const char *name;  /* as in the config file */
	unsigned    takes; /* enum provider_takes */
	/* path behind base_url, e.g. "/chat/completions" */
	const char *path;
	/* the beginning of path that people may give with base_url or not, e.g. "/api"; NULL:
	 * none */
	const char *root;
	/* place: instead of path, where it depends on the prompt or on o->base_url (without path
	 * and root); a query included, if there is one.  NULL: path.  False: out is full. */
	bool (*place)(const struct provider_options *o, const struct prompt *prompt,
		      struct buf *out);
	enum framing framing;    /* of streams */
	const char  *key_header; /* unless the options name one; NULL: Authorization: Bearer */
	/* sent with each call, unless the options have a header of that name; ends with a NULL
	 * name */
	const struct provider_header *headers;

	/* encode: the request body for prompt, appended to out. */
	enum errc (*encode)(const struct provider_options *o, const struct prompt *prompt,
			    struct buf *out, struct err *e);
	/* decode_event: one SSE event of a stream (data is never empty; name may be "").  Hands
	 * events to d->on_event.  An error object of the provider, or a broken chunk, is the
	 * returned error (never an EVENT_ERROR from here). */
	enum errc (*decode_event)(struct decode *d, struct str name, struct str data,
				  struct err *e);
	/* decode_whole: the body of a plain 2xx answer. */
	enum errc (*decode_whole)(struct decode *d, struct str body, struct err *e);
	/* decode_error: fills e from a non-2xx status and its body (may be empty, HTML, anything);
	 * host names and keys scrubbed. */
	void (*decode_error)(const struct decode *d, int status, struct str body, struct err *e);
	/* finish: frees d->state; NULL: the dialect has none. */
	void (*finish)(struct decode *d);
	const struct dialect_embed *embed; /* NULL: it has no embeddings */
	/* where it lists its models, behind base_url and root; NULL: it can't tell them by a key */
	const char *models;
};

/* Each is defined in the folder of its name. */
extern const struct dialect dialect_anthropic;
extern const struct dialect dialect_azure;
extern const struct dialect dialect_gemini;
extern const struct dialect dialect_mistral;
extern const struct dialect dialect_openai;
extern const struct dialect dialect_lmc;
extern const struct dialect dialect_openai_responses;
extern const struct dialect dialect_ollama;

/* echo_create: the provider that answers by itself, without HTTP; as provider_create. */
enum errc echo_create(const struct provider_options *o, struct provider **ret,
		      struct err *e) MUST_USE;
