/* Kept answers: an answer that is given again to whoever asks for the same under the same name.
 *
 * The answer is either the events of a stored run, or bytes.  It has an owner, the time at which it was asked
 * for, and a size, and it is removed when it is too old (store_options.answer_keep_ms).  The store does not know
 * what a name stands for, nor who may use it: its clients do.  `Idempotency-Key` is the only one
 * (call/keyed, call/idem); the cache of answers has rows of its own (store/cache.h). */
#pragma once

#include "base/buf.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"
#include "store/job.h"
#include "store/run.h"

enum { ANSWER_KEY_MAX = 255 };

/* The name of an answer among those of its owner; key.n 0: none. */
struct answer_name {
	struct str key;    /* at most ANSWER_KEY_MAX bytes */
	struct str digest; /* the request's, where the key does not say what is asked for */
	int64_t    holder; /* same as in claim_take; 0: nobody had to take it */
};

/* A name's own bytes. */
struct answer_label {
	char          key[ANSWER_KEY_MAX + 1];
	unsigned char digest[HASH_BYTES];
};

/* answer_label_name: borrowed from label. */
struct answer_name answer_label_name(const struct answer_label *label);

/* The answer to all who ask under the name later. */
struct kept_answer {
	int http; /* status; 0: nothing yet, or (at an end) the name is free again */
	struct str
		body; /* empty: with 200, the run's events are the answer; otherwise the answer is
		       * lost: 500: the process ended before it was complete, 503: it could not be
		       * stored, 410: it was deleted */
};

/* The name and the answer of a write that creates an object without a run.  The name is written in
 * the transaction that creates the object.  If it has an answer already, no object is created, and
 * the answer is the kept one.  A refused write leaves the name free.
 * Errors of the write: KEY_REUSED: of another request; GONE: the object was deleted; OVERLOADED. */
struct answer_made {
	struct answer_name key; /* key.n 0: none; then the rest is not used */
	/* print: appends the body of the answer (status 200) to out, after the object was created.
	 * It runs on a thread of the engine, and so uses only the job's data.  False: no memory. */
	bool (*print)(struct store_job *job, struct buf *out);
	struct buf
		answer; /* init'ed and finished by the caller; out: what print made, or was kept */
	bool    replayed; /* out: answer is the kept one */
};

/* For engines: the object that such a write has created, to be written with its name. */
struct answer_object {
	int64_t owner;
	int64_t now_ms;
	int64_t subject;      /* key of the conversation or the file; 0: none */
	int64_t message_from; /* first and last key of the messages in the answer; 0: none */
	int64_t message_to;
	struct store_job *job; /* borrowed; for answer_made.print */
};

/* answer_refuse_other: fills e with the error for a name that stands for another request. */
void answer_refuse_other(struct err *e);

/* answer_keep: a write of a name with the answer of a call that is stored nowhere else.
 * Errors: KEY_LOST: another process has the name now. */
struct answer_keep {
	struct store_job   job;
	int64_t            owner;
	int64_t            created_ms;
	struct id          run;
	struct answer_name key;
	enum run_status    outcome;
	struct kept_answer answer;
};

/* claim_take: a write that takes a name for a call of this process, before its provider is asked, so
 * that no other process makes the same call.  `claim` stands for the call until its run has the name
 * (turn_begin, answer_keep), and store_claim_free gives the name back. */
struct claim_take {
	struct store_job   job;
	int64_t            owner;
	int64_t            created_ms;
	struct id          claim;
	struct answer_name key;
	bool               taken;  /* out; false: somebody has it; answer_find says who */
	int64_t            holder; /* out: this process, as the store knew it then */
};

/* answer_find: looks up a name.  An unknown name is no error. */
struct answer_find {
	struct store_job   job;
	int64_t            owner;
	struct answer_name key;
	struct buf bytes; /* has answer.body; the caller sets its maximum, and may take it */
	/* out */
	bool               found;
	bool               same;   /* the kept digest is that of key; otherwise there is no body */
	bool               stored; /* the run is stored */
	bool               begun;  /* and its events may be followed */
	int64_t            created_ms;
	struct id          run;
	struct id          conversation; /* none: not stored */
	enum run_status    outcome;      /* QUEUED, RUNNING: there is no answer yet */
	struct kept_answer answer;
};
