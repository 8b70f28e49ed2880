/* msg/call_cache: what the cache of answers has done for a call. */
#pragma once

/* The part of the cache of answers in a call that asked for it.  Stored as numbers, which stay. */
enum call_cache {
	CALL_CACHE_NONE,   /* the call did not ask, or it is not known yet */
	CALL_CACHE_HIT,    /* a kept answer is given */
	CALL_CACHE_JOINED, /* a kept answer is given, after a wait for the call that made it */
	CALL_CACHE_MISS,   /* there was none */
	CALL_CACHE_BYPASS, /* the call has no part in the cache */
	CALL_CACHE_STORED, /* there was none, and this answer is kept */
	CALL_CACHE__COUNT
};
/* call_cache_name: "": CALL_CACHE_NONE. */
const char *call_cache_name(enum call_cache c);
