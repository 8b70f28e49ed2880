/* The words for what the cache of answers has done. */
#include "msg/call_cache.h"

#include "base/base.h"

const char *call_cache_name(enum call_cache c)
{
	static const char *const names[CALL_CACHE__COUNT] = {
		[CALL_CACHE_NONE] = "",         [CALL_CACHE_HIT] = "hit",
		[CALL_CACHE_JOINED] = "joined", [CALL_CACHE_MISS] = "miss",
		[CALL_CACHE_BYPASS] = "bypass", [CALL_CACHE_STORED] = "stored",
	};

	CHECK((unsigned)c < CALL_CACHE__COUNT);
	return names[c];
}
