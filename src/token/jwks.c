/* Keys by their names, and the times at which they were fetched. */
#include "token/jwks.h"

#include "base/limits.h"
#include "token/signature.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define JWKS_SECOND_US ((int64_t)1000000)

static const int64_t fresh_us = 600 * JWKS_SECOND_US;      /* then the set is fetched again */
static const int64_t kept_us = 24 * 3600 * JWKS_SECOND_US; /* an issuer may be down for a day */
static const int64_t again_us =
	30 * JWKS_SECOND_US; /* after a failure, or for a key that is not there */
static const int64_t first_us = 2 * JWKS_SECOND_US; /* after a failure, if no set is known yet */

/* --- set --- */

struct jwks_key {
	enum jwt_alg          alg;
	bool                  named;
	size_t                kid_n;
	char                  kid[JWT_KID_MAX];
	unsigned char         mark[HASH_BYTES];
	struct signature_key *key; /* owned */
};

struct jwks_set {
	atomic_uint     refs;
	size_t          count;
	struct jwks_key keys[JWKS_KEYS];
};

struct jwks_set *jwks_set_hold(struct jwks_set *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void jwks_set_release(struct jwks_set *s)
{
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < s->count; i++)
		signature_key_destroy(s->keys[i].key);
	free(s);
}

/* key_alg: the algorithm of a key by its kind and curve; the key may also name it. */
static bool key_alg(const struct json_doc *d, json_at key, enum jwt_alg *ret)
{
	/* clang-format off */
	static const struct {
		const char  *kind, *curve, *alg;
		enum jwt_alg is;
	} kinds[] = {
		{ "RSA", NULL,      "RS256", JWT_RS256 },
		{ "EC",  "P-256",   "ES256", JWT_ES256 },
		{ "OKP", "Ed25519", "EdDSA", JWT_EDDSA },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!json_get_is(d, key, "kty", kinds[i].kind) ||
		    (kinds[i].curve && !json_get_is(d, key, "crv", kinds[i].curve)))
			continue;
		*ret = kinds[i].is;
		return json_get(d, key, "alg") == JSON_ABSENT ||
		       json_get_is(d, key, "alg", kinds[i].alg) ||
		       (kinds[i].is == JWT_EDDSA && json_get_is(d, key, "alg", "Ed25519"));
	}
	return false;
}

/* key_verifies: neither use nor key_ops says that the key is for something else. */
static bool key_verifies(const struct json_doc *d, json_at key)
{
	json_at ops = json_get(d, key, "key_ops");

	if (json_get(d, key, "use") != JSON_ABSENT && !json_get_is(d, key, "use", "sig"))
		return false;
	if (ops == JSON_ABSENT)
		return true;
	if (json_kind(d, ops) != JSON_ARRAY)
		return false;
	JSON_EACH (i, d, ops)
		if (json_is(d, i, "verify"))
			return true;
	return false;
}

static bool key_number(const struct json_doc *d, json_at key, const char *name, struct arena *a,
		       struct str *ret)
{
	struct str text;

	return json_text(d, json_get(d, key, name), a, &text) && jwt_unbase64(text, a, ret);
}

static bool jwks_read_key(const struct json_doc *d, json_at key, struct arena *a,
			  struct jwks_key *ret)
{
	static const char *const names[JWT_ALG__COUNT][2] = {
		[JWT_RS256] = { "n", "e" },
		[JWT_ES256] = { "x", "y" },
		[JWT_EDDSA] = { "x", NULL },
	};
	struct str numbers[2] = { STR_NONE, STR_NONE };
	json_at    kid = json_get(d, key, "kid");
	struct str name = STR_NONE;

	*ret = (struct jwks_key){ .named = kid != JSON_ABSENT };
	if (json_kind(d, key) != JSON_OBJECT || !key_alg(d, key, &ret->alg) ||
	    !key_verifies(d, key) ||
	    (ret->named && (!json_text(d, kid, a, &name) || name.n > JWT_KID_MAX)))
		return false;
	for (size_t i = 0; i < 2 && names[ret->alg][i]; i++)
		if (!key_number(d, key, names[ret->alg][i], a, &numbers[i]))
			return false;
	ret->kid_n = name.n;
	if (name.n > 0)
		memcpy(ret->kid, name.p, name.n);

	struct hash_sum *sum = hash_sum_begin();
	if (!sum)
		return false;
	hash_sum_add(sum, &ret->alg, sizeof ret->alg);
	for (size_t i = 0; i < 2; i++) {
		hash_sum_add(sum, &numbers[i].n, sizeof numbers[i].n);
		hash_sum_add(sum, numbers[i].p, numbers[i].n);
	}
	hash_sum_end(sum, ret->mark);
	hash_sum_destroy(sum);
	ret->key = signature_key_make(ret->alg, numbers[0], numbers[1]);
	return ret->key != NULL;
}

enum errc jwks_set_read(struct str text, struct jwks_set **ret, struct err *e)
{
	struct json_doc  d = { 0 };
	struct jwks_set *s = calloc(1, sizeof *s);
	struct arena     a;

	if (!s)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	atomic_init(&s->refs, 1);
	arena_init(&a, 2 * LIMIT_JWKS);
	json_at keys = jwt_json(&d, text) ? json_get(&d, 0, "keys") : JSON_ABSENT;
	bool    set = json_is_kind(&d, keys, JSON_ARRAY);

