/* provider/decode: functions that the decoders of all dialects share: they pass events on, read
 * members that may be of a wrong type, and make the state of a dialect. Internal to provider/. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "base/limits.h"
#include "msg/prompt.h"
#include "provider/dialect.h"
#include "shape/answer.h"

/* decode_bad: the error of an answer that breaks its API's rules: "the provider sent WHAT". */
enum errc decode_bad(struct err *e, const char *what);

/* decode_beats: whether an event of a stream says nothing but that the connection lives: gateways and
 * servers send them with any data. */
bool decode_beats(struct str name, struct str data);

/* decode_attach: makes the event a part of the provider's object, and the first one its bearer. */
void               decode_attach(struct decode *d, struct event *ev);
static inline void decode_give(struct decode *d, struct event ev)
{
	if (d->native)
		decode_attach(d, &ev);
	d->on_event(d->arg, &ev);
}
/* decode_start: gives START, unless it was given before. */
void decode_start(struct decode *d, struct str id, struct str model);
/* decode_give_count: gives the answer to a request whose tokens are counted, which is in d->doc; key: the member that has
 * the number.  Errors: UPSTREAM_BAD_RESPONSE. */
enum errc decode_give_count(struct decode *d, const char *key, struct err *e);
/* decode_piece: gives a piece of text; an empty text gives nothing. */
void decode_piece(struct decode *d, enum event_kind kind, struct str text);
/* decode_end: gives FINISH, with the reason in OpenAI's words and in the provider's own, and
 * then USAGE, because OpenAI's clients expect it in the last chunk. usage NULL, or not known:
 * none. */
void decode_end(struct decode *d, struct str word, struct str native, const struct usage *usage);

/* The kind of state that a dialect keeps while it decodes an answer: the size of a struct, which is
 * zeroed at first, and the offsets of its buffers with their limits. */
struct decode_state {
	size_t size;
	struct {
		size_t at, max;
	} bufs[5]; /* max 0: no further one */
};
/* decode_state: returns d's state, which the first call makes; NULL: no memory.
 * decode_state_finish: frees the state; serves as finish of struct dialect. */
void *decode_state(struct decode *d, const struct decode_state *kind);
void  decode_state_finish(struct decode *d);

/* decode_text: the string of a member, still escaped; empty if the member is absent or null.
 * False: the member is of another type. */
bool decode_text(const struct json_doc *doc, json_at obj, const char *key, struct str *ret);
/* decode_made_id: an id for a call that came without one. */
struct str decode_made_id(char ret[ID_MAX]);
/* decode_args: the arguments of a call as escaped text, which is valid until scratch changes: those
 * of a string as they are, those of an object printed.  at JSON_ABSENT: empty.  Errors:
 * UPSTREAM_BAD_RESPONSE for a value of another type; OVERLOADED. */
enum errc decode_args(const struct json_doc *doc, json_at at, struct buf *scratch, struct str *ret,
		      struct err *e) MUST_USE;
/* decode_count_some: reads the number of tokens in a member, which may be written as 9.0; *ret stays
 * if the member is absent or null.  False: the member is not a count.
 * decode_count_value: the same of a value, which may be JSON_ABSENT.
 * decode_count: 0 if there is no count. */
bool    decode_count_some(const struct json_doc *doc, json_at obj, const char *key, int64_t *ret);
bool    decode_count_value(const struct json_doc *doc, json_at i, int64_t *ret);
int64_t decode_count(const struct json_doc *doc, json_at obj, const char *key);

/* --- whole: makes a plain answer from the events that a stream would give. Internal to
 * provider/.
 *
 * A dialect decodes a plain answer as if it were streamed, between whole_begin and whole_end.
 * The pieces are gathered into one EVENT_MESSAGE, with START, USAGE and FINISH around it. */

struct whole {
	struct decode    *decode;
	provider_event_fn on_event; /* the decode's own; whole_end gives it back */
	void             *arg;
	struct str        raw; /* raw and raw_id: decode's own, for the message */
	struct str        raw_id;
	struct answer     answer;
	bool              failed;
	bool              starved; /* failed for lack of memory; else the answer is too large */
	struct event      start;   /* its spans are borrowed from the dialect until whole_end */
	bool              started;
	struct usage      usage; /* the last one that was given */
	bool              has_usage;
	char              finish[64];
	char              native[64];
	bool              finished;
};

/* whole_too_much: sets the error for an answer that could not be gathered: no memory if starved,
 * else too large. */
enum errc whole_too_much(bool starved, struct err *e);
void      whole_begin(struct whole *w, struct decode *d);
/* whole_end: rc: the result of the dialect. If it is ERR_OK, the gathered events are given; else
 * the answer is dropped, and rc is returned. */
enum errc whole_end(struct whole *w, enum errc rc, struct err *e) MUST_USE;

/* --- place: parts of a URL that depend on the prompt. Internal to provider/. */

/* place_segment: appends text as one segment of a path, percent-encoded (RFC 3986 section 2.3
 * stays plain).  False: out is full, or text would be no segment of its own: empty, "." or "..". */
bool place_segment(struct buf *out, struct str text) MUST_USE;

/* --- embed_want: the requirements for the answer to a request for embeddings. Internal to
 * provider/. */

struct embed_want {
	size_t count;
	bool   base64;
	/* The tokens of the input, estimated: some providers count none, and OpenAI's clients expect a
	 * number. */
	int64_t guess;
	char    model[LIMIT_MODEL + 1]; /* the upstream's name, for answers without a name */
};

/* embed_want_create: owned, freed with free(); NULL: no memory. */
struct embed_want *embed_want_create(const struct prompt *p) MUST_USE;
