/* Turns.  A turn is two writes: `begin` makes the conversation (if new), its messages and the run durable
 * before a provider is called; `end` makes the answer, its usage and the run's end durable, in one
 * transaction, before the client sees the end.  Spans are JSON values or empty (stored as NULL). */
#pragma once

#include "base/id.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/conversation.h"
#include "store/events.h"
#include "store/idem.h"
#include "store/job.h"
#include "store/usage.h"

/* What a crash leaves to estimate a call's cost by. */
struct turn_bill {
	struct str key;   /* as logs name it; "": none */
	struct str model; /* the configured name, with its star */
	int64_t    in;    /* bytes of the prompt, media in tokens */
	bool       priced;
	int64_t    price_in, price_out; /* for a million tokens: the dearest that may be asked */
};

struct turn_begin {
	struct store_job job;
	int64_t          owner;
	int64_t          now_ms;
	struct id        run; /* also the body of the answer's message id */
	struct id        conversation;
	bool             new_conversation;
	struct str metadata; /* of a new conversation: JSON object, or empty; else of the run */
	struct id  parent;   /* what the messages hang on; none in a new conversation */
	struct id  expected_leaf; /* of an old conversation, as read; gone on or live since then:
	                                 * ERR_CONVERSATION_BUSY with retry_after_ms */
	bool       branching;     /* parent was chosen: whatever else goes on does not matter */
	bool       instruction_set;
	struct str instruction; /* plain text; only if set; empty ends an older one */
	struct str model;       /* as asked */
	struct str provider;
	struct str shape;      /* SHAPE_… (msg/family.h): how it is answered */
	struct id  continues;  /* the run whose answer this one goes on with; none: no */
	struct str request_id; /* of a completion alone, as the next one */
	struct str settings;   /* JSON object: what is shown again of its request; or empty */
	const struct store_message *messages;
	size_t                      message_count;
	uint64_t                    seq_reserved; /* event numbers up to this one may be sent */
	struct store_idem           key;          /* kept until turn_end says what becomes of it */
	struct turn_bill            bill;         /* likewise */
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
	struct str   provider;      /* asked last; empty: as it was begun */
	struct events_piece events; /* those that no events_append brought; .data empty: none */
	bool                keyed;  /* there may be a key */
	struct idem_answer  idem_answer;
	bool                costs; /* cost_nano is known */
	int64_t             cost_nano;
	/* What it has used; NULL: nothing, and nothing is reserved.  A reservation ends with it, whatever
	 * becomes of the rest.  Without one, booking is the caller's (usage_add), unless the end comes
	 * later. */
	const struct usage_note *note;
	bool later; /* out: it could not be written.  The engine ends the run as soon as
	                                 * it can write again, or the next start does: who ends it books it */
};

struct seq_reserve {
	struct store_job job;
	struct id        run;
	uint64_t         upto;
};
