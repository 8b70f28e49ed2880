/* base/identity: the caller of a request, as its key describes it.
 *
 * Reference-counted, because a request may outlive the revocation of its key; only the time of
 * its last use changes. Threads: any. */
#pragma once

#include "base/allowance.h"
#include "base/base.h"
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
	SCOPES_OPEN = SCOPES_ALL & ~SCOPE_EXECUTE, /* of everybody, where there are no keys */
};

/* scope_name: of the i-th bit.  scope_find: the bit with this name; 0: there is none. */
const char *scope_name(unsigned i);
unsigned    scope_find(struct str name);

enum { IDENTITY_ID_MAX = 32 };

struct identity {
	atomic_uint refs;                /* 0: the identity lives as long as the process */
	char        id[IDENTITY_ID_MAX]; /* for people and logs: key_…, config:N; "": no key */
	int64_t     number;       /* of a stored key, never reused; 0: the key is not stored */
	int64_t     owner;        /* of everything that the key stores */
	unsigned    scopes;       /* enum scope */
	const struct str *models; /* names it may use, or prefixes with '*'; count 0: all */
	size_t            model_count;
	struct allowance  allowance;
	_Atomic int64_t   used_ms;  /* wall; 0: never */
	_Atomic int64_t   noted_ms; /* the used_ms that the store knows */
};

/* What identity_create copies. */
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

extern struct identity identity_open;   /* of every caller, if there are no keys */
extern struct identity identity_nobody; /* of callers of routes that need no key */
