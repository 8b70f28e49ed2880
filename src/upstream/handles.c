/* A small list of easy handles for each thread. Making a handle and setting its two dozen options
 * costs microseconds, which a further call of the same target saves. */
#include "base/limits.h"
#include "upstream/internal.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* --- share: libcurl's share handle, with a lock for each kind of shared data. */

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

/* --- secure: Looks through libcurl's handle at OpenSSL's. */

/* secure_ssl: NULL: no connection, no TLS, or another library's. */
static const SSL *secure_ssl(CURL *easy)
{
	const struct curl_tlssessioninfo *info = NULL;

	if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info ||
	    info->backend != CURLSSLBACKEND_OPENSSL)
		return NULL;
	return info->internals;
}

bool secure_chose_http2(CURL *easy)
{
	const SSL           *ssl = secure_ssl(easy);
	const unsigned char *name = NULL;
	unsigned             n = 0;

	if (ssl)
		SSL_get0_alpn_selected(ssl, &name, &n);
	return n == 2 && memcmp(name, "h2", 2) == 0;
}

bool secure_holds_bytes(CURL *easy)
{
	const SSL *ssl = secure_ssl(easy);

	/* A record whose header alone has come has nothing pending: it waits for the body (RB). */
	return !ssl || SSL_has_pending(ssl) || strcmp(SSL_rstate_string(ssl), "RH") != 0;
}

enum { KEPT = 128 };

struct kept {
	CURL                   *easy;
	struct upstream_target *target; /* held, so that its address stays unique */
	enum handle_kind        kind;
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

/* --- options --- */

/* handles_on_open: keeps the errno, because libcurl does not report why a socket failed. */
static curl_socket_t handles_on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *at)
{
	int *socket_errno = arg;
	int  fd = socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);

	(void)purpose;
	if (fd < 0 && socket_errno)
		*socket_errno = errno;
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

bool handles_set_errors(CURL *easy, char *said, int *socket_errno)
{
	return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, said) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, socket_errno) == CURLE_OK;
}

#define SET(option, value) bad |= (unsigned)curl_easy_setopt(h, CURLOPT_##option, value)

/* handles_set_call: options that only a call of libcurl's own needs. */
static bool handles_set_call(CURL *h, const struct upstream_target *t, bool stream)
{
	unsigned bad = 0;

	if (t->get)
		SET(HTTPGET, 1L);
	else
		SET(POST, 1L);
	SET(HTTP_VERSION,
	    (long)(t->http2 && !stream ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
	/* A call that finds a running handshake waits for it, because its own handshake would not
	 * be faster. */
	SET(PIPEWAIT, t->http2 && !stream ? 1L : 0L);
	SET(BUFFERSIZE, stream ? 2048L : 16384L);
	if (!stream) /* says so before the first byte, where the length is announced */
		SET(MAXFILESIZE_LARGE, (curl_off_t)LIMIT_UPSTREAM_BODY);
	return bad == 0;
}

/* handles_set_connect: our own client speaks HTTP/1.1, so TLS must offer nothing else. */
static bool handles_set_connect(CURL *h, const struct upstream_target *t)
{
	unsigned bad = 0;

	SET(URL, t->url);
	SET(CONNECT_ONLY, 1L);
	SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(BUFFERSIZE, 1024L);
	return bad == 0;
}

static bool handles_set(CURL *h, const struct upstream_target *t)
{
	unsigned bad = 0;

	SET(NOSIGNAL, 1L);
	SET(QUICK_EXIT, 1L); /* or a cancel waits for a slow name server, with the loop */
	SET(SHARE, share_handle(t->share));
	SET(PROTOCOLS_STR, "http,https");
	SET(FOLLOWLOCATION, 0L);
	SET(NETRC, (long)CURL_NETRC_IGNORED);
	SET(DISALLOW_USERNAME_IN_URL, 1L);
	/* The option is always set; otherwise the environment would decide. */
	SET(PROXY, t->proxy ? t->proxy : "");
	SET(NOPROXY, t->proxy ? "" : "*");
	SET(SUPPRESS_CONNECT_HEADERS, 1L);
	SET(TCP_NODELAY, 1L);
	SET(TCP_KEEPALIVE, 1L);
	SET(DNS_CACHE_TIMEOUT, 300L);
	SET(OPENSOCKETFUNCTION, handles_on_open);
	if (t->connect_ms > 0)
		SET(CONNECTTIMEOUT_MS, t->connect_ms);
	if (t->ca_file)
		SET(CAINFO, t->ca_file);
	if (t->socket)
		SET(UNIX_SOCKET_PATH, t->socket);
	return bad == 0;
}
#undef SET

/* --- the list --- */

static CURL *handles_make(const struct upstream_target *t, enum handle_kind kind)
{
	CURL *h = curl_easy_init();

	if (h && handles_set(h, t) &&
	    (kind == HANDLE_CONNECT ? handles_set_connect(h, t)
				    : handles_set_call(h, t, kind == HANDLE_STREAM)))
		return h;
	curl_easy_cleanup(h);
	return NULL;
}

CURL *handles_get(const struct upstream_target *target, enum handle_kind kind)
{
	/* The newest handle is used first, because its memory is most likely in the cache. */
	for (unsigned i = pool.count; i > 0; i--) {
		struct kept *k = &pool.kept[i - 1];
		CURL        *easy = k->easy;

		if (k->target != target || k->kind != kind)
			continue;
		upstream_target_destroy(k->target);
		*k = pool.kept[--pool.count];
		return easy;
	}
	return handles_make(target, kind);
}

void handles_put_take(CURL *easy, struct upstream_target *target, enum handle_kind kind)
{
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, NULL);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, NULL);
	pthread_once(&once, make_key);
	pthread_setspecific(at_exit, &pool);
	/* A full list frees its oldest handle; so the targets of an earlier configuration
	 * disappear. */
	if (pool.count == KEPT) {
		handles_drop(&pool.kept[0]);
		pool.kept[0] = pool.kept[--pool.count];
	}
	pool.kept[pool.count++] = (struct kept){ easy, target_ref(target), kind };
}
