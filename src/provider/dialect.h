/* provider/dialect: the interface of dialects: pure functions that encode requests and decode
 * answers of a provider's HTTP API. Testing a dialect needs no socket; provider/remote_call.c does
 * the rest (connection, framing, limits). */
#pragma once

#include "base/buf.h"
#include "json/scan.h"
#include "msg/event.h"
#include "msg/prompt.h"
#include "provider/provider.h"
#include "upstream/sse.h"

/* The state of decoding one answer; embedded in the call, zeroed at its start, finished by the
 * dialect's finish. */
struct decode {
	struct json_doc   *doc;  /* scratch, borrowed */
	const struct mask *mask; /* borrowed; secrets to remove from errors; NULL: none */
	bool               stream;
	bool               started;
	bool               finished;  /* every choice seen so far has its finish reason */
	bool               done_mark; /* the dialect's terminator was seen ([DONE]) */
	uint64_t           begun[2];  /* bit i: choice i has been seen (i < LIMIT_CHOICES) */
	uint64_t           open[2];   /* bit i: choice i has begun and not finished */
	uint32_t           next_tool; /* index of the next call, if the provider gives no index */
	struct usage       told;      /* the usage so far; a call that fails reports it */
	bool               untold;    /* its EVENT_USAGE is given when the stream is over */
	void              *state; /* owned; the dialect's own, freed by its finish; NULL: none */
	const struct decode_state *kind; /* state's, if decode_state made it (provider/decode.h) */
	/* The request was sent in its client's own words (struct prompt_native), and the events carry
	 * the provider's. */
	bool          native;
	bool          count; /* native: the answer is a number of tokens */
	enum raw_form form;  /* native: of raw */
	/* The object that is being decoded, and the values of its id and number; empty: an event has
	 * them. */
	struct str        raw;
	struct str        raw_id;
	struct str        raw_created;
	provider_event_fn on_event;
	void             *arg;
};

/* The names of functions that the API takes (provider/names.c). */
enum name_rule {
	NAMES_LONG,  /* names like Anthropic's, or longer ones */
	NAMES_BRIEF, /* up to 64 letters, digits, `_` and `-` */
	NAMES_BRIEF_MADE, /* the same, in requests that Parley makes; a chat completion keeps its client's names */
};

/* A request as it is sent, for sign. */
struct dialect_ask {
	const char *method;
	const char *url; /* absolute, with its query */
	const char *
		head; /* the lines of all headers but Content-Length, "Name: value", each with CRLF */
	struct str body;
};

struct embed_want;

/* Embeddings in a dialect. path, place and encode are as in struct dialect. */
struct dialect_embed {
	const char *path;
	bool (*place)(const struct provider_options *o, const struct prompt *prompt,
		      struct buf *out);
	enum errc (*encode)(const struct provider_options *o, const struct prompt *prompt,
			    struct buf *out, struct err *e);
	/* decode: turns the body of a 2xx answer into OpenAI's list, with the vectors in the form
	 * that want names. */
	enum errc (*decode)(struct decode *d, const struct embed_want *want, struct str body,
			    struct err *e);
};

struct dialect {
	const char *name; /* its name in the config file */
	/* the value of the option `hosting` for which this row is; NULL: none */
	const char *hosting;
	/* check: what else the options must be.  Errors: INVALID_VALUE.  NULL: nothing. */
	enum errc (*check)(const struct provider_options *o, struct err *e);
	unsigned takes; /* enum provider_takes */
	/* path after base_url, e.g. "/chat/completions" */
	const char *path;
	/* the beginning of path, e.g. "/api", which a configured base_url may contain or lack;
	 * NULL: none */
	const char *root;
	/* place: appends the path, with its query if there is one, in a dialect whose path depends
	 * on the prompt or on o->base_url (which is without path and root here). NULL: path is
	 * used. False: out is full, or the model's name can't be in a path. */
	bool (*place)(const struct provider_options *o, const struct prompt *prompt,
		      struct buf *out);
	/* Hosts of the vendor whose API this is, where its rules hold that other servers of the API do
	 * not have; one that begins with a dot is the end of several.  The last is NULL.  NULL: none. */
	const char *const             *hosts;
	enum name_rule                 names;
	const struct upstream_framing *framing; /* the framing of streams */
	const char *key_header; /* unless the options name one; NULL: Authorization: Bearer */
	/* sent with each call, except those whose name the options have too; the last one has the
	 * name NULL */
	const struct provider_header *headers;

