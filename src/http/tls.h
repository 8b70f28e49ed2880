/* http/tls: the certificate of all listeners with TLS. The certificate can be replaced at any
 * time; open connections keep the old one. */
#pragma once

#include "base/err.h"

/* tls_check: checks that the files are a certificate (with its chain, in PEM) and its key.
 * Errors: INVALID_VALUE, with path "tls_cert" or "tls_key". */
enum errc tls_check(const char *cert_file, const char *key_file, struct err *e) MUST_USE;
/* tls_use: sets the certificate for later handshakes. Errors: as tls_check; then the old one
 * stays. Threads: one at a time. */
enum errc tls_use(const char *cert_file, const char *key_file, struct err *e) MUST_USE;
/* tls_finish: frees the certificate; no listener may be left. */
void tls_finish(void);

/* For the server: the callback that libmicrohttpd needs (gnutls_certificate_retrieve_function2),
 * and the protocols. */
typedef void      tls_function(void);
tls_function     *tls_retriever(void);
extern const char tls_priorities[];
