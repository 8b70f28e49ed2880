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
/* Stored beside the scopes of a key: all its calls ask for the cache of answers. */
enum { KEY_CACHES = 1 << 16 };

/* scope_name: of the i-th bit.  scope_find: the bit with this name; 0: there is none. */
const char *scope_name(unsigned i);
unsigned    scope_find(struct str name);

enum { IDENTITY_ID_MAX = 32 };

/* The group of a key, as far as calls need it; a part of the identity's memory. */
struct identity_group {
	char              id[IDENTITY_ID_MAX]; /* grp_… */
	int64_t           number;              /* below 0, so that it is no key's */
	struct allowance  allowance;
	const struct str *hooks; /* names of hooks that are asked about its calls, too */
	size_t            hook_count;
};

struct identity {
	atomic_uint refs;         /* 0: the identity lives as long as the process */
	char id[IDENTITY_ID_MAX]; /* for people and logs: key_…, config:N, jwt:…; "": no key */
	int64_t  number;          /* a stored key's, never reused; 0: the key is not stored */
	int64_t  owner;           /* the owner of everything that the key stores */
	unsigned scopes;          /* enum scope */
	bool     caches;          /* its calls ask for the cache of answers */
	/* Names it may use, or prefixes with '*', of the key and its group; count 0: all; an empty name: none. */
	const struct str *models;
	size_t            model_count;
	struct str        metadata;  /* a JSON object, the key's; empty: none */
	struct allowance  allowance; /* the key's own */
	int64_t           max_body;  /* the smaller one of the key's and the group's; 0: none */
	const struct identity_group *group; /* NULL: it is in none */
	struct str name; /* the name that a token gives its holder, for people; empty: unknown */
	int64_t    until_ms; /* wall; end of the token or session that it was made of; 0: none */
	uint32_t   proof;    /* a token: what it must still be signed with, in short; 0: none */
	_Atomic int64_t used_ms;  /* wall; 0: never */
	_Atomic int64_t noted_ms; /* the used_ms that the store knows */
};

/* The arguments of identity_create, which copies them. */
struct identity_options {
	struct str                   id;
	int64_t                      number;
	int64_t                      owner;
	unsigned                     scopes;
	bool                         caches;
	const struct str            *models;
	size_t                       model_count;
	struct str                   metadata;
	struct allowance             allowance;
	const struct identity_group *group; /* NULL: none */
	struct str                   name;
	int64_t                      until_ms;
	uint32_t                     proof;
	int64_t                      used_ms;
};
/* identity_create: makes an identity with one reference; NULL: no memory. */
struct identity *identity_create(const struct identity_options *o) MUST_USE;
struct identity *identity_hold(struct identity *i);
void             identity_release(struct identity *i); /* NULL is fine */

/* identity_sees: whether the key may use the model with this name. */
bool identity_sees(const struct identity *i, struct str model);

extern struct identity identity_open;   /* the identity of every caller, if there are no keys */
extern struct identity identity_nobody; /* the identity of callers of routes that need no key */

/* --- session_token: the text of a session's token, which stands for an API key for an hour,
 * or for a week in a session that its user wants kept.
 *
 * A token is parley_st_SESSION_TIMES_KEY_MAC: the body of the session's id; its beginning, the token's
 * end (both in seconds, 10 hex digits) and the scopes (2 digits, of which the first bit says that the
 * session is kept); the name of the key, and after another _ the holder's own name in hex, if an issuer gave one; an HMAC-SHA-256 of all this and of
 * the digest of the key's text, cut to 128 bits.  So a token is good no longer than the
 * text that it was exchanged for, and no token is stored.  The next token of a session has the same
 * beginning: a session that nobody uses for the life of a token has no token left.
 *
 * The caller checks whether the key is valid, and whether the session was ended.  Pure: the caller passes
 * the time.  Threads: any. */

enum {
	SESSION_TOKEN_KEY = 25,  /* room for 16 signs, 8 of a group, and a NUL */
	SESSION_TOKEN_NAME = 65, /* room for a holder's name, NUL included */
	SESSION_TOKEN_MAX = 260, /* bytes of a token, its NUL included */
};

#define ID_SESSION "sess_"

struct session_token {
	struct id id;      /* the session's; none: it is no token */
	int64_t   begun_s; /* wall clock, as the others */
	int64_t   until_s; /* the token's end */
	int64_t   ends_s;  /* the session's end; not in the text, as it follows from begun_s */
	unsigned  scopes;  /* enum scope */
	bool      kept;    /* the session and its tokens live longer */
	/* A stored key's id, without key_; another's owner, in hex; the name of a token's holder (ticket_who). */
	char key[SESSION_TOKEN_KEY];
};

/* session_token_begin: the first token of a new session at now_s. */
struct session_token session_token_begin(const char *key, unsigned scopes, bool kept,
					 int64_t now_s);
/* session_token_renew: the next token of a session at now_s. */
struct session_token session_token_renew(const struct session_token *t, unsigned scopes,
					 int64_t now_s);
/* session_token_limit: no token, and not the session, outlives end_s. */
void session_token_limit(struct session_token *t, int64_t end_s);

/* session_token_print: the token's text, NUL-terminated; name: that which an issuer's token gave the holder, as
 * nothing else knows it later; empty: none; sha256 is the digest of the key's text. */
void session_token_print(const struct session_token *t, struct str name,
			 const unsigned char signing[HASH_BYTES],
			 const unsigned char sha256[HASH_BYTES], char ret[SESSION_TOKEN_MAX]);

/* session_token_is: whether a text claims to be a token. */
bool session_token_is(struct str text);
/* session_token_parse: reads what text says, whether it is true or not, and checks that the token's time is
 * not over at now_s. */
bool session_token_parse(struct str text, int64_t now_s, struct session_token *ret) MUST_USE;
/* session_token_name: the name in a token that session_token_parse takes, NUL-terminated; "": none. */
void session_token_name(struct str text, char ret[SESSION_TOKEN_NAME]);
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