	/* call_headers belong to dialects that take PROVIDER_MESSAGES.  Names of
	 * headers whose values a request in its client's words brings along; the last one is NULL.
	 * NULL: none. */
	const char *const *call_headers;
	/* brings_in_body: the place has no such headers: encode prints what is configured of the second, and
	 * what the request brings of it, into the body. */
	bool brings_in_body;
	/* put_flags: appends those of a request's marks of beta features that the place knows, with commas.
	 * False: out is full.  NULL: it knows all. */
	bool (*put_flags)(const struct provider_options *o, struct str flags, struct buf *out);
	/* path, but for counting the tokens of a request, where place does not say it; NULL: the API
	 * can't. */
	const char *count_path;

	/* encode: appends the body of the request for prompt to out. */
	enum errc (*encode)(const struct provider_options *o, const struct prompt *prompt,
			    struct buf *out, struct err *e);
	/* sign: appends header lines to a finished request, each as "\r\nName: value".  It gets the
	 * configured key in o->key, which is not sent then.  The list of models is not signed.  NULL:
	 * the headers that the options give are enough.
	 * Threads: the loop's, once an attempt, when the call starts (remote_start): the head has the
	 * attempt's own trace, and a signature its time, so neither can be made with the body, which a
	 * worker may have encoded before.  It must not block: no file, lock, name server or other
	 * host.  To hash a body takes up to 2.5 ms for each MiB, which the loop has for short bodies: a
	 * dialect with long ones needs their digest from where they are encoded. */
	enum errc (*sign)(const struct provider_options *o, const struct dialect_ask *ask,
			  struct buf *out, struct err *e);
	/* decode_event: decodes one event or line of a stream (data is never empty; name may be "")
	 * and passes events to d->on_event. An error object of the provider, or a broken chunk, is
	 * the returned error; decoders pass no EVENT_ERROR. */
	enum errc (*decode_event)(struct decode *d, struct str name, struct str data,
				  struct err *e);
	/* over: a stream is over, by its terminator or by the body's end; well: the body did not break
	 * off.  Gives the events that were held back in case something would follow.  NULL: none
	 * are. */
	void (*over)(struct decode *d, bool well);
	/* decode_whole: the same as decode_event for the body of a plain 2xx answer. */
	enum errc (*decode_whole)(struct decode *d, struct str body, struct err *e);
	/* decode_error: fills e from a non-2xx status and its body (which may be empty, HTML,
	 * anything), without host names and keys. */
	void (*decode_error)(const struct decode *d, int status, struct str body, struct err *e);
	/* finish: frees d->state; NULL: the dialect has none. */
	void (*finish)(struct decode *d);
	const struct dialect_embed *embed; /* NULL: the dialect has no embeddings */
	/* for prompts with `text` set: name, path, place and the functions; NULL: the dialect has no
	 * completions of a prompt */
	const struct dialect *text;
	/* path of the list of models, after base_url and root; NULL: the API has no list that can
	 * be read with the key alone */
	const char *models;
};

/* Each is defined in a folder of its own. */
extern const struct dialect dialect_anthropic;
extern const struct dialect dialect_anthropic_bedrock;
extern const struct dialect dialect_anthropic_vertex;
extern const struct dialect dialect_azure;
extern const struct dialect dialect_bedrock;
extern const struct dialect dialect_gemini;
extern const struct dialect dialect_interactions;
extern const struct dialect dialect_mistral;
extern const struct dialect dialect_openai;
extern const struct dialect dialect_lmc;
extern const struct dialect dialect_openai_responses;
extern const struct dialect dialect_ollama;

/* echo_create: makes the provider that answers by itself, without HTTP; as provider_create. */
enum errc echo_create(const struct provider_options *o, struct provider **ret,
		      struct err *e) MUST_USE;
