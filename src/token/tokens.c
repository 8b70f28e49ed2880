/* Checks what a token claims, and remembers what was found. */
#include "token/tokens.h"

#include "base/api_key.h"
#include "base/clock.h"
#include "base/full_io.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "desk/key_table.h"
#include "token/token_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	TAG = 2, /* signs of an entry */
	OWNER_SIGNS = 13,
	WHO = 1 + TAG + OWNER_SIGNS,
	WHO_ROOM = WHO + API_KEY_ID + 1, /* with a group */
	SAID_EVERY_US = 60 * 1000 * 1000,
};
_Static_assert((int)WHO_ROOM <= (int)SESSION_TOKEN_KEY &&
		       (int)TOKEN_CLAIMS_NAME <= (int)SESSION_TOKEN_NAME,
	       "a session's token has room for both names");

struct token_issuer {
	struct token_options o; /* its texts are in the arena */
	char                 tag[TAG + 1];
	unsigned             most;              /* the scopes that a token may have */
	unsigned char        roles[HASH_BYTES]; /* a digest of the options scopes and groups */
	struct jwks         *keys;              /* held */
	_Atomic int64_t      said_us;           /* when the log was told of a group that is gone */
};

struct tokens {
	atomic_uint         refs;
	struct arena        memory;
	size_t              count;
	struct token_issuer issuers[LIMIT_TOKEN_ISSUERS];
	pthread_mutex_t     lock; /* guards the table */
	struct key_table    kept;
};

/* A grant is what was found of a token. */
struct grant {
	unsigned      issuer;
	unsigned      scopes;
	int64_t       until_ms;
	char          who[WHO_ROOM];
	char          name[TOKEN_CLAIMS_NAME];
	unsigned char mark[HASH_BYTES]; /* the mark of the key that has signed it */
};

struct kept_token {
	struct key_slot slot;
	unsigned char   sha256[HASH_BYTES];
	struct grant    grant;
};

/* --- creation --- */

static bool token_copy(struct arena *a, const char **text)
{
	if (*text)
		*text = arena_str(a, str_of(*text)).p;
	return *text != NULL;
}

static bool copy_lists(struct arena *a, struct token_options *o)
{
	struct token_scope    *scopes = arena_alloc(a, (o->scope_count + 1) * sizeof *scopes);
	struct token_group_of *groups = arena_alloc(a, (o->group_count + 1) * sizeof *groups);
	bool                   ok = scopes && groups;

	for (size_t i = 0; ok && i < o->scope_count; i++) {
		scopes[i] = o->scopes[i];
		ok = token_copy(a, &scopes[i].value);
	}
	for (size_t i = 0; ok && i < o->group_count; i++) {
		groups[i] = o->groups[i];
		ok = token_copy(a, &groups[i].value) && token_copy(a, &groups[i].group);
	}
	o->scopes = scopes;
	o->groups = groups;
	return ok;
}

static bool copy_options(struct arena *a, struct token_options *o)
{
	const char **const texts[] = { &o->issuer,       &o->audience,       &o->jwks,
				       &o->owner,        &o->name,           &o->ca_file,
				       &o->scopes_claim, &o->groups_claim,   &o->client_id,
				       &o->client_scope, &o->client_resource };
	bool               ok = copy_lists(a, o);

	for (size_t i = 0; ok && i < ARRAY_LEN(texts); i++)
		ok = !*texts[i] || token_copy(a, texts[i]);
	return ok;
}

/* Ids are read aloud and typed, so no two of these characters look alike. */
static const char token_signs[] = "0123456789abcdefghjkmnpqrstvwxyz";

static unsigned tag_of(const struct token_options *o)
{
	unsigned char    digest[HASH_BYTES] = { 0 };
	struct hash_sum *sum = hash_sum_begin();

	if (sum) {
		hash_sum_add(sum, o->issuer, strlen(o->issuer) + 1);
		hash_sum_add(sum, o->audience, strlen(o->audience));
		hash_sum_end(sum, digest);
		hash_sum_destroy(sum);
	}
	return (digest[0] & 31u) << 5 | (digest[1] & 31u);
}

