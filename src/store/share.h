/* Shares of the limits of keys, for processes that use one store: the store hands out what is left of a
 * limit, so that what all of them spend is never more than that. */
#pragma once

#include "store/job.h"

#include <stdint.h>

enum { SHARE_WANTS = 9, SHARE_KEEPS = 128 };

/* A process's demand on one limit.  A limit is one of calls or tokens in a window of time, which begins when
 * somebody asks first, by the store's clock; or, without a window, one of calls at once. */
struct share_want {
	int64_t key; /* the key's number, or its group's, below 0; 0: the limit of all callers together */
	int64_t policy; /* which of its limits */
	int64_t limit;
	int64_t window_ms; /* 0: calls at once */
	int64_t least;     /* less is of no use */
	bool    more;      /* a share may be more than that */
	/* out: */
	int64_t granted; /* 0, or at least `least` */
	int64_t left;    /* rest of the limit after that; below 0 once the limit has shrunk */
	int64_t keep;    /* part of a share that may stay unspent in one process */
	/* The window's beginning, which is its name; without a window, a name of this process, which
	 * changes if the store believed it dead. */
	int64_t window;
	int64_t rest_ms; /* until the window is over */
};

/* share_take: a write that takes shares.  If an earlier try was stored, too, its share is lost until the window
 * is over, or until the process tells what it keeps. */
struct share_take {
	struct store_job  job;
	int64_t           asked_us; /* the submitter's */
	uint64_t          order;    /* out: of the answer, among all of this process */
	size_t            count;
	struct share_want wants[SHARE_WANTS]; /* all for different limits */
};

/* All that a process keeps of a limit from now on, spent or not; the rest goes back. */
struct share_keep {
	int64_t key, policy, window;
	int64_t taken;
};
