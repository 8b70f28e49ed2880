/* base/identity: the caller of a request, as its key describes it.
 *
 * Reference-counted, because a request may outlive the revocation of its key; only the time of
 * its last use changes. Threads: any. */
#pragma once

#include "base/allowance.h"
#include "base/base.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"

#include <stdatomic.h>
#include <stdint.h>

/* The scopes of a key; stored as bits, so their values stay. */
enum scope {
	SCOPE_CHAT = 1,     /* ask models, change conversations */
	SCOPE_READ = 2,     /* read what is stored */
	SCOPE_FILES = 4,    /* uploaded files */
	SCOPE_ADMIN = 8,    /* keys */
	SCOPE_EXECUTE = 16, /* let code of the assistant run on the computer */
};
enum {
	SCOPE_COUNT = 5,
	SCOPES_ALL = 31,
	SCOPES_USUAL = SCOPE_CHAT | SCOPE_READ | SCOPE_FILES,
	SCOPES_OPEN =
		SCOPES_ALL & ~SCOPE_EXECUTE, /* scopes of everybody, where there are no keys */
};

/* scope_name: of the i-th bit.  scope_find: the bit with this name; 0: there is none. */
const char *scope_name(unsigned i);
unsigned    scope_find(struct str name);

enum { IDENTITY_ID_MAX = 32 };

struct identity {
	atomic_uint refs;                /* 0: the identity lives as long as the process */
	char        id[IDENTITY_ID_MAX]; /* for people and logs: key_…, config:N; "": no key */
	int64_t     number;       /* a stored key's, never reused; 0: the key is not stored */
	int64_t     owner;        /* the owner of everything that the key stores */
	unsigned    scopes;       /* enum scope */
	const struct str *models; /* names it may use, or prefixes with '*'; count 0: all */
	size_t            model_count;
	struct allowance  allowance;
	_Atomic int64_t   used_ms;  /* wall; 0: never */
	_Atomic int64_t   noted_ms; /* the used_ms that the store knows */
};

/* The arguments of identity_create, which copies them. */
struct identity_options {
	struct str        id;
	int64_t           number;
	int64_t           owner;
	unsigned          scopes;
	const struct str *models;
	size_t            model_count;
	struct allowance  allowance;
	int64_t           used_ms;
};
/* identity_create: makes an identity with one reference; NULL: no memory. */
struct identity *identity_create(const struct identity_options *o) MUST_USE;
struct identity *identity_hold(struct identity *i);
void             identity_release(struct identity *i); /* NULL is fine */

/* identity_sees: whether the key may use the model with this name. */
bool identity_sees(const struct identity *i, struct str model);

extern struct identity identity_open;   /* the identity of every caller, if there are no keys */
extern struct identity identity_nobody; /* the identity of callers of routes that need no key */

/* --- session_token: the text of a session's token, which stands for an API key for an hour.
 *
 * A token is parley_st_SESSION_TIMES_KEY_MAC: the body of the session's id; its beginning, the token's
 * end (both in seconds, 10 hex digits) and the scopes (2 digits); the name of the key; an HMAC-SHA-256 of
 * all this and of the digest of the key's text, cut to 128 bits.  So a token is good no longer than the
 * text that it was exchanged for, and no token is stored.  The next token of a session has the same
 * beginning: a session that nobody uses for an hour has no token left.
 *
 * The caller checks whether the key is valid, and whether the session was ended.  Pure: the caller passes
 * the time.  Threads: any. */

enum {
	SESSION_TOKEN_KEY = 17,  /* room for 16 signs and a NUL */
	SESSION_TOKEN_MAX = 128, /* bytes of a token, its NUL included */
};

#define ID_SESSION "sess_"

struct session_token {
	struct id id;                /* the session's; none: it is no token */
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

/* --- caller: who makes a request, and with what. */

struct caller {
	struct identity *who;    /* held */
	unsigned         scopes; /* enum scope; those of the key, or fewer in a session */
	/* SHA-256 of the key's text, also where a token stands for the key. */
	unsigned char        sha256[HASH_BYTES];
	struct session_token session; /* the token that was sent; its id is none: the key was */
};
