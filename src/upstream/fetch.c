/* One request with libcurl, on a thread that may wait. */
#include "upstream/upstream.h"

#include "base/buf.h"
#include "loop/work.h"
#include "upstream/internal.h"

#include <curl/curl.h>
#include <strings.h>

static size_t fetch_on_write(char *bytes, size_t size, size_t count, void *arg)
{
	return buf_add(arg, bytes, size * count) ? size * count : 0;
}

/* libcurl asks at least once a second. */
static int fetch_on_progress(void *arg, curl_off_t down, curl_off_t down_now, curl_off_t up,
			     curl_off_t up_now)
{
	(void)arg, (void)down, (void)down_now, (void)up, (void)up_now;
	return work_now_is_unwanted();
}

#define SET(option, value) bad |= (unsigned)curl_easy_setopt(h, CURLOPT_##option, value)

static bool fetch_set(CURL *h, const struct fetch_ask *ask, struct curl_slist *lines,
		      struct buf *body)
{
	unsigned bad = 0;

	SET(URL, ask->url);
	SET(NOSIGNAL, 1L);
	SET(QUICK_EXIT, 1L); /* or a limit of time waits for a slow name server */
	SET(PROTOCOLS_STR, "http,https");
	SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(FORBID_REUSE, 1L);
	SET(FOLLOWLOCATION, 0L);
	SET(NETRC, (long)CURL_NETRC_IGNORED);
	SET(PROXY, ask->proxy ? ask->proxy : ""); /* whatever the environment says */
	SET(CONNECTTIMEOUT_MS, ask->connect_ms);
	SET(TIMEOUT_MS, ask->total_ms);
	if (ask->ca_file)
		SET(CAINFO, ask->ca_file);
	if (strcmp(ask->method, "POST") == 0) {
		SET(POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.n);
		SET(POSTFIELDS, ask->body.n > 0 ? ask->body.p : "");
	} else {
		SET(CUSTOMREQUEST, ask->method);
	}
	SET(HTTPHEADER, lines);
	SET(WRITEFUNCTION, fetch_on_write);
	SET(WRITEDATA, body);
	SET(NOPROGRESS, 0L);
	SET(XFERINFOFUNCTION, fetch_on_progress);
	return bad == 0;
}
#undef SET

static bool fetch_lines(const struct fetch_ask *ask, struct curl_slist **ret)
{
	for (size_t i = 0; i <= ask->header_count; i++) {
		struct curl_slist *longer = curl_slist_append(
			*ret, i < ask->header_count ? ask->headers[i]
						    : "User-Agent: parley/" PARLEY_VERSION);

		if (!longer)
			return false;
		*ret = longer;
	}
	return true;
}

static enum errc fetch_failed(CURLcode code, const struct buf *body, struct err *e)
{
	if (code == CURLE_OPERATION_TIMEDOUT)
		return err_set(e, ERR_CONNECT_TIMEOUT, NULL, "no answer came in time");
	if (code == CURLE_ABORTED_BY_CALLBACK)
		return err_set(e, ERR_UPSTREAM_CONNECT, NULL, "the gateway stops");
	if (code == CURLE_WRITE_ERROR && body->len > 0)
		return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL, "the answer is too long");
	return err_set(e, ERR_UPSTREAM_CONNECT, NULL, "%s", curl_easy_strerror(code));
}

enum errc fetch_do(const struct fetch_ask *ask, long *ret_status, struct buf *body, struct err *e)
{
	struct curl_slist *lines = NULL;
	enum errc          rc = ERR_OK;

	if (!failure_init())
		return err_set(e, ERR_INTERNAL, NULL, "libcurl could not be started");
	CURL *easy = curl_easy_init();
	if (!easy || !fetch_lines(ask, &lines) || !fetch_set(easy, ask, lines, body)) {
		rc = err_no_memory(e);
	} else {
		CURLcode code = curl_easy_perform(easy);

		curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, ret_status);
		if (code != CURLE_OK)
			rc = fetch_failed(code, body, e);
	}
	curl_slist_free_all(lines);
	curl_easy_cleanup(easy);
	return rc;
}
