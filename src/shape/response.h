/* shape/response: the response object of OpenAI's Responses API.  A response gathers the events of
 * an answer as items: reasoning, a message, calls.  It decides where an item begins and ends, so
 * that streams (shape/response_stream), plain answers and stored ones show the same items.
 * Pure; not shared between threads. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "json/scan.h"
#include "msg/event.h"
#include "msg/family.h"
#include "msg/prompt.h"
#include "shape/encoders.h"
#include "shape/encoder.h"

struct err;
struct response_raw;

enum response_kind {
	RESPONSE_REASONING,
	RESPONSE_MESSAGE,
	RESPONSE_CALL,   /* call of a function */
	RESPONSE_IMAGE,  /* image that the model has made */
	RESPONSE_CUSTOM, /* a custom tool's: a function to the provider, with one text as input */
	RESPONSE_KIND__COUNT
};

/* --- response_raw: the items and the object of a provider that speaks OpenAI's Responses API, as its
 * client gets them: the provider's own bytes, but for ids by which this gateway can't find anything.
 *
 * A response always has the gateway's id.  Items of a stored response have, too: rs_, msg_, fc_ and so on
 * with the run's body, so that a later request can name them (routes/response/response_input).
 * Pure; not shared between threads. */

#define ID_RESPONSE "resp_"

enum {
	RESPONSE_ID = ID_MAX + 24, /* with the number of the item */
	RESPONSE_OWN_ID = 128,     /* a provider's; a longer one stays as it is */
};

/* response_raw_create: renames: items get ids of the gateway.  NULL: no memory. */
struct response_raw *response_raw_create(struct id run, bool renames) MUST_USE;
void                 response_raw_destroy(struct response_raw *x); /* NULL is fine */

/* response_raw_name: an item begins: gives it its id.  response_raw_add: an item is whole, and one of the
 * output.  item: a JSON object.  False: no memory, or the items are too long. */
bool response_raw_name(struct response_raw *x, struct str item) MUST_USE;
bool response_raw_add(struct response_raw *x, struct str item) MUST_USE;
/* response_raw_id: what stands for the raw value of an item's id, with quotes; the value itself if it is
 * not replaced. */
struct str response_raw_id(struct response_raw *x, struct str id);

/* response_raw_output: the items, with commas between them; empty: there are none. */
struct str response_raw_output(const struct response_raw *x);
/* response_raw_counts: how many items of each kind have ids of the gateway. */
void response_raw_counts(const struct response_raw *x, size_t ret[RESPONSE_KIND__COUNT]);

/* The gateway's facts about a response. */
struct response_frame {
	struct id  run;
	int64_t    created_s;
	struct str settings; /* the members that show the request: a JSON object, or empty; the
				       * same in all calls, and borrowed for all of them */
	const struct usage *usage;
	const char         *status; /* OpenAI's word, where the provider says none */
	bool                over;
	int64_t             completed_s; /* 0: not known */
};

/* response_raw_print: appends the response object: the provider's (a JSON object, or empty), with the
 * members that are the gateway's business, and with those that the provider has left out.
 * False: out is full, or memory is short. */
bool response_raw_print(struct response_raw *x, const struct response_frame *f, struct str provider,
			struct buf *out) MUST_USE;

/* response_raw_put_usage: appends usage as this API has it.  False: out is full. */
bool response_raw_put_usage(const struct usage *u, struct buf *out) MUST_USE;

/* --- response --- */

/* An item of the output.  All texts are JSON-escaped, as events carry them. */
struct response_item {
	enum response_kind kind;
	size_t             index; /* output_index */
	uint32_t           block; /* the call's index, as events have it */
	char               id[RESPONSE_OWN_ID];
	bool               open; /* pieces may follow */
	bool               cut;  /* it has ended early: status incomplete */
	bool               said; /* a message: it has a part of text; reasoning: it has a text */
	struct buf         text; /* a message or reasoning; the arguments of a call; an
				  * image in base64 */
	struct buf         refusal;
	struct buf         name;
	struct buf         space; /* namespace of a call's tool; empty: none */
	struct buf         call_id;
	struct buf         input;    /* input of a custom call that has ended */
	struct buf         logprobs; /* for the text: elements with commas between them */
	struct buf         carried;  /* encrypted_content of reasoning; empty: none */
	struct buf
		own; /* a message that a provider began: its further members, a comma before each */
	struct buf head; /* for the watcher's use */
};

/* Who is told of items as they come; each function returns false to report a lack of memory. */
struct response_watch {
	bool (*opened)(void *arg, struct response_item *i);
	/* grew: a piece was added to the text, or to the refusal; first: it begins that part. The
	 * log probabilities of a text are in response.pending. */
	bool (*grew)(void *arg, struct response_item *i, bool refusal, bool first,
		     struct str piece);
	bool (*closed)(void *arg, struct response_item *i);
};