/* choose_tag: the next one that no entry before it has: an entry may come to the table, and the others keep theirs. */
static void choose_tag(struct tokens *t, size_t i)
{
	char    *tag = t->issuers[i].tag;
	unsigned n = tag_of(&t->issuers[i].o);
	bool     taken = true;

	for (; taken; n++) {
		tag[0] = token_signs[n >> 5 & 31];
		tag[1] = token_signs[n & 31];
		taken = false;
		for (size_t before = 0; before < i; before++)
			taken |= strcmp(tag, t->issuers[before].tag) == 0;
	}
}

/* digest_groups: what gives groups; an entry without has the digest that it had before there were groups. */
static void digest_groups(const struct token_options *o, struct hash_sum *sum)
{
	if (!o->groups_claim)
		return;
	hash_sum_add(sum, o->groups_claim, strlen(o->groups_claim) + 1);
	hash_sum_add(sum, &o->groups_only, sizeof o->groups_only);
	for (size_t i = 0; i < o->group_count; i++) {
		hash_sum_add(sum, o->groups[i].value, strlen(o->groups[i].value) + 1);
		hash_sum_add(sum, o->groups[i].group, strlen(o->groups[i].group) + 1);
	}
}

/* digest_roles: what gives scopes and groups. */
static bool digest_roles(const struct token_options *o, unsigned char ret[HASH_BYTES])
{
	struct hash_sum *sum = hash_sum_begin();
	const char      *claim = o->scopes_claim ? o->scopes_claim : "";

	if (!sum)
		return false;
	hash_sum_add(sum, claim, strlen(claim) + 1);
	hash_sum_add(sum, &o->scopes_default, sizeof o->scopes_default);
	for (size_t i = 0; i < o->scope_count; i++) {
		hash_sum_add(sum, o->scopes[i].value, strlen(o->scopes[i].value) + 1);
		hash_sum_add(sum, &o->scopes[i].scopes, sizeof o->scopes[i].scopes);
	}
	digest_groups(o, sum);
	hash_sum_end(sum, ret);
	hash_sum_destroy(sum);
	return true;
}

static enum errc read_keys_file(const char *path, struct jwks_set **ret, struct err *e)
{
	int       fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char     *text = fd >= 0 ? malloc(LIMIT_JWKS + 1) : NULL;
	ssize_t   n = text ? whole_read(fd, text, LIMIT_JWKS + 1) : -1;
	enum errc rc;

	if (n < 0)
		rc = err_set(e, ERR_INVALID_VALUE, "jwks", "'%.128s' can't be read: %s", path,
			     strerror(errno));
	else if (n > LIMIT_JWKS)
		rc = err_set(e, ERR_INVALID_VALUE, "jwks", "'%.128s' has more than 256KiB", path);
	else
		rc = jwks_set_read((struct str){ text, (size_t)n }, ret, e);
	if (rc == ERR_INVALID_VALUE && !e->path[0])
		str_copy(e->path, sizeof e->path, STR("jwks"));
	free(text);
	if (fd >= 0)
		close(fd);
	return rc;
}

static bool is_fetched(const char *jwks)
{
	return strcmp(jwks, "auto") == 0 || strstr(jwks, "://");
}

static enum errc issuer_init(struct token_issuer *x, struct arena *a, const struct token_options *o,
			     struct err *e)
{
	struct jwks_set *fixed = NULL;
	struct buf       what;
	enum errc        rc = ERR_OK;

