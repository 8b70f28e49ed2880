/* provider/credential/sigv4: signs a request with AWS Signature Version 4.
 *
 * request --sigv4_canonical--> canonical request --sigv4_text--> string to sign --sigv4_signature--> 64 hex digits
 *
 * The path is percent-encoded once more than it is sent, as all services but S3 want it: a model's `:` is `%3A` in the
 * URL and `%253A` in the canonical request.  All given header lines are signed; who calls chooses them.  The digest of
 * the body comes from the caller, because a long body is hashed on a worker.
 *
 * Pure.  Threads: any. */
#pragma once

#include "base/buf.h"
#include "base/hash.h"

#include <stdint.h>

enum {
	SIGV4_DATE = sizeof "20150830T123600Z",
	SIGV4_PARTS = 64, /* header lines, and members of a query, at most */
};

/* All borrowed. */
struct sigv4_ask {
	const char *method;
	const char *url; /* absolute, with its query, percent-encoded as it is sent */
	struct str head; /* the lines to sign, "Name: value", each with CRLF; one of them is Host */
	unsigned char body[HASH_BYTES]; /* the digest of the body */
	const char   *region;
	const char   *service;
	int64_t       now_s; /* wall clock */
};

struct sigv4_keys {
	const char *id;
	const char *secret;
	const char *token; /* NULL: the keys need none */
};

/* sigv4_date: the time as it stands in X-Amz-Date. */
void sigv4_date(int64_t now_s, char ret[SIGV4_DATE]);

/* sigv4_canonical: appends the canonical request, and the names of its headers to names.  token: as in struct sigv4_keys.
 * False: there are too many lines or members of the query, or there is no memory. */
bool sigv4_canonical(const struct sigv4_ask *ask, const char *token, struct buf *out,
		     struct buf *names) MUST_USE;
/* sigv4_text: appends the string to sign. */
bool sigv4_text(const struct sigv4_ask *ask, struct str canonical, struct buf *out) MUST_USE;
/* sigv4_signature: the signature of the string to sign. */
void sigv4_signature(const struct sigv4_ask *ask, const char *secret, struct str text,
		     char ret[HASH_HEX + 1]);

/* sigv4_sign: appends the lines X-Amz-Date, X-Amz-Security-Token (with a token) and Authorization, each as
 * "\r\nName: value".  False: as sigv4_canonical. */
bool sigv4_sign(const struct sigv4_ask *ask, const struct sigv4_keys *keys,
		struct buf *out) MUST_USE;
