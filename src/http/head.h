/* http/head: the head of a request: the headers that are read for each family, and the checks against
 * request smuggling that libmicrohttpd leaves to its user (RFC 9112 sections 3.2, 6.1, 6.3; RFC
 * 9110 section 5). */
#pragma once

#include "base/err.h"
#include "msg/family.h"

struct MHD_Connection;

/* Values are borrowed from the connection until the request ends; n == 0 and p == NULL: absent. */
struct head {
	struct str host;
	struct str content_type;
	struct str content_encoding;
	struct str content_length;
	struct str transfer_encoding;
	struct str authorization;
	struct str last_event_id;
	struct str accept;
	struct str accept_encoding;
	struct str traceparent;
	struct str idempotency_key;
	struct str if_match;
	struct str if_none_match;
	struct str keys[KEY_HEADER__COUNT]; /* see KEY_HEADERS */
	struct str origin;
	struct str request_method;  /* Access-Control-Request-Method */
	struct str request_headers; /* Access-Control-Request-Headers */
	struct str client_request_id;
	struct str user_agent;
	struct str x_forwarded_for; /* the last of several lines */
	struct str forwarded;
	struct str expect;
	size_t     body_bytes; /* from Content-Length */
	bool       tags;       /* there are headers x-parley-tag-NAME */
};

/* head_read: reads and checks the head. ERR_BAD_REQUEST: the head is one that no honest client
 * sends. The connection must be closed after such an error, because its framing can't be
 * trusted. */
enum errc head_read(struct MHD_Connection *c, const char *version, struct head *ret,
		    struct err *e) MUST_USE;
/* head_is_same_origin: the Origin is the one that the Host header names, with http or https. */
bool head_is_same_origin(const struct head *h);
/* head_takes_gzip: an Accept-Encoding, under which an answer may be compressed with gzip (RFC 9110
 * section 12.5.3). */
bool head_takes_gzip(struct str accept_encoding);
/* head_host_is_local: localhost, 127.0.0.1 or [::1], with any port. */
bool head_host_is_local(struct str host);
/* head_asks_websocket: the Upgrade header names that protocol (RFC 6455 section 4.2.1). Few requests are asked, so
 * the header has no member above. */
bool head_asks_websocket(struct MHD_Connection *c);
/* head_token_list: comma-separated header names, each a token (RFC 9110 section 5.6.2). */
bool head_token_list(struct str list);
