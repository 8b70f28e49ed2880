/* base/session_token: the text of a session's token, which stands for an API key for an hour.
 *
 * A token is parley_st_SESSION_TIMES_KEY_MAC: the body of the session's id; its beginning, the token's
 * end (both in seconds, 10 hex digits) and the scopes (2 digits); the name of the key; an HMAC-SHA-256 of
 * all this and of the digest of the key's text, cut to 128 bits.  So a token is good no longer than the
 * text that it was exchanged for, and no token is stored.  The next token of a session has the same
 * beginning: a session that nobody uses for an hour has no token left.
 *
 * The caller checks whether the key is valid, and whether the session was ended.  Pure: the caller passes
 * the time.  Threads: any. */
#pragma once

#include "base/base.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"

enum {
	SESSION_TOKEN_KEY = 17,  /* room for 16 signs and a NUL */
	SESSION_TOKEN_MAX = 128, /* bytes of a token, its NUL included */
};

#define ID_SESSION "sess_"

struct session_token {
	struct id id;                /* of the session; none: it is no token */
	char key[SESSION_TOKEN_KEY]; /* a stored key's id, without key_; another's owner, in hex */
	unsigned scopes;             /* enum scope */
	int64_t  begun_s;            /* wall clock, as the others */
	int64_t  until_s;            /* the token's end */
	int64_t  ends_s; /* the session's end; not in the text, as it follows from begun_s */
};

/* session_token_begin: the first token of a new session at now_s. */
struct session_token session_token_begin(const char *key, unsigned scopes, int64_t now_s);
/* session_token_renew: the next token of a session at now_s. */
struct session_token session_token_renew(const struct session_token *t, unsigned scopes,
					 int64_t now_s);
/* session_token_limit: no token, and not the session, outlives end_s. */
void session_token_limit(struct session_token *t, int64_t end_s);

/* session_token_print: the token's text, NUL-terminated; sha256 is the digest of the key's text. */
void session_token_print(const struct session_token *t, const unsigned char signing[HASH_BYTES],
			 const unsigned char sha256[HASH_BYTES], char ret[SESSION_TOKEN_MAX]);

/* session_token_is: whether a text claims to be a token. */
bool session_token_is(struct str text);
/* session_token_parse: reads what text says, whether it is true or not, and checks that the token's time is
 * not over at now_s. */
bool session_token_parse(struct str text, int64_t now_s, struct session_token *ret) MUST_USE;
/* session_token_proves: whether the text was made with this secret and this digest.  The time that the
 * check takes does not show how much of the text is right. */
bool session_token_proves(struct str text, const unsigned char signing[HASH_BYTES],
			  const unsigned char sha256[HASH_BYTES]) MUST_USE;
