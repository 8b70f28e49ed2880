/* Idempotency keys: the requests and answers for which a client's Idempotency-Key stands. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "base/str.h"
#include "store/job.h"
#include "store/run.h"

/* A client's Idempotency-Key; key.n 0: none. */
struct store_idem {
	struct str key;
	struct str fingerprint; /* identifies the request for which the key stands */
	int64_t    holder;      /* same as in idem_take; 0: nobody had to take it */
};

/* The answer to all later requests with the key. */
struct idem_answer {
	int http; /* status; 0: nothing yet, or (at an end) the key is free again */
	struct str
		body; /* empty: with 200, the run's events are the answer; otherwise the answer is
		       * lost: 500: the process ended before it was complete, 503: it could not be
		       * stored, 410: it was deleted */
};

/* The key and the answer of a write that creates an object without a run.  The key is written in
 * the transaction that creates the object.  If the key exists already, no object is created, and
 * the answer is the kept one.  A refused write leaves the key free.
 * Errors of the write: KEY_REUSED; GONE: the object of the key was deleted. */
struct idem_made {
	struct store_idem key; /* key.n 0: none; then the rest is not used */
	/* print: appends the body of the answer (status 200) to out, after the object was created.
	 * It runs on a thread of the engine, and so uses only the job's data.  False: no memory. */
	bool (*print)(struct store_job *job, struct buf *out);
	struct buf
		answer; /* init'ed and finished by the caller; out: what print made, or was kept */
	bool    replayed; /* out: answer is the kept one */
};

/* key_reused: fills e with the error for a key that stands for another request. */
void key_reused(struct err *e);

/* idem_keep: a write of a key with the answer of a call that is stored nowhere else.
 * Errors: KEY_LOST: another process has the key now. */
struct idem_keep {
	struct store_job   job;
	int64_t            owner;
	int64_t            created_ms;
	struct id          run;
	struct store_idem  key;
	enum run_status    outcome;
	struct idem_answer answer;
};

/* idem_take: a write that takes a key for a call of this process, before its provider is asked, so
 * that no other process makes the same call.  `claim` stands for the call until its run has the key
 * (turn_begin, idem_keep), and store_idem_free gives the key back. */
struct idem_take {
	struct store_job  job;
	int64_t           owner;
	int64_t           created_ms;
	struct id         claim;
	struct store_idem key;
	bool              taken;  /* out; false: somebody has it; idem_read says who */
	int64_t           holder; /* out: this process, as the store knew it then */
};

/* idem_read: looks up a key.  An unknown key is no error. */
struct idem_read {
	struct store_job  job;
	int64_t           owner;
	struct store_idem key;
	struct buf        bytes; /* has answer.body; the caller sets its maximum, and may take it */
	/* out */
	bool               found;
	bool               same;   /* the kept fingerprint is that of key */
	bool               stored; /* the run is stored */
	bool               begun;  /* and its events may be followed */
	struct id          run;
	struct id          conversation; /* none: not stored */
	enum run_status    outcome;      /* QUEUED, RUNNING: there is no answer yet */
	struct idem_answer answer;
};
