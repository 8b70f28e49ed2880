/* token/tokens: whose a token is: the table `tokens` of the configuration, applied.
 *
 * A caller's identity is decided in app/app_worker: a key of the configuration, a session, a stored key, and last what
 * looks like a token.  A token becomes a struct identity like all of them, and from there on nothing knows of tokens:
 *
 *   owner     63 bits of an HMAC, with the database's secret, over the issuer, the claim's name and its value, so that
 *             nobody can look for a value with somebody else's number; stored objects, Idempotency-Key
 *   id        jwt:, then 2 signs for the entry of the configuration and 13 for the owner: the log, the audit, the ledger,
 *             usage and the budget of `each`, of which the store makes a row with the first call
 *   who       j and the same 15 signs, or g, they and the 8 of the group: tickets, tokens of sessions, runs that go on after
 *             a restart
 *   group     from a claim, for the time of the token; what the group may use is looked up with each call
 *   scopes    from a claim, for the time of the token
 *   until_ms  the token's end; a session that begins with it, and a ticket, end no later
 *
 * No text of a token is kept.  One that was checked is known by its digest until its end, as long as its key is among the
 * issuer's.  A session is signed with a digest of issuer, audience, key and what gives scopes and groups, so it needs no memory
 * either, and ends when the issuer withdraws the key, or when roles give other scopes, or groups of theirs others of ours.
 *
 * Threads: any. */
#pragma once

#include "base/err.h"
#include "base/identity.h"
#include "token/jwks.h"
#include "token/token_options.h"

struct tokens;

/* The database's part in tokens: its secret, and its groups. */
struct token_base {
	unsigned char signing[HASH_BYTES];
	/* The function tells who is in the group with this id (without grp_): an identity with nothing but the group and its
	 * models, held; NULL: there is no such group. */
	struct identity *(*group)(void *arg, struct str id);
	void *arg;
};

/* tokens_create: *ret has one reference.  Reads files of keys.
 * Errors: INVALID_VALUE, whose path is the key of the entry; INTERNAL (memory). */
enum errc      tokens_create(const struct token_options *list, size_t count, struct tokens **ret,
			     struct err *e) MUST_USE;
struct tokens *tokens_hold(struct tokens *t);
void           tokens_release(struct tokens *t); /* NULL is fine */

/* tokens_claim: whether a text that is no key claims to be a token. */
bool tokens_claim(struct str text);

/* tokens_check: the holder of a token; ret->who is held, ret->sha256 is what its sessions are signed with.  sha256: the
 * text's digest.
 * Errors: INVALID_TOKEN, with one text; TOKEN_KEYS; INSUFFICIENT_SCOPE: no group, or one that is not there any more;
 * OVERLOADED (memory). */
enum errc tokens_check(struct tokens *t, struct str text, const unsigned char sha256[HASH_BYTES],
		       const struct token_base *base, int64_t now_ms, struct caller *ret,
		       struct err *e) MUST_USE;
/* tokens_refuse: the one text. */
enum errc tokens_refuse(const char *reason, struct err *e);

/* tokens_names: whether a name in a session's token, a ticket or a run is of a token's holder. */
bool tokens_names(struct str who);

/* tokens_session: the holder of a session that began with a token, as its text s says; held.
 * Errors: INVALID_SESSION; TOKEN_KEYS; OVERLOADED (memory). */
enum errc tokens_session(struct tokens *t, struct str text, const struct session_token *s,
			 const struct token_base *base, struct caller *ret, struct err *e) MUST_USE;
/* tokens_stand: whether the entry of a token's holder is in the table, and the key which has signed the token is still the
 * issuer's; true, too, if its keys are not known at present. */
bool tokens_stand(const struct tokens *t, const struct identity *who);
/* tokens_named: the identity with this name (struct identity's `who` above), held, for those who have proved it in another
 * way; NULL: there is no such entry, or it gives nobody this group, or it is no such name.  After the name may be a proof in 8
 * hex digits, as in a ticket: NULL, too, if it does not stand.  It has all scopes of the entry but admin. */
struct identity *tokens_named(const struct tokens *t, struct str who,
			      const struct token_base *base) MUST_USE;
/* tokens_group: the group of the k-th word of the i-th entry; NULL: there are no more. */
const char *tokens_group(const struct tokens *t, size_t i, size_t k);

/* --- for token/token_fetch --- */

/* The place of the keys of an entry; borrowed from t. */
struct token_source {
	const char  *issuer, *jwks, *ca_file;
	struct jwks *keys;
};
/* tokens_issuers: whether there is an i-th entry. */
bool tokens_issuers(const struct tokens *t, size_t i);
/* tokens_source: false: there is no i-th entry. */
bool tokens_source(const struct tokens *t, size_t i, struct token_source *ret) MUST_USE;

/* --- for people in the console (authorization code with PKCE; the console is a public client) */

struct token_sign_in {
	const char         *issuer, *client_id, *scope, *ca_file; /* borrowed from t */
	const char         *resource;                             /* NULL: none */
	struct jwks_sign_in at;
	/* Who comes back without the issuer's name is refused: another issuer may have sent the browser there, to get at the
	 * code (RFC 9700, 4.4). */
	bool needs_iss;
};
/* tokens_sign_in: how at the i-th entry; false: it has no client_id, or its addresses are not known. */
bool tokens_sign_in(const struct tokens *t, size_t i, struct token_sign_in *ret) MUST_USE;
