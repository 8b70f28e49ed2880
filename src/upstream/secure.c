/* Looks through libcurl's handle at OpenSSL's. */
#include "upstream/internal.h"

#include <openssl/ssl.h>
#include <string.h>

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

	/* Of a record of which the header alone has come, nothing is pending: it waits for the body (RB). */
	return !ssl || SSL_has_pending(ssl) || strcmp(SSL_rstate_string(ssl), "RH") != 0;
}
