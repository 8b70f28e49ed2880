/* upstream/secure: what libcurl does not tell of a connection's TLS, asked of OpenSSL, with which libcurl is
 * built on the systems that Parley is made for.  Of another TLS library nothing is known: then HTTP/2 is not
 * used, and connections with TLS carry one call.
 *
 * Internal to upstream/.  Threads: the handle's own. */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

/* secure_chose_http2: whether the server chose h2 in the handshake (ALPN, RFC 7301; RFC 9113, section 3.2).
 * libcurl itself believes the status line, and lets calls share a connection that speaks HTTP/1.1 and
 * says "HTTP/2 200".  From within a callback of a transfer whose connection stands. */
bool secure_chose_http2(CURL *easy);
/* secure_holds_bytes: whether a part of a record has come, of which a read gives nothing yet; true also where
 * nothing is known.  Of two layers, as through a proxy with TLS, the inner one is asked.  After
 * curl_easy_send or curl_easy_recv, which tie the handle to its connection. */
bool secure_holds_bytes(CURL *easy);
