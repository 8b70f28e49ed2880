/* libcurl's share handle, with a lock for each kind of shared data. */
#include "upstream/internal.h"

#include <pthread.h>
#include <stdlib.h>

struct share {
	CURLSH         *curl;
	pthread_mutex_t locks[CURL_LOCK_DATA_LAST];
};

static void share_lock(CURL *easy, curl_lock_data what, curl_lock_access access, void *arg)
{
	struct share *s = arg;

	(void)easy;
	(void)access;
	pthread_mutex_lock(&s->locks[what]);
}

static void share_unlock(CURL *easy, curl_lock_data what, void *arg)
{
	struct share *s = arg;

	(void)easy;
	pthread_mutex_unlock(&s->locks[what]);
}

struct share *share_create(void)
{
	struct share *s = calloc(1, sizeof *s);
	unsigned      bad = 0;

	if (!s)
		return NULL;
	for (size_t i = 0; i < CURL_LOCK_DATA_LAST; i++)
		pthread_mutex_init(&s->locks[i], NULL);
	s->curl = curl_share_init();
	if (!s->curl) {
		share_destroy(s);
		return NULL;
	}
	bad |= (unsigned)curl_share_setopt(s->curl, CURLSHOPT_LOCKFUNC, share_lock);
	bad |= (unsigned)curl_share_setopt(s->curl, CURLSHOPT_UNLOCKFUNC, share_unlock);
	bad |= (unsigned)curl_share_setopt(s->curl, CURLSHOPT_USERDATA, s);
	bad |= (unsigned)curl_share_setopt(s->curl, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
	bad |= (unsigned)curl_share_setopt(s->curl, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	if (bad == 0)
		return s;
	share_destroy(s);
	return NULL;
}

void share_destroy(struct share *s)
{
	if (!s)
		return;
	if (s->curl)
		curl_share_cleanup(s->curl);
	for (size_t i = 0; i < CURL_LOCK_DATA_LAST; i++)
		pthread_mutex_destroy(&s->locks[i]);
	free(s);
}

CURLSH *share_handle(const struct share *s)
{
	return s->curl;
}