	x->o = *o;
	if (!copy_options(a, &x->o) || !digest_roles(o, x->roles))
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	x->most = o->scopes_default;
	for (size_t i = 0; i < o->scope_count; i++)
		x->most |= o->scopes[i].scopes;
	if (!is_fetched(o->jwks))
		rc = read_keys_file(o->jwks, &fixed, e);
	if (rc != ERR_OK)
		return rc;
	buf_init(&what, 16 * KIB);
	if (buf_fmt(&what, "%s\n%s\n%s", o->issuer, o->jwks, o->ca_file ? o->ca_file : "") &&
	    buf_add(&what, "", 1))
		x->keys = jwks_create(what.data, fixed);
	buf_finish(&what);
	jwks_set_release(fixed);
	return x->keys ? ERR_OK : err_set(e, ERR_INTERNAL, "", "out of memory");
}

static enum key_worth kept_worth(const struct key_slot *s, int64_t now_ms)
{
	const struct kept_token *k =
		container_of((struct key_slot *)(uintptr_t)s, struct kept_token, slot);

	return k->grant.until_ms <= now_ms ? KEY_IS_OVER : KEY_MAY_GO;
}

enum errc tokens_create(const struct token_options *list, size_t count, struct tokens **ret,
			struct err *e)
{
	struct tokens *t = count <= LIMIT_TOKEN_ISSUERS ? calloc(1, sizeof *t) : NULL;
	enum errc      rc = ERR_OK;

	if (!t)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	atomic_init(&t->refs, 1);
	pthread_mutex_init(&t->lock, NULL);
	arena_init(&t->memory, 4 * MIB);
	key_table_init(&t->kept, sizeof(struct kept_token), LIMIT_TOKEN_KEPT, kept_worth);
	for (; rc == ERR_OK && t->count < count; t->count++)
		rc = issuer_init(&t->issuers[t->count], &t->memory, &list[t->count], e);
	for (size_t i = 0; rc == ERR_OK && i < count; i++)
		choose_tag(t, i);
	if (rc == ERR_OK)
		*ret = t;
	else
		tokens_release(t);
	return rc;
}

struct tokens *tokens_hold(struct tokens *t)
{
	atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
	return t;
}

void tokens_release(struct tokens *t)
{
	if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < t->count; i++)
		jwks_release(t->issuers[i].keys);
	key_table_finish(&t->kept);
	arena_finish(&t->memory);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

bool tokens_source(const struct tokens *t, size_t i, struct token_source *ret)
{
	if (i >= t->count)
		return false;
	const struct token_options *o = &t->issuers[i].o;
	*ret = (struct token_source){ o->issuer, o->jwks, o->ca_file, t->issuers[i].keys };
	return true;
}

bool tokens_issuers(const struct tokens *t, size_t i)
{
	return i < t->count;
}

const char *tokens_group(const struct tokens *t, size_t i, size_t k)
{
	return k < t->issuers[i].o.group_count ? t->issuers[i].o.groups[k].group : NULL;
}

bool tokens_sign_in(const struct tokens *t, size_t i, struct token_sign_in *ret)
{
	const struct token_options *o = &t->issuers[i].o;

	ret->issuer = o->issuer;
	ret->client_id = o->client_id;
	ret->scope = o->client_scope;
	ret->resource = o->client_resource;
	ret->ca_file = o->ca_file;
	if (!o->client_id || !jwks_sign_in(t->issuers[i].keys, &ret->at))
		return false;
	ret->needs_iss = ret->at.names_issuer;
	for (size_t k = 0; k < t->count; k++)
		ret->needs_iss |= k != i && t->issuers[k].o.client_id;
	return true;
}

/* --- refusals --- */

bool tokens_claim(struct str text)
{
	return str_starts(text, STR("ey")) || (text.n > 0 && memchr(text.p, '.', text.n));
}

enum errc tokens_refuse(const char *reason, struct err *e)
{
	metric_add(METRIC_TOKENS_REFUSED, (const char *[]){ reason, "", "" }, 1);
	return err_set(e, ERR_INVALID_TOKEN, "", "this token is not accepted here");
}

static enum errc refuse_keys(struct err *e)
{
	err_set(e, ERR_TOKEN_KEYS, "",
		"the keys of the token's issuer are not known at present; try again");
	e->retry_after_ms = 1000;
	return e->code;
}

