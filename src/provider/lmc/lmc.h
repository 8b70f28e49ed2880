/* provider/lmc/lmc: the parts of LMC's dialect that its files share.  Internal to the dialect.
 *
 * First, one chunk of an LMC stream: read, checked (rule C1 in tests/fixtures/lmc) and printed. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"
#include "msg/event.h"
#include "provider/dialect.h"
#include "provider/provider.h"

enum lmc_role { LMC_USER, LMC_ASSISTANT, LMC_COMPUTER, LMC_SYSTEM, LMC_SERVER, LMC_ROLE__COUNT };

/* The members of a chunk that describe its message, besides the role. */
enum lmc_said { LMC_TYPE, LMC_FORMAT, LMC_RECIPIENT, LMC_SAID__COUNT };

/* A chunk that was read. All spans point into d's text or into the scratch. */
struct lmc_chunk {
	const struct json_doc *d;
	json_at                object;
	enum lmc_role          role;
	struct str said[LMC_SAID__COUNT]; /* JSON in one spelling; empty: absent or null */
	json_at    content;               /* JSON_ABSENT: none, or it adds nothing (C2) */
	bool       has_content;           /* the member exists, even if it is null or empty */
	bool       start;
	bool       end;
	bool       others; /* the chunk has members that this struct does not name */
	bool       plain;  /* the chunk can be passed on unchanged */
};

struct lmc_scratch {
	struct buf decoded;
	struct buf printed[LMC_SAID__COUNT];
};

void lmc_scratch_init(struct lmc_scratch *s);
void lmc_scratch_finish(struct lmc_scratch *s);

/* lmc_chunk_read: reads an object of d; *ret is valid until the next call with this scratch.
 * Errors: UPSTREAM_BAD_RESPONSE (the object is no chunk), OVERLOADED. */
enum errc lmc_chunk_read(const struct json_doc *d, json_at object, struct lmc_scratch *scratch,
			 struct lmc_chunk *ret, struct err *e) MUST_USE;

/* lmc_head_print: prints `{"role":…,"type":…,"format":…,"recipient":…` without empty members and
 * without the closing brace. */
bool lmc_head_print(enum lmc_role role, const struct str said[LMC_SAID__COUNT],
		    struct buf *out) MUST_USE;
/* lmc_others_print: prints `,"name":value` for each other member, in one line. */
bool lmc_others_print(const struct lmc_chunk *c, struct buf *out) MUST_USE;
/* lmc_content_print: prints the chunk with its content (null if there is none), without flags. */
bool lmc_content_print(const struct lmc_chunk *c, struct buf *out) MUST_USE;

/* lmc_is: whether a JSON value is this string. */
static inline bool lmc_is(struct str json, const char *text)
{
	size_t n = strlen(text);

	return json.n == n + 2 && json.p[0] == '"' && memcmp(json.p + 1, text, n) == 0;
}

/* --- lmc_say: translates what the assistant says in LMC into events of OpenAI's model
 * (rules S1 to S6 in tests/fixtures/lmc; code becomes tool calls). Internal to provider/. */

/*
 * One message:
 *
 *   SAYS_NOTHING --begin--> SAYS_TEXT --text--> SAYS_TEXT
 *        ^      \---------> SAYS_CODE --text--> SAYS_CODE      (arguments are given as they come)
 *        |       \--------> SAYS_CALL --text--> SAYS_CALL      (its name is known: likewise)
 *        |        \-------> SAYS_UNNAMED --text--> SAYS_UNNAMED (held)
 *        |                       +----- the name came -------> SAYS_CALL
 *        +------------------------------end, from each of them
 */
enum lmc_says { SAYS_NOTHING, SAYS_TEXT, SAYS_CODE, SAYS_CALL, SAYS_UNNAMED };

/* Defined here so that other structs can embed it. */
struct lmc_say {
	provider_event_fn on_event;
	void             *arg;

	/* The open message. */
	enum lmc_says says;
	bool          begun;    /* some of the message's text was given */
	bool          language; /* SAYS_CODE: the language was not known at the start */

	/* The answer so far. */
	bool     in_line; /* text was given and did not end in LF */
	uint32_t calls;   /* begun so far; the open call is the last one */
	uint64_t salt;    /* part of the calls' ids, different in each answer */

	bool hollow; /* set while the events of a message without content are given */

	struct buf decoded; /* scratch */
	struct buf escaped; /* scratch */
	struct buf args;    /* SAYS_UNNAMED: the arguments so far; escaped once */
};

void lmc_say_init(struct lmc_say *s, provider_event_fn on_event, void *arg);
void lmc_say_finish(struct lmc_say *s);

/* lmc_say_begin: begins a message, whose role, type and recipient are final. The format may still
 * be unknown; the next calls get it again. False, here and below: no memory, or the text is over
 * its limit. */
bool lmc_say_begin(struct lmc_say *s, enum lmc_role role,
		   const struct str said[LMC_SAID__COUNT]) MUST_USE;
/* lmc_say_text: adds a piece of the message's content. */
bool lmc_say_text(struct lmc_say *s, const struct json_doc *d, json_at content,
		  struct str format) MUST_USE;
bool lmc_say_end(struct lmc_say *s, struct str format) MUST_USE;

/* --- lmc_segments: makes a provider's LMC chunks obey the grammar (rules C2 to C9 in
 * tests/fixtures/lmc), whatever the provider sent. The chunks are given as EVENT_LMC; what the
 * assistant says in them is also given as events of the other kinds. Internal to provider/. */

struct lmc_segments {
	provider_event_fn on_event;
	void             *arg;
	struct lmc_say    say;

	/* The open segment; its states are drawn in lmc_segments.c. */
	int           state;
	enum lmc_role role;
	struct buf    said[LMC_SAID__COUNT]; /* JSON; empty: not known yet */
	struct buf    head;           /* beginning of both flags, so that they have equal members */
	struct buf    others;         /* further members of a flag */
	struct buf    flag_recipient; /* from the start flag; empty: none */

	struct buf    line; /* an active line that waits for its console; empty: none */
	enum lmc_role line_role;
	struct buf    out; /* scratch: a printed chunk */
};

void lmc_segments_init(struct lmc_segments *s, provider_event_fn on_event, void *arg);
void lmc_segments_finish(struct lmc_segments *s);
/* lmc_segments_add: takes a chunk of any role. A chunk of the server closes the open segment, and
 * is not given. False: no memory, or a segment's head is over its limit. */
bool lmc_segments_add(struct lmc_segments *s, const struct lmc_chunk *c) MUST_USE;
/* lmc_segments_end: closes the open segment. */
bool lmc_segments_end(struct lmc_segments *s) MUST_USE;
