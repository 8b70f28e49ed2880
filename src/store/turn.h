/* Turns.  A turn is two writes: `begin` makes the conversation (if new), its messages and the run
 * durable before a provider is called; `end` makes the answer, its usage and the run's end durable,
 * in one transaction, before the client sees the end.  Spans are JSON values or empty (stored as
 * NULL). */
#pragma once

#include "base/id.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/conversation.h"
#include "store/events.h"
#include "store/answer.h"
#include "store/job.h"
#include "store/usage.h"

/* Data for recovery, to estimate and book the cost of a call that a crash has cut off. */
struct turn_bill {
	struct str key;                 /* id of the API key, as in logs; "": none */
	struct str model;               /* the configured name, with its star */
	struct str tags;                /* the call's (msg/usage_tag); empty: calls have none */
	int64_t    in;                  /* bytes of the prompt; media count as their tokens */
	bool       priced;              /* the prices are known */
	int64_t    price_in, price_out; /* per million tokens, at the dearest target or fallback */
};

struct turn_begin {
	struct store_job  job;
	int64_t           owner;
	int64_t           now_ms;
	struct id         run; /* also the body of the answer's message id */
	struct id         conversation;
	bool              new_conversation;
	enum store_origin origin; /* a new conversation's */
	struct str metadata;      /* a new conversation's, else the run's; JSON object, or empty */
	int64_t    keep_ms;       /* how long the conversation is kept from now on; 0: not said */
	struct id  parent;        /* the message before the first one; none in a new conversation */
	struct id  expected_leaf; /* an old conversation's, as read; gone on or live since then:
	                                 * ERR_CONVERSATION_BUSY with retry_after_ms */
	bool       branching;     /* the client chose parent: other live runs do not matter */
	bool       waits;         /* goes on with the code that `continues` waits with; if that
	                           * was withdrawn, ERR_CONVERSATION_BUSY as well */
	bool       instruction_set;
	struct str instruction; /* plain text, if instruction_set; empty: ends an older one */
	struct str model;       /* name in the request */
	struct str provider;
	struct str shape;      /* SHAPE_… (msg/family.h): the shape of the answer */
	struct id  continues;  /* the run whose answer this one continues; none: it does not */
	struct str request_id; /* only of a completion */
	struct str settings;   /* JSON object: what is shown again of the request; or empty */
	const struct store_message *messages;
	size_t                      message_count;
	uint64_t                    seq_reserved; /* event numbers up to this one may be sent */
	bool               logged; /* events are stored before the run's end: it may last */
	struct answer_name key;    /* stored; turn_end binds it or frees it */
	struct turn_bill   bill;   /* stored, for recovery */
};

struct turn_end {
	struct store_job job;
	struct id        run;
	enum run_status  status;    /* COMPLETED, INCOMPLETE, FAILED or CANCELLED */
	struct str       answer;    /* the assistant's message object, or empty: none */
	struct str   finish_reason; /* JSON-escaped, as events carry it; so wherever it is read */
	struct str   native_reason; /* the same in the provider's own word */
	struct str   error;         /* JSON error object, or empty */
	struct usage usage;
	int64_t      first_token_ms; /* wall; 0: none came */
	int64_t      completed_ms;
	uint64_t     last_seq;
	int64_t      attempts;
	struct str   attempt_log; /* msg/attempt_log; empty: the store keeps the one that it has */
	struct str   provider;    /* asked last; empty: the one of turn_begin */
	int64_t target; /* the mark of the target that has answered; 0: the store keeps what it has */
	/* Executions on the computer, a JSON array of objects; empty: the store keeps the ones
	 * that it has. */
	struct str executions;
	bool       unlogged; /* the run has no events, neither below nor in an events_append */
	bool       planned;  /* but how it was asked (run/plan), which goes from the log */
	/* Events that no events_append may have stored; .data empty: none. */
	struct events_piece events[EVENTS_REST];
	bool                keyed; /* its answer may have a name (struct answer_name) */
	struct kept_answer  kept_answer;
	bool                costs; /* cost_nano is known */
	int64_t             cost_nano;
	/* The run's usage; NULL: nothing was used or reserved.  A reservation is settled even
	 * if the end is refused.  Without a reservation, the caller books the usage
	 * (store_usage_add), unless `later` is set. */
	const struct usage_note *note;
	/* Out: the end could not be written.  The engine writes it as soon as it can write again,
	 * or the next start ends the run; whichever does, also books the usage. */
	bool later;
};

struct seq_reserve {
	struct store_job job;
	struct id        run;
	uint64_t         upto;
};