/* refuse_group: also where the group was deleted: its limits were somebody's wish. */
static enum errc refuse_group(struct err *e)
{
	metric_add(METRIC_TOKENS_REFUSED, (const char *[]){ "group", "", "" }, 1);
	return err_set(e, ERR_INSUFFICIENT_SCOPE, "",
		       "the holder of this token is in no group that may use this gateway");
}

/* --- the check --- */

/* find_issuer: NULL: *reason says what does not fit. */
static const struct token_issuer *find_issuer(const struct tokens *t, const struct json_doc *d,
					      const char **reason)
{
	*reason = "issuer";
	for (size_t i = 0; i < t->count; i++) {
		if (!json_get_is(d, 0, "iss", t->issuers[i].o.issuer))
			continue;
		if (token_claims_audience(d, t->issuers[i].o.audience))
			return &t->issuers[i];
		*reason = "audience";
	}
	return NULL;
}

/* name_who: "j" or, with a group, "g"; the entry's signs, the owner's, the group's. */
static bool name_who(const struct token_issuer *x, struct str value, struct str group,
		     const unsigned char signing[HASH_BYTES], char ret[WHO_ROOM])
{
	static const char word[] = "owner of a token";
	unsigned char     mac[HASH_BYTES];
	struct buf        said;
	uint64_t          owner = 0;

	buf_init(&said, 16 * KIB);
	if (!buf_add(&said, word, sizeof word) ||
	    !buf_add(&said, x->o.issuer, strlen(x->o.issuer) + 1) ||
	    !buf_add(&said, x->o.owner, strlen(x->o.owner) + 1) || !buf_str(&said, value)) {
		buf_finish(&said);
		return false;
	}
	hash_hmac(signing, said.data, said.len, mac);
	buf_finish(&said);
	for (size_t i = 0; i < sizeof owner; i++)
		owner = owner << 8 | mac[i];
	owner = owner >> 1 | 1; /* 0 owns what was stored without keys */
	ret[0] = group.n > 0 ? 'g' : 'j';
	memcpy(ret + 1, x->tag, TAG);
	for (size_t i = WHO; i > 1 + TAG; i--, owner >>= 5)
		ret[i - 1] = token_signs[owner & 31];
	str_copy(ret + WHO, WHO_ROOM - WHO, group);
	return true;
}

static enum errc check_signature(const struct token_issuer *x, const struct jwt *t, struct grant *g,
				 struct err *e)
{
	struct jwks_set *keys = jwks_now(x->keys, clock_mono_us());

	if (!keys)
		return refuse_keys(e);
	enum jwks_verdict verdict = jwks_set_check(keys, t, g->mark);
	jwks_set_release(keys);
	switch (verdict) {
	case JWKS_GOOD: return ERR_OK;
	case JWKS_NO_KEY: jwks_miss(x->keys); return tokens_refuse("key", e);
	case JWKS_WRONG: break;
	}
	return tokens_refuse("signature", e);
}

static enum errc check_claims(struct tokens *t, const struct jwt *token, struct arena *a,
			      const unsigned char signing[HASH_BYTES], int64_t now_ms,
			      struct grant *g, struct err *e)
{
	const struct json_doc     *d = &token->claims;
	const char                *reason;
	const struct token_issuer *x = find_issuer(t, d, &reason);
	int64_t                    until_s = 0;
	struct str                 subject, owner, group;

	if (!x)
		return tokens_refuse(reason, e);
	reason = token_claims_times(d, now_ms / 1000, &until_s);
	if (reason)
		return tokens_refuse(reason, e);
	enum errc rc = check_signature(x, token, g, e);
	if (rc != ERR_OK)
		return rc;
	if (!token_claims_text(d, "sub", a, &subject))
		return tokens_refuse("subject", e);
	if (!token_claims_text(d, x->o.owner, a, &owner))
		return tokens_refuse("owner", e);
	if (!token_claims_group(&x->o, d, a, &group) ||
	    !token_claims_scopes(&x->o, d, a, &g->scopes))
		return err_no_memory(e);
	if (group.n == 0 && x->o.groups_only)
		return refuse_group(e);
	g->issuer = (unsigned)(x - t->issuers);
	g->until_ms = until_s * 1000;
	token_claims_name(&x->o, d, a, g->name);
	return name_who(x, owner, group, signing, g->who) ? ERR_OK : err_no_memory(e);
}

