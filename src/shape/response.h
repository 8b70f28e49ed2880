/* shape/response: the response object of OpenAI's Responses API.  A response gathers the events of
 * an answer as items: reasoning, a message, calls.  It decides where an item begins and ends, so
 * that streams (shape/response_stream), plain answers and stored ones show the same items.
 * Pure; not shared between threads. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "json/scan.h"
#include "msg/event.h"
#include "msg/family.h"
#include "shape/response_raw.h"

enum response_kind {
	RESPONSE_REASONING,
	RESPONSE_MESSAGE,
	RESPONSE_CALL,   /* of a function */
	RESPONSE_IMAGE,  /* that the model has made */
	RESPONSE_CUSTOM, /* of a custom tool: a function to the provider, with one text as input */
	RESPONSE_KIND__COUNT
};

/* An item of the output.  All texts are JSON-escaped, as events carry them. */
struct response_item {
	enum response_kind kind;
	size_t             index; /* output_index */
	uint32_t           block; /* the call's index, as events have it */
	char               id[RESPONSE_ID];
	bool               open; /* pieces may follow */
	bool               cut;  /* it has ended early: status incomplete */
	bool               said; /* a message: it has a part of text; reasoning: it has a text */
	struct buf         text; /* of the message or the reasoning; the arguments of a call; an
				  * image in base64 */
	struct buf         refusal;
	struct buf         name;
	struct buf         space; /* of a call: the namespace of its tool; empty: none */
	struct buf         call_id;
	struct buf         input;    /* of a custom call that has ended */
	struct buf         logprobs; /* of the text: elements with commas between them */
	struct buf         carried;  /* encrypted_content of reasoning; empty: none */
	struct buf         head;     /* for the watcher's use */
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
	struct json_doc        doc;        /* of settings, if the tools are needed */
	json_at                tools;      /* of doc; absent: all are plain functions */
	bool                   unthinking; /* reasoning is left out */
	bool                   logprobs;   /* the request asked for them */
	struct buf             pending;    /* log probabilities of the piece that is read */
	struct response_item **items;      /* owned, and so is each */
	size_t                 count;
	size_t                 nth[RESPONSE_KIND__COUNT]; /* items of the kind so far */
	struct response_item  *reasoning;                 /* these two are open; NULL: none is */
	struct response_item  *message;
	struct usage           usage;
	char                   finish[64]; /* finish_reason; "": not known yet */
	bool                   finished;
	bool                   broken; /* the answer has failed: open items are incomplete */
	/* Owned; what a client must return for its provider (shape/carry); NULL: nothing came.
	 * carries: the client is given it, because the gateway does not store the response. */
	struct carry *carry;
	bool          carries;
	size_t        bytes; /* of all texts */
	size_t        max;   /* of bytes */
	/* Owned; the items of a provider of this API, which stand for those above; NULL: there are none.
	 * passes: they are taken from events. */
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