	for (json_at i = set ? json_first(&d, keys) : 0;
	     set && i != json_end(&d, keys) && s->count < JWKS_KEYS; i = json_next(&d, i))
		s->count += jwks_read_key(&d, i, &a, &s->keys[s->count]);
	arena_finish(&a);
	json_doc_finish(&d);
	if (set) {
		*ret = s;
		return ERR_OK;
	}
	jwks_set_release(s);
	return err_set(e, ERR_INVALID_VALUE, "",
		       "is no JSON Web Key Set: an object with a list `keys`");
}

enum jwks_verdict jwks_set_check(const struct jwks_set *s, const struct jwt *t,
				 unsigned char ret_mark[HASH_BYTES])
{
	bool found = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct jwks_key *k = &s->keys[i];

		/* A key that names itself signs for tokens without a name, too: there may be but one. */
		if (t->kid.p && (!k->named || !str_eq((struct str){ k->kid, k->kid_n }, t->kid)))
			continue;
		found = true;
		if (k->alg == t->alg && signature_is(k->key, t->said, t->signature)) {
			memcpy(ret_mark, k->mark, HASH_BYTES);
			return JWKS_GOOD;
		}
	}
	return found ? JWKS_WRONG : JWKS_NO_KEY;
}

const unsigned char *jwks_set_mark(const struct jwks_set *s, size_t i)
{
	return i < s->count ? s->keys[i].mark : NULL;
}

bool jwks_set_has(const struct jwks_set *s, const unsigned char mark[HASH_BYTES])
{
	for (size_t i = 0; i < s->count; i++)
		if (memcmp(s->keys[i].mark, mark, HASH_BYTES) == 0)
			return true;
	return false;
}

/* --- over time --- */

struct jwks {
	atomic_uint         refs;
	char               *what; /* owned */
	bool                fixed;
	struct jwks        *next; /* the next one in the list `shared` */
	pthread_mutex_t     lock; /* guards the members below */
	struct jwks_set    *set;  /* held; NULL: none is known */
	int64_t             fetched_us;
	int64_t             tried_us;
	bool                tried, fetching, missed;
	struct jwks_sign_in at; /* empty: not known */
};

/* The list has all whose keys are fetched, so that a reload finds what is known. */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct jwks    *shared;

static struct jwks *jwks_make(const char *what, struct jwks_set *fixed)
{
	struct jwks *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	k->what = strdup(what);
	if (!k->what) {
		free(k);
		return NULL;
	}
	atomic_init(&k->refs, 1);
	pthread_mutex_init(&k->lock, NULL);
	k->fixed = fixed != NULL;
	k->set = fixed ? jwks_set_hold(fixed) : NULL;
	return k;
}

struct jwks *jwks_create(const char *what, struct jwks_set *fixed)
{
	if (fixed)
		return jwks_make(what, fixed);
	pthread_mutex_lock(&shared_lock);
	struct jwks *k = shared;
	while (k && strcmp(k->what, what) != 0)
		k = k->next;
	if (k) {
		atomic_fetch_add(&k->refs, 1);
	} else if ((k = jwks_make(what, NULL))) {
		k->next = shared;
		shared = k;
	}
	pthread_mutex_unlock(&shared_lock);
	return k;
}

struct jwks *jwks_hold(struct jwks *k)
{
	atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
	return k;
}

/* The lock: nobody finds one in the list whose last reference goes. */
void jwks_release(struct jwks *k)
{
	if (!k)
		return;
	pthread_mutex_lock(&shared_lock);
	bool last = atomic_fetch_sub(&k->refs, 1) == 1;
	for (struct jwks **at = &shared; last && *at; at = &(*at)->next)
		if (*at == k) {
			*at = k->next;
			break;
		}
	pthread_mutex_unlock(&shared_lock);
	if (!last)
		return;
	jwks_set_release(k->set);
	pthread_mutex_destroy(&k->lock);
	free(k->what);
	free(k);
}

bool jwks_sign_in(struct jwks *k, struct jwks_sign_in *ret)
{
	pthread_mutex_lock(&k->lock);
	*ret = k->at;
	pthread_mutex_unlock(&k->lock);
	return ret->authorize[0] && ret->token[0];
}

void jwks_tell(struct jwks *k, const struct jwks_sign_in *at)
{
	pthread_mutex_lock(&k->lock);
	k->at = *at;
	pthread_mutex_unlock(&k->lock);
}

struct jwks_set *jwks_now(struct jwks *k, int64_t now_us)
{
	struct jwks_set *s = NULL;

	pthread_mutex_lock(&k->lock);
	if (k->set && (k->fixed || now_us - k->fetched_us < kept_us))
		s = jwks_set_hold(k->set);
	pthread_mutex_unlock(&k->lock);
	return s;
}

void jwks_miss(struct jwks *k)
{
	pthread_mutex_lock(&k->lock);
	k->missed = true;
	pthread_mutex_unlock(&k->lock);
}

bool jwks_due(struct jwks *k, int64_t now_us)
{
	pthread_mutex_lock(&k->lock);
	bool due = !k->fixed && !k->fetching &&
		   (!k->tried || now_us - k->tried_us >= (k->set ? again_us : first_us)) &&
		   (!k->set || k->missed || now_us - k->fetched_us >= fresh_us);

	k->fetching |= due;
	if (due) {
		k->tried = true;
		k->tried_us = now_us;
		k->missed = false;
	}
	pthread_mutex_unlock(&k->lock);
	return due;
}

void jwks_fetched(struct jwks *k, struct jwks_set *s, int64_t now_us)
{
	pthread_mutex_lock(&k->lock);
	struct jwks_set *old = s ? k->set : NULL;

	if (s) {
		k->set = s;
		k->fetched_us = now_us;
	}
	k->fetching = false;
	pthread_mutex_unlock(&k->lock);
	jwks_set_release(old);
}