/* --- memory --- */

static int64_t kept_number(const unsigned char sha256[HASH_BYTES])
{
	int64_t n;

	memcpy(&n, sha256, sizeof n);
	return n;
}

static bool token_find(struct tokens *t, const unsigned char sha256[HASH_BYTES], int64_t now_ms,
		       struct grant *ret)
{
	bool found = false;

	pthread_mutex_lock(&t->lock);
	struct key_slot *s = key_table_find(&t->kept, kept_number(sha256));
	if (s) {
		const struct kept_token *k = container_of(s, struct kept_token, slot);

		found = memcmp(k->sha256, sha256, HASH_BYTES) == 0 && now_ms < k->grant.until_ms;
		if (found)
			*ret = k->grant;
	}
	pthread_mutex_unlock(&t->lock);
	if (!found)
		return false;
	struct jwks_set *keys = jwks_now(t->issuers[ret->issuer].keys, clock_mono_us());
	bool             has = keys && jwks_set_has(keys, ret->mark);

	jwks_set_release(keys);
	return has;
}

static void token_keep(struct tokens *t, const unsigned char sha256[HASH_BYTES],
		       const struct grant *g, int64_t now_ms)
{
	pthread_mutex_lock(&t->lock);
	struct key_slot *s = key_table_get(&t->kept, kept_number(sha256), now_ms);
	if (s) {
		struct kept_token *k = container_of(s, struct kept_token, slot);

		memcpy(k->sha256, sha256, HASH_BYTES);
		k->grant = *g;
	}
	pthread_mutex_unlock(&t->lock);
}

/* --- identities --- */

/* who_parts: the name's, and what is after it; group: the signs of the group; none: empty.  False: it is no name. */
static bool who_parts(struct str who, struct str *ret_group, struct str *ret_rest)
{
	size_t in = who.n > 0 && who.p[0] == 'g' ? API_KEY_ID : 0;

	if (who.n < WHO + in || (who.p[0] != 'j' && who.p[0] != 'g'))
		return false;
	*ret_group = (struct str){ who.p + WHO, in };
	*ret_rest = (struct str){ who.p + WHO + in, who.n - WHO - in };
	return true;
}

/* owner_of: the number that name_who has written. */
static bool owner_of(struct str who, int64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 1 + TAG; i < WHO; i++) {
		const char *at = who.p[i] ? strchr(token_signs, who.p[i]) : NULL;

		if (!at)
			return false;
		n = n << 5 | (uint64_t)(at - token_signs);
	}
	*ret = (int64_t)(n & INT64_MAX);
	return n != 0 && n <= INT64_MAX;
}

bool tokens_names(struct str who)
{
	struct str group, rest;

	return who_parts(who, &group, &rest) && rest.n == 0;
}

static struct token_issuer *issuer_of(const struct tokens *t, struct str who)
{
	struct str group, rest;

	for (size_t i = 0; who_parts(who, &group, &rest) && i < t->count; i++)
		if (memcmp(who.p + 1, t->issuers[i].tag, TAG) == 0)
			return (struct token_issuer *)(uintptr_t)&t->issuers[i];
	return NULL;
}

/* say_missing: a minute later again: each call of the group's members comes here. */
static void say_missing(struct token_issuer *x, struct str group)
{
	int64_t now_us = clock_mono_us();
	int64_t said_us = atomic_load(&x->said_us);

	if ((said_us == 0 || now_us - said_us >= SAID_EVERY_US) &&
	    atomic_compare_exchange_strong(&x->said_us, &said_us, now_us))
		log_note(LOG_WARN, "tokens",
			 "grp_%.*s, into which %s puts people, is not there: they are refused",
			 STR_ARG(group), x->o.issuer);
}

