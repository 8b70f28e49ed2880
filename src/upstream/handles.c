/* A small list of easy handles for each thread. Making a handle and setting its two dozen options
 * costs microseconds, which a further call of the same target saves. */
#include "upstream/handles.h"

#include <pthread.h>

enum { KEPT = 128 };

struct kept {
	CURL                   *easy;
	struct upstream_target *target; /* held, so that its address stays unique */
	bool                    stream;
};

struct pool {
	struct kept kept[KEPT];
	unsigned    count;
};

static _Thread_local struct pool pool;
static pthread_key_t             at_exit;
static pthread_once_t            once = PTHREAD_ONCE_INIT;

static void handles_drop(struct kept *k)
{
	curl_easy_cleanup(k->easy);
	upstream_target_destroy(k->target);
}

/* Runs at the end of a thread, before its thread-local memory is freed. */
static void drop_all(void *arg)
{
	struct pool *p = arg;

	while (p->count > 0)
		handles_drop(&p->kept[--p->count]);
}

static void make_key(void)
{
	/* Without a key the handles of an ended thread are not freed; nothing else depends on it. */
	(void)pthread_key_create(&at_exit, drop_all);
}

CURL *handles_get(const struct upstream_target *target, bool stream, bool *ret_ready)
{
	/* The newest handle is used first, because its memory is most likely in the cache. */
	for (unsigned i = pool.count; i > 0; i--) {
		struct kept *k = &pool.kept[i - 1];
		CURL        *easy = k->easy;

		if (k->target != target || k->stream != stream)
			continue;
		upstream_target_destroy(k->target);
		*k = pool.kept[--pool.count];
		*ret_ready = true;
		return easy;
	}
	*ret_ready = false;
	return curl_easy_init();
}

void handles_put_take(CURL *easy, struct upstream_target *target, bool stream)
{
	pthread_once(&once, make_key);
	pthread_setspecific(at_exit, &pool);
	/* A full list frees its oldest handle; so the targets of an earlier configuration
	 * disappear. */
	if (pool.count == KEPT) {
		handles_drop(&pool.kept[0]);
		pool.kept[0] = pool.kept[--pool.count];
	}
	pool.kept[pool.count++] = (struct kept){ easy, target_ref(target), stream };
}
