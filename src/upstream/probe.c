/* A blocking GET of the gateway's own listener. */
#include "upstream/upstream.h"

#include <curl/curl.h>
#include <stdio.h>

struct answer {
	char  *body; /* [PROBE_BODY] */
	size_t len;
};

/* Bytes that do not fit are skipped. Bytes that are not text must not reach a terminal. */
static size_t probe_take(char *bytes, size_t size, size_t count, void *arg)
{
	struct answer *a = arg;

	(void)size; /* always 1 */
	for (size_t i = 0; i < count && a->len + 1 < PROBE_BODY; i++)
		if (bytes[i] >= ' ' && bytes[i] <= '~')
			a->body[a->len++] = bytes[i];
	a->body[a->len] = '\0';
	return count;
}

/* A listener on all addresses has no address to connect to. */
static const char *host_to_ask(const char *host, size_t n)
{
	if (n == strlen("0.0.0.0") && memcmp(host, "0.0.0.0", n) == 0)
		return "127.0.0.1";
	if (n == strlen("[::]") && memcmp(host, "[::]", n) == 0)
		return "[::1]";
	return NULL;
}

static bool probe_make_url(const char *address, bool tls, const char *path, char *url, size_t size)
{
	const char *colon = strrchr(address, ':');

	/* Port 0 means any port, and only the gateway knows which one; the same is true for
	 * inherited sockets (fd:3, systemd). */
	if (!colon || strspn(colon, ":0") == strlen(colon) || strncmp(address, "fd:", 3) == 0)
		return false;

	size_t      n = (size_t)(colon - address);
	const char *host = host_to_ask(address, n);
	const char *scheme = tls ? "https" : "http";
	int         len = host ? snprintf(url, size, "%s://%s%s%s", scheme, host, colon, path)
			       : snprintf(url, size, "%s://%s%s", scheme, address, path);
	return len > 0 && (size_t)len < size;
}

static bool set_target(CURL *easy, const char *address, bool tls, const char *path)
{
	char url[1024];

	if (strncmp(address, "unix:", 5) == 0) {
		int len = snprintf(url, sizeof url, "http://localhost%s", path);

		return len > 0 && (size_t)len < sizeof url &&
		       curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, address + 5) == CURLE_OK &&
		       curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK;
	}
	return probe_make_url(address, tls, path, url, sizeof url) &&
	       curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK;
}

static CURLcode perform_transfer(CURL *easy, long timeout_ms, struct answer *a, char *why)
{
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* whatever the environment says */
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, probe_take);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, a);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, why);

	CURLcode code = curl_easy_perform(easy);
	if (!why[0])
		snprintf(why, CURL_ERROR_SIZE, "%s", curl_easy_strerror(code));
	return code;
}

enum errc probe_get(const char *address, bool tls, const char *path, long timeout_ms,
		    long *ret_status, char ret_body[PROBE_BODY], struct err *e)
{
	char          why[CURL_ERROR_SIZE] = "";
	struct answer a = { ret_body, 0 };
	enum errc     rc = ERR_OK;
	CURL         *easy = curl_easy_init();

	ret_body[0] = '\0';
	if (!easy)
		return err_set(e, ERR_INTERNAL, NULL, "libcurl could not be started");
	if (!set_target(easy, address, tls, path))
		rc = err_set(e, ERR_INVALID_VALUE, "listen",
			     "%s is no address that can be asked; name one with --listen", address);
	else if (perform_transfer(easy, timeout_ms, &a, why) != CURLE_OK)
		rc = err_set(e, ERR_UPSTREAM_CONNECT, NULL, "%s does not answer: %s", address, why);
	else
		curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, ret_status);
	curl_easy_cleanup(easy);
	return rc;
}