struct holder {
	struct str who, name;
	unsigned   scopes;
	int64_t    until_ms;
	uint32_t   proof;
};

/* identity_of: held.  Errors: INSUFFICIENT_SCOPE: the group is not there; OVERLOADED (memory). */
static enum errc identity_of(struct token_issuer *x, const struct holder *h,
			     const struct token_base *base, struct identity **ret, struct err *e)
{
	char             id[IDENTITY_ID_MAX] = "jwt:";
	struct identity *in = NULL;
	struct str       group, rest;
	int64_t          owner;

	if (!who_parts(h->who, &group, &rest) || !owner_of(h->who, &owner))
		return err_set(e, ERR_INTERNAL, "", "no name of a token's holder");
	if (group.n > 0 && !(in = base->group(base->arg, group))) {
		say_missing(x, group);
		return refuse_group(e);
	}
	str_copy(id + 4, sizeof id - 4, (struct str){ h->who.p + 1, WHO - 1 });
	*ret = identity_create(&(struct identity_options){
		.id = str_of(id),
		.owner = owner,
		.scopes = h->scopes,
		.name = h->name,
		.until_ms = h->until_ms,
		.proof = h->proof,
		.models = in ? in->models : NULL,
		.model_count = in ? in->model_count : 0,
		.group = in ? in->group : NULL,
		.allowance = { .budget_nano = x->o.each_nano,
			       .budget_window_us = x->o.each_window_us } });
	identity_release(in);
	return *ret ? ERR_OK : err_no_memory(e);
}

/* session_digest: what the tokens of sessions are signed with beside the database's secret. */
static bool session_digest(const struct token_issuer *x, const unsigned char mark[HASH_BYTES],
			   unsigned char ret[HASH_BYTES])
{
	static const char word[] = "session of a token";
	struct hash_sum  *sum = hash_sum_begin();

	if (!sum)
		return false;
	hash_sum_add(sum, word, sizeof word);
	hash_sum_add(sum, x->o.issuer, strlen(x->o.issuer) + 1);
	hash_sum_add(sum, x->o.audience, strlen(x->o.audience) + 1);
	hash_sum_add(sum, x->roles, HASH_BYTES);
	hash_sum_add(sum, mark, HASH_BYTES);
	hash_sum_end(sum, ret);
	hash_sum_destroy(sum);
	return true;
}

/* proof_of: what an identity knows of the digest; 0 is none. */
static uint32_t proof_of(const unsigned char digest[HASH_BYTES])
{
	return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
	       digest[3] | 1;
}

bool tokens_stand(const struct tokens *t, const struct identity *who)
{
	char                 name[IDENTITY_ID_MAX];
	unsigned char        digest[HASH_BYTES];
	const unsigned char *mark;

	snprintf(name, sizeof name, "j%s", who->id + 4);
	const struct token_issuer *x = issuer_of(t, str_of(name));
	struct jwks_set           *keys = x ? jwks_now(x->keys, clock_mono_us()) : NULL;
	bool                       stands = x && (!keys || who->proof == 0);

	for (size_t i = 0; !stands && keys && (mark = jwks_set_mark(keys, i)); i++)
		stands = session_digest(x, mark, digest) && proof_of(digest) == who->proof;
	jwks_set_release(keys);
	return stands;
}

/* gives_group: whether the entry puts anybody into the group; none: whether it leaves anybody in none. */
static bool gives_group(const struct token_options *o, struct str group)
{
	struct str id;

	for (size_t i = 0; i < o->group_count; i++)
		if (api_key_group(str_of(o->groups[i].group), &id) && str_eq(id, group))
			return true;
	return group.n == 0 && !o->groups_only;
}

struct identity *tokens_named(const struct tokens *t, struct str who, const struct token_base *base)
{
	struct token_issuer *x = issuer_of(t, who);
	unsigned char        bytes[sizeof(uint32_t)] = { 0 };
	struct holder        h = { .who = who, .name = STR_NONE };
	struct identity     *found = NULL;
	struct str           group, proof;
	struct err           e;

