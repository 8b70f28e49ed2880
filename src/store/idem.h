/* Idempotency keys: what a client's Idempotency-Key stands for. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "base/str.h"
#include "store/job.h"
#include "store/run.h"

/* A client's Idempotency-Key; key.n 0: none. */
struct store_idem {
	struct str key;
	struct str fingerprint; /* of the request that it stands for */
};

/* What a key is answered with from then on. */
struct idem_answer {
	int http; /* status; 0: nothing yet, or (at an end) the key is free again */
	struct str
		body; /* empty: with 200 the events of the run are the answer, else it was lost: with
	                  * 500 the process ended before, with 503 it could not be stored, with 410 it
	                  * was deleted */
};

/* In a write that makes something: the key of the request, and its answer.  The key is written in the
 * transaction that makes the thing; where it is there already nothing is made, and the answer is the
 * one that was kept.  A write that is refused leaves the key free.
 * Errors of the write: KEY_REUSED; GONE: what was made has been deleted. */
struct idem_made {
	struct store_idem key; /* key.n 0: none; then nothing below counts */
	/* The answer's body, of status 200, appended to out once the thing is made; on a thread of
	 * the engine's, so it only prints what the job holds.  False: no memory. */
	bool (*print)(struct store_job *job, struct buf *out);
	struct buf
		answer; /* init'ed and finished by the caller; out: what print made, or was kept */
	bool    replayed; /* out: it was kept */
};

/* key_reused: fills e with what is said of a key that stands for another request. */
void key_reused(struct err *e);

/* A key with the answer of a call that is stored nowhere else. */
struct idem_keep {
	struct store_job   job;
	int64_t            owner;
	int64_t            created_ms;
	struct id          run;
	struct store_idem  key;
	enum run_status    outcome;
	struct idem_answer answer;
};

/* idem_read: what a key stands for.  No error where it is unknown. */
struct idem_read {
	struct store_job  job;
	int64_t           owner;
	struct store_idem key;
	struct buf        bytes; /* of answer.body, at most its maximum; may be taken from here */
	/* out */
	bool               found;
	bool               same;   /* the fingerprint is the one given */
	bool               stored; /* the run is, too */
	struct id          run;
	struct id          conversation; /* none: not stored */
	enum run_status    outcome;      /* RUNNING: the answer is not there yet */
	struct idem_answer answer;
};
