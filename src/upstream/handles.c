/* A small free list of easy handles for each thread: making one anew costs microseconds. */
#include "upstream/handles.h"

#include <pthread.h>

enum { KEPT = 64 };

struct pool {
	CURL    *easy[KEPT];
	unsigned count;
};

static _Thread_local struct pool pool;
static pthread_key_t             at_exit;
static pthread_once_t            once = PTHREAD_ONCE_INIT;

/* Runs at the end of a thread, while its thread-local memory still stands. */
static void drop_all(void *arg)
{
	struct pool *p = arg;

	while (p->count > 0)
		curl_easy_cleanup(p->easy[--p->count]);
}

static void make_key(void)
{
	/* Without a key the handles of an ended thread are not freed; nothing else depends on it. */
	(void)pthread_key_create(&at_exit, drop_all);
}

CURL *handles_get(void)
{
	return pool.count > 0 ? pool.easy[--pool.count] : curl_easy_init();
}

void handles_put_take(CURL *easy)
{
	if (pool.count == KEPT) {
		curl_easy_cleanup(easy);
		return;
	}
	pthread_once(&once, make_key);
	pthread_setspecific(at_exit, &pool);
	curl_easy_reset(easy);
	pool.easy[pool.count++] = easy;
}