	if (!x || !who_parts(who, &group, &proof) || !gives_group(&x->o, group) ||
	    (proof.n > 0 && !hash_unhex(proof.p, proof.n, bytes, sizeof bytes)))
		return NULL;
	for (size_t i = 0; i < sizeof bytes; i++)
		h.proof = h.proof << 8 | bytes[i];
	h.scopes = x->most & ~(unsigned)SCOPE_ADMIN;
	if (identity_of(x, &h, base, &found, &e) != ERR_OK || tokens_stand(t, found))
		return found;
	identity_release(found);
	return NULL;
}

enum errc tokens_check(struct tokens *t, struct str text, const unsigned char sha256[HASH_BYTES],
		       const struct token_base *base, int64_t now_ms, struct caller *ret,
		       struct err *e)
{
	struct grant  g = { 0 };
	struct caller by = { 0 };

	if (text.n > LIMIT_SECRET)
		return tokens_refuse("form", e);
	if (!token_find(t, sha256, now_ms, &g)) {
		struct arena a;
		struct jwt   token;
		enum errc    rc;

		g = (struct grant){ 0 };
		arena_init(&a, 64 * KIB);
		rc = jwt_read(text, &a, &token)
			     ? check_claims(t, &token, &a, base->signing, now_ms, &g, e)
			     : tokens_refuse("form", e);
		jwt_finish(&token);
		arena_finish(&a);
		if (rc != ERR_OK)
			return rc;
		token_keep(t, sha256, &g, now_ms);
	}
	struct token_issuer *x = &t->issuers[g.issuer];
	by.scopes = g.scopes;
	if (!session_digest(x, g.mark, by.sha256))
		return err_no_memory(e);
	enum errc rc = identity_of(x,
				   &(struct holder){ .who = str_of(g.who),
						     .name = str_of(g.name),
						     .scopes = g.scopes,
						     .until_ms = g.until_ms,
						     .proof = proof_of(by.sha256) },
				   base, &by.who, e);
	if (rc == ERR_OK)
		*ret = by;
	return rc;
}

/* session_key: whether the session is of a key of the issuer; ret: what it is signed with. */
static bool session_key(const struct token_issuer *x, const struct jwks_set *keys, struct str text,
			const unsigned char signing[HASH_BYTES], unsigned char ret[HASH_BYTES])
{
	const unsigned char *mark;

	for (size_t i = 0; (mark = jwks_set_mark(keys, i)); i++)
		if (session_digest(x, mark, ret) && session_token_proves(text, signing, ret))
			return true;
	return false;
}

enum errc tokens_session(struct tokens *t, struct str text, const struct session_token *s,
			 const struct token_base *base, struct caller *ret, struct err *e)
{
	struct caller        by = { .session = *s };
	struct token_issuer *x = issuer_of(t, str_of(s->key));
	enum errc            rc = ERR_INVALID_SESSION;
	char                 name[SESSION_TOKEN_NAME];

	session_token_name(text, name);
	if (x) {
		struct jwks_set *keys = jwks_now(x->keys, clock_mono_us());

		if (!keys)
			return refuse_keys(e);
		if (!session_key(x, keys, text, base->signing, by.sha256))
			x = NULL;
		jwks_set_release(keys);
	}
	by.scopes = x ? s->scopes & x->most : 0;
	if (x)
		rc = identity_of(x,
				 &(struct holder){ .who = str_of(s->key),
						   .name = str_of(name),
						   .scopes = by.scopes,
						   .until_ms = s->until_s * 1000,
						   .proof = proof_of(by.sha256) },
				 base, &by.who, e);
	if (rc == ERR_OK)
		*ret = by;
	else if (rc != ERR_OVERLOADED)
		err_set(e, ERR_INVALID_SESSION, "",
			"this session has ended; begin another one with a token");
	return rc == ERR_OK ? rc : e->code;
}