/* Laid open so that it can be embedded. */
struct response {
	struct id              run;
	int64_t                created_s;  /* unix time */
	struct buf             settings;   /* the members that show the request */
	struct json_doc        doc;        /* settings, if the tools are needed */
	json_at                tools;      /* in doc; absent: all are plain functions */
	bool                   unthinking; /* reasoning is left out */
	bool                   logprobs;   /* the request asked for them */
	struct buf             pending;    /* log probabilities of the piece that is read */
	struct response_item **items;      /* owned, and so is each */
	size_t                 count;
	size_t                 base; /* items that were passed on before these (response_join) */
	bool                   answered;                  /* and a message is among them */
	size_t                 nth[RESPONSE_KIND__COUNT]; /* items of the kind so far */
	struct response_item  *reasoning;                 /* open, as message; NULL: none */
	struct response_item  *message;
	struct usage           usage;
	char                   finish[64]; /* finish_reason; "": not known yet */
	bool                   finished;
	bool                   broken; /* the answer has failed: open items are incomplete */
	/* Owned; what a client must return for its provider (shape/carry); NULL: nothing came.
	 * carries: the client is given it, because the gateway does not store the response. */
	struct carry *carry;
	bool          carries;
	size_t        bytes; /* size of all texts */
	size_t        max;   /* limit of bytes */
	/* Owned; the items of a provider of this API, which stand for those above, or if base is not 0,
	 * before them; NULL: there are none.  passes: they are taken from events. */
	struct response_raw         *raw;
	bool                         passes;
	const struct response_watch *watch; /* NULL: nobody is told */
	void                        *watch_arg;
};

/* response_init: settings (a JSON object, or empty) is copied.  False: no memory; response_finish
 * is to be called in any case. */
bool response_init(struct response *r, struct id run, int64_t created_s, struct str settings,
		   size_t max) MUST_USE;
void response_finish(struct response *r);
/* response_event: takes an event.  False: the texts are over max, or memory is short. */
bool response_event(struct response *r, const struct event *ev) MUST_USE;
/* response_adopt: a message that a provider began goes on as the first item here; nobody is told of its beginning.
 * NULL: no memory. */
struct response_item *response_adopt(struct response *r, size_t index, struct str id) MUST_USE;
/* response_adopt_text: its text so far, of a part that has begun.  False: no memory. */
bool response_adopt_text(struct response *r, struct response_item *i, struct str text,
			 struct str logprobs) MUST_USE;
/* response_end: the answer has ended well: closes all items. */
bool response_end(struct response *r) MUST_USE;
/* response_incomplete: why the answer ended early, in OpenAI's word; NULL: it did not. */
const char *response_incomplete(const struct response *r);

/* How a response stands. */
struct response_state {
	const char *status;        /* OpenAI's word */
	bool        over;          /* output and usage are known */
	int64_t     completed_s;   /* 0: not known */
	const char *error_code;    /* NULL: no error */
	struct str  error_message; /* a JSON string, with its quotes */
};
/* response_print: appends the object; response_print_item: an item; fresh: as it was when it had
 * just begun; response_print_part: a part of a message's content.  False: out is full. */
bool response_print(const struct response *r, const struct response_state *state,
		    struct buf *out) MUST_USE;
bool response_print_item(const struct response_item *i, bool fresh, struct buf *out) MUST_USE;
bool response_print_part(const struct response_item *i, bool refusal, bool fresh,
			 struct buf *out) MUST_USE;
/* response_code: OpenAI's code for an error with this code. */
const char *response_code(struct str code);

/* response_cancels: struct family's cancels: the response is made in the background. */
bool response_cancels(struct str settings);
/* response_object: struct family's object. */
bool response_object(const struct run_object *o, struct buf *out) MUST_USE;

/* --- response_pass: the events of a provider that speaks OpenAI's Responses API, as they go to the
 * client: the provider's own, with the gateway's numbers, ids and response object (shape/response_raw). */

enum response_part {
	RESPONSE_PART_NONE,
	RESPONSE_PART_TEXT,
	RESPONSE_PART_SUMMARY,
	RESPONSE_PART_RAW
};

/* The item that is open after the events so far; written by response_join. */
struct response_joint {
	struct buf         item;    /* its beginning; empty: none is open */
	struct buf         content; /* its parts that have ended, with commas between them */
	struct buf         summary;
	enum response_part part;     /* the one that is open */
	int64_t            nth;      /* its index */
	struct buf         text;     /* its text, escaped */
	struct buf         logprobs; /* elements */
	bool               told;     /* the end of its text was passed on, too */
	bool               grows;    /* further events of this chunk have more of the text */
	int64_t            index;    /* the item's */
	int64_t            next;     /* the next item's */
	bool               message;  /* there was one */
};

/* Laid open so that it can be embedded. */
struct response_pass {
	bool                  on;      /* the provider's events have come */
	bool                  renames; /* see response_raw_create */
	struct buf            last;    /* its last event, which waits for the store */
	struct buf            object;  /* the response of that event, as the client gets it */
	struct response_joint joint;
	struct json_doc       doc; /* scratch */
};

