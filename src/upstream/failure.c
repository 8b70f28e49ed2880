/* Translates libcurl's codes to errors, without names of hosts, addresses or keys. */
#include "upstream/internal.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_tls(CURLcode code)
{
	static const CURLcode tls[] = {
		CURLE_SSL_CONNECT_ERROR,     CURLE_SSL_CERTPROBLEM,          CURLE_SSL_CIPHER,
		CURLE_SSL_CACERT_BADFILE,    CURLE_SSL_ISSUER_ERROR,         CURLE_SSL_CRL_BADFILE,
		CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS,    CURLE_USE_SSL_FAILED,
		CURLE_SSL_CLIENTCERT,        CURLE_SSL_PINNEDPUBKEYNOTMATCH,
	};

	for (size_t i = 0; i < ARRAY_LEN(tls); i++)
		if (tls[i] == code)
			return true;
	return false;
}

/* --- what is short on our side --- */

/* libcurl says "Out of memory" of a header line above its limit too: an allocation of this thread that
 * failed since its last failure tells the one from the other. */
static _Thread_local bool starved;

static void *failure_noted(void *p)
{
	starved = starved || !p;
	return p;
}

static void *note_malloc(size_t n)
{
	return failure_noted(malloc(n));
}

static void *note_calloc(size_t count, size_t n)
{
	return failure_noted(calloc(count, n));
}

static void *note_realloc(void *p, size_t n)
{
	return failure_noted(realloc(p, n));
}

static char *note_strdup(const char *text)
{
	return failure_noted(strdup(text));
}

static bool curl_started;

static void failure_start(void)
{
	curl_started = curl_global_init_mem(CURL_GLOBAL_DEFAULT, note_malloc, free, note_realloc,
					    note_strdup, note_calloc) == CURLE_OK;
}

bool failure_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, failure_start);
	return curl_started;
}

static bool is_shortage(int os)
{
	return os == EMFILE || os == ENFILE || os == ENOBUFS || os == ENOMEM;
}

/* no_descriptor: true if descriptors are exhausted. libcurl does not say why it could not open its
 * files for names and certificates. */
static bool no_descriptor(void)
{
	int  fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	bool none = fd < 0 && is_shortage(errno);

	if (fd >= 0)
		close(fd);
	return none;
}

static bool failure_ours(CURL *easy, CURLcode code, int socket_errno, struct err *e)
{
	bool opens = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
		     code == CURLE_COULDNT_CONNECT || code == CURLE_FAILED_INIT || is_tls(code);
	bool had_memory = !starved;
	long os = 0;

	starved = false;
	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os);
	if (code == CURLE_OUT_OF_MEMORY && !had_memory)
		err_set(e, ERR_OVERLOADED, NULL, "no memory for a call to the provider");
	else if (opens && (is_shortage(socket_errno) || no_descriptor()))
		err_set(e, ERR_OVERLOADED, NULL,
			"no descriptor is left for a call to the provider");
	else if (code == CURLE_COULDNT_CONNECT && os == EADDRNOTAVAIL)
		err_set(e, ERR_OVERLOADED, NULL,
			"no local port is left for a connection to the provider");
	else
		return false;
	return true;
}

/* --- the provider's --- */

static void could_not_connect(CURL *easy, struct err *e)
{
	long os = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os);
	if (os == ECONNREFUSED)
		err_set(e, ERR_UPSTREAM_CONNECT, NULL, "the provider refused the connection");
	else if (os == EHOSTUNREACH || os == ENETUNREACH)
		err_set(e, ERR_UPSTREAM_CONNECT, NULL, "the provider cannot be reached from here");
	else
		err_set(e, ERR_UPSTREAM_CONNECT, NULL, "the provider could not be connected to");
}

static bool is_cut(CURLcode code)
{
	return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR ||
	       code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_HTTP2 ||
	       code == CURLE_HTTP2_STREAM;
}

/* plain_words: libcurl's text of a failure, if it is known to contain neither hosts nor sent data;
 * otherwise "". */
static const char *plain_words(const char *said)
{
	static const char *const known[] = {
		"HTTP/0.9 when not allowed", "chunked-encoding",           "not closed cleanly",
		"Unsupported HTTP",          "Too large response headers", "Header without colon",
		"Nul byte in header",        "Invalid Content-Length",     "HTTP2 data",
		"HTTP/2 framing layer",
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strstr(said, known[i]))
			return said;
	return "";
}

void failure_cut(bool begun, const char *words, struct err *e)
{
	const char *open = words[0] ? " (" : "";
	const char *close = words[0] ? ")" : "";

	if (begun)
		err_set(e, ERR_STREAM_INCOMPLETE, NULL,
			"the provider closed the connection in the middle of its answer%s%s%s",
			open, words, close);
	else
		err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			"the provider closed the connection without an answer%s%s%s", open, words,
			close);
}

void failure_wrong(bool begun, const char *what, struct err *e)
{
	if (begun)
		err_set(e, ERR_STREAM_INCOMPLETE, NULL,
			"the provider sent %s in the middle of its answer", what);
	else
		err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL, "the provider sent %s", what);
}

void failure_length(struct err *e)
{
	err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		"the provider sent an answer of more than %u bytes", LIMIT_UPSTREAM_BODY);
}

static bool proxy_refused(CURL *easy)
{
	long status = 0;

	curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
	return status >= 300;
}

void failure_fill(CURL *easy, CURLcode code, const char *said, bool begun, int socket_errno,
		  struct err *e)
{
	const char *words = plain_words(said);

	if (failure_ours(easy, code, socket_errno, e))
		return;
	if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY)
		err_set(e, ERR_UPSTREAM_CONNECT, NULL,
			"the provider cannot be connected to: its name was not found");
	else if (code == CURLE_COULDNT_CONNECT)
		could_not_connect(easy, e);
	else if (code == CURLE_PEER_FAILED_VERIFICATION)
		err_set(e, ERR_UPSTREAM_CONNECT, NULL,
			"the provider has a TLS certificate that could not be verified");
	else if (is_tls(code))
		err_set(e, ERR_UPSTREAM_CONNECT, NULL, "the provider failed the TLS handshake");
	else if (code == CURLE_PROXY || proxy_refused(easy))
		err_set(e, ERR_UPSTREAM_CONNECT, NULL,
			"the provider cannot be connected to: the proxy refused");
	else if (code == CURLE_OPERATION_TIMEDOUT) /* connect is the only limit given to libcurl */
		err_set(e, ERR_CONNECT_TIMEOUT, NULL,
			"the provider did not accept the connection in time");
	else if (is_cut(code))
		failure_cut(begun, words, e);
	else if (code == CURLE_FILESIZE_EXCEEDED)
		failure_length(e);
	else if (code == CURLE_OUT_OF_MEMORY) /* and there was memory */
		err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			"the provider sent a header line of more than 100 KiB");
	else
		err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			"the provider sent an answer that could not be read (%s)",
			words[0] ? words : curl_easy_strerror(code));
}
