/* From libcurl's codes to the errors of ours, without names of hosts, addresses or keys. */
#include "upstream/failure.h"

#include "base/limits.h"

#include <errno.h>
#include <string.h>

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

static bool is_tls(CURLcode code)
{
	static const CURLcode tls[] = {
		CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,  CURLE_SSL_CIPHER,
		CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
		CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED,
		CURLE_SSL_CLIENTCERT, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
	};

	for (size_t i = 0; i < ARRAY_LEN(tls); i++)
		if (tls[i] == code)
			return true;
	return false;
}

static bool is_cut(CURLcode code)
{
	return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
	       code == CURLE_SEND_ERROR || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

/* plain_words: what libcurl says of a failure, where it is known to name neither hosts nor what was
 * sent; "": nothing of the kind. */
static const char *plain_words(const char *said)
{
	static const char *const known[] = {
		"HTTP/0.9 when not allowed", "chunked-encoding",        "not closed cleanly",
		"Unsupported HTTP",          "Too large response headers", "Header without colon",
		"Nul byte in header",        "Invalid Content-Length",  "HTTP2 data",
		"HTTP/2 framing layer",
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strstr(said, known[i]))
			return said;
	return "";
}

static void cut(bool begun, const char *words, struct err *e)
{
	const char *open = words[0] ? " (" : "";
	const char *close = words[0] ? ")" : "";

	if (begun)
		err_set(e, ERR_STREAM_INCOMPLETE, NULL,
			"the provider closed the connection in the middle of its answer%s%s%s", open, words,
			close);
	else
		err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			"the provider closed the connection without an answer%s%s%s", open, words, close);
}

static bool proxy_refused(CURL *easy)
{
	long status = 0;

	curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
	return status >= 300;
}

void failure_fill(CURL *easy, CURLcode code, const char *said, bool begun, struct err *e)
{
	const char *words = plain_words(said);

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
		cut(begun, words, e);
	else if (code == CURLE_FILESIZE_EXCEEDED)
		err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			"the provider sent an answer of more than %u bytes", LIMIT_UPSTREAM_BODY);
	else
		err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
			"the provider sent an answer that could not be read (%s)",
			words[0] ? words : curl_easy_strerror(code));
}