/* Each event of the stream is a block, and its number is one less than the block's.  response_block_close: ends a
 * block, as block_close, and counts it. */
static inline uint64_t response_number(const struct blocks *b)
{
	return b->next.seq - 1;
}
MUST_USE static inline bool response_block_close(struct blocks *b, struct buf *out)
{
	bool ok = block_close(b, out);

	b->next = (struct cursor){ .seq = b->next.seq + 1 };
	return ok;
}

void response_pass_init(struct response_pass *p, bool renames);
void response_pass_finish(struct response_pass *p);
/* response_pass_event: takes an event of this form, and prints the provider's, if it carries one; r gets
 * the items, the usage and the finish reason.  False: out is full, or memory is short. */
bool response_pass_event(struct response_pass *p, struct response *r, const struct event *ev,
			 struct blocks *b, struct buf *out) MUST_USE;
/* response_pass_ready: makes the object of the last event.  On any thread, while nobody else uses p and r.
 * False: memory is short. */
bool response_pass_ready(struct response_pass *p, struct response *r, int64_t ended_s) MUST_USE;
/* response_pass_whole: appends the object of a plain answer.  False: out is full, or memory is short. */
bool response_pass_whole(struct response *r, bool renames, const struct encoder_whole *w,
			 int64_t ended_s, struct buf *out) MUST_USE;

/* response_pass_close: ends a block whose JSON stands in out from start on. */
bool response_pass_close(struct blocks *b, size_t start, struct buf *out) MUST_USE;

/* --- response_join: an answer whose events were passed on goes on at another target, whose events are printed
 * here.  A message whose text is not over goes on; any other item that is open ends. */

void response_joint_init(struct response_joint *j);
void response_joint_finish(struct response_joint *j);
/* response_joint_note: takes an event that is passed on; type: raw's.  False: no memory. */
bool response_joint_note(struct response_joint *j, struct json_doc *doc, const struct event *ev,
			 struct str type, bool logprobs) MUST_USE;
/* response_join: no further event is passed on: prints the end of the item that is open, or r goes on with it.
 * False: no memory. */
bool response_join(struct response_pass *p, struct response *r, struct blocks *b,
		   struct buf *out) MUST_USE;
/* response_join_binds: whether an answer can't go on elsewhere after such an event.  *open: the items that are open,
 * 0 before the first event. */
bool response_join_binds(struct str raw, unsigned *open);

/* --- response_place: the client's own place in errors about a response's request, which is sent
 * to a provider as one of a chat. */

/* response_place: struct family's place. */
void response_place(const struct origins *o, struct err *e);

/* --- response_tool: finds the tool that a provider's call names. */

/* A tool of the request. */
struct response_tool {
	json_at    at; /* absent: there is none */
	struct str space;
	struct str name; /* within its namespace */
};

/* response_tool_of: name: as the provider knows it, with that of the namespace before it.  tools: the list
 * that the request shows, or absent. */
struct response_tool response_tool_of(const struct json_doc *d, json_at tools, struct str name);

/* --- response_stream: the encoder of OpenAI's Responses API: events with a sequence_number, and
 * the response object for a plain answer. */

struct encoder *response_stream_create(const struct encoder_about *about);
/* response_stream_cursor: reads starting_after, the sequence_number of the last event that a client
 * has; false: text is no such number. */
bool response_stream_cursor(struct str text, struct cursor *ret);

/* --- response_refer: the assistant's message of which a request gives a part, and names the rest
 * by the ids of stored items. */

/* A call that is only named stands in the given message's tool_calls as {"stored":N}, N from 1. */
#define RESPONSE_REFER_CALL "stored"

/* response_refer_join: *ret has the members of the stored message, and those calls that the given
 * message has or names.  A given call whose id a stored call has, too, becomes the stored one, which
 * also has what its provider must get back.  A stored message of another role is *ret as it is.
 * *ret borrows from stored, or is in the arena; it may be where `given` stands.
 * Errors: NOT_FOUND: there is no such call; INVALID_VALUE: calls after a message that is not the
 * assistant's; OVERLOADED. */
enum errc response_refer_join(struct str stored, struct str given, struct arena *arena,
			      struct str *ret, struct err *e) MUST_USE;

/* --- logprobs: takes the log probabilities of tokens from an object of OpenAI's chat completions, a
 * chunk or a whole answer, in the form that the Responses API has for them.
 * Pure.
 * Source: OpenAI's API reference, "Chat completions" (choices[].logprobs.content) and "Responses"
 * (output_text.logprobs). */

/* logprobs_add: appends the elements of the answer's first choice, with commas between them and after
 * what out has; nothing where raw has none.  Members that the Responses API demands and the provider
 * left out become empty lists.  False: no memory, or out is full; out is unchanged. */
bool logprobs_add(struct str raw, struct buf *out) MUST_USE;
