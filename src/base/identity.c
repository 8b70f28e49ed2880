/* Identities with a count of references. */
#include "base/identity.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SCOPE_COUNT] = { "chat", "read", "files", "admin", "execute" };

struct identity identity_open = { .scopes = SCOPES_OPEN };
struct identity identity_nobody = { .scopes = 0 };

const char *scope_name(unsigned i)
{
	CHECK(i < SCOPE_COUNT);
	return names[i];
}

unsigned scope_find(struct str name)
{
	for (unsigned i = 0; i < SCOPE_COUNT; i++)
		if (str_is(name, names[i]))
			return 1u << i;
	return 0;
}

static size_t bytes_of(const struct str *list, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += list[i].n;
	return bytes;
}

/* copy_names: copies names to `to`, and their bytes to *at, which is moved after them. */
static void copy_names(struct str *to, const struct str *list, size_t count, char **at)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].n > 0)
			memcpy(*at, list[i].p, list[i].n);
		to[i] = (struct str){ *at, list[i].n };
		*at += list[i].n;
	}
}

static int64_t smaller_limit(int64_t a, int64_t b)
{
	return b > 0 && (a == 0 || b < a) ? b : a;
}

/* The identity, its group, the list of both and their bytes are one block of memory. */
struct identity *identity_create(const struct identity_options *o)
{
	const struct identity_group *g = o->group;
	size_t                       hooks = g ? g->hook_count : 0;
	size_t                       list = o->model_count + hooks;
	size_t bytes = bytes_of(o->models, o->model_count) + (g ? bytes_of(g->hooks, hooks) : 0) +
		       o->name.n + o->metadata.n;
	struct identity *who =
		calloc(1, sizeof *who + (g ? sizeof *g : 0) + list * sizeof(struct str) + bytes);

	if (!who)
		return NULL;
	struct identity_group *group = (struct identity_group *)(void *)(who + 1);
	struct str            *models =
                g ? (struct str *)(void *)(group + 1) : (struct str *)(void *)(who + 1);
	char *at = (char *)(models + list);
	copy_names(models, o->models, o->model_count, &at);
	if (g) {
		*group = *g;
		group->hooks = models + o->model_count;
		copy_names(models + o->model_count, g->hooks, hooks, &at);
		who->group = group;
	}
	if (o->name.n > 0)
		memcpy(at, o->name.p, o->name.n);
	who->name = (struct str){ at, o->name.n };
	at += o->name.n;
	who->until_ms = o->until_ms;
	who->proof = o->proof;
	if (o->metadata.n > 0)
		memcpy(at, o->metadata.p, o->metadata.n);
	who->metadata = (struct str){ at, o->metadata.n };
	atomic_init(&who->refs, 1);
	atomic_init(&who->used_ms, o->used_ms);
	atomic_init(&who->noted_ms, o->used_ms);
	str_copy(who->id, sizeof who->id, o->id);
	who->number = o->number;
	who->owner = o->owner;
	who->scopes = o->scopes;
	who->caches = o->caches;
	who->models = models;
	who->model_count = o->model_count;
	who->allowance = o->allowance;
	who->max_body = smaller_limit(o->allowance.max_body, g ? g->allowance.max_body : 0);
	return who;
}

struct identity *identity_hold(struct identity *i)
{
	if (atomic_load_explicit(&i->refs, memory_order_relaxed) > 0)
		atomic_fetch_add_explicit(&i->refs, 1, memory_order_relaxed);
	return i;
}

void identity_release(struct identity *i)
{
	if (!i || atomic_load_explicit(&i->refs, memory_order_relaxed) == 0)
		return;
	if (atomic_fetch_sub_explicit(&i->refs, 1, memory_order_acq_rel) == 1)
		free(i);
}

bool identity_sees(const struct identity *i, struct str model)
{
	for (size_t at = 0; at < i->model_count; at++) {
		struct str m = i->models[at];

		if (m.n > 0 && m.p[m.n - 1] == '*' ? str_starts(model, (struct str){ m.p, m.n - 1 })
						   : str_eq(model, m))
			return true;
	}
	return i->model_count == 0;
}

/* --- session_token: Makes and reads tokens of sessions; no token is stored. */

#define PREFIX "parley_st_"

enum {
	FRONT = sizeof PREFIX - 1,
	TIME_DIGITS = 10,
	SCOPE_DIGITS = 2,
	KEPT = 0x80, /* beside the scopes */
	MAC_BYTES = 16,
	MAC_HEX = 2 * MAC_BYTES,
	TIMES_AT = FRONT + ID_BODY + 1,
	SCOPES_AT = TIMES_AT + 2 * TIME_DIGITS,
	KEY_AT = SCOPES_AT + SCOPE_DIGITS + 1,
};

_Static_assert(KEPT >> SCOPE_COUNT, "the scopes of a token leave a bit");

static int64_t session_end(const struct session_token *t)
{
	return t->begun_s + (t->kept ? LIMIT_SESSION_KEPT_SECONDS : LIMIT_SESSION_SECONDS);
}

static struct session_token at_time(struct session_token t, int64_t now_s)
{
	t.ends_s = session_end(&t);
	t.until_s = now_s + (t.kept ? LIMIT_SESSION_KEPT_IDLE_SECONDS : LIMIT_SESSION_IDLE_SECONDS);
	session_token_limit(&t, t.ends_s);
	return t;
}

struct session_token session_token_begin(const char *key, unsigned scopes, bool kept, int64_t now_s)
{
	struct session_token t = {
		.id = id_new(), .scopes = scopes, .kept = kept, .begun_s = now_s
	};

	str_copy(t.key, sizeof t.key, str_of(key));
	return at_time(t, now_s);
}

struct session_token session_token_renew(const struct session_token *t, unsigned scopes,
					 int64_t now_s)
{
	struct session_token next = *t;

	next.scopes = scopes;
	return at_time(next, now_s);
}

void session_token_limit(struct session_token *t, int64_t end_s)
{
	if (t->ends_s > end_s)
		t->ends_s = end_s;
	if (t->until_s > end_s)
		t->until_s = end_s;
}

/* --- text --- */

static void session_token_sign(struct str front, const unsigned char signing[HASH_BYTES],
			       const unsigned char sha256[HASH_BYTES], char ret[MAC_HEX + 1])
{
	char          text[SESSION_TOKEN_MAX + HASH_BYTES];
	unsigned char mac[HASH_BYTES];

	memcpy(text, front.p, front.n);
	memcpy(text + front.n, sha256, HASH_BYTES);
	hash_hmac(signing, text, front.n + HASH_BYTES, mac);
	hash_hex(mac, MAC_BYTES, ret);
}

void session_token_print(const struct session_token *t, struct str name,
			 const unsigned char signing[HASH_BYTES],
			 const unsigned char sha256[HASH_BYTES], char ret[SESSION_TOKEN_MAX])
{
	char id[ID_MAX];
	char hex[2 * SESSION_TOKEN_NAME] = "";

	if (name.n > 0 && name.n < SESSION_TOKEN_NAME)
		hash_hex(name.p, name.n, hex);
	int n = snprintf(ret, SESSION_TOKEN_MAX, "%s_%0*" PRIx64 "%0*" PRIx64 "%0*x_%s%s%s_",
			 id_text(t->id, PREFIX, id).p, TIME_DIGITS, (uint64_t)t->begun_s,
			 TIME_DIGITS, (uint64_t)t->until_s, SCOPE_DIGITS,
			 t->scopes | (t->kept ? KEPT : 0u), t->key, hex[0] ? "_" : "", hex);
	session_token_sign((struct str){ ret, (size_t)n }, signing, sha256, ret + n);
}

bool session_token_is(struct str text)
{
	return str_starts(text, STR(PREFIX));
}

/* session_token_number: an even number of hex digits. */
static bool session_token_number(const char *digits, size_t n, int64_t *ret)
{
	unsigned char bytes[TIME_DIGITS / 2];
	int64_t       v = 0;

	if (!hash_unhex(digits, n, bytes, n / 2))
		return false;
	for (size_t i = 0; i < n / 2; i++)
		v = v << 8 | bytes[i];
	*ret = v;
	return true;
}

/* session_token_holder: the name of the key, and that of the holder, NUL-terminated. */
static bool session_token_holder(struct str text, struct str *ret_key, char ret[SESSION_TOKEN_NAME])
{
	struct str  both = { text.p + KEY_AT, text.n - KEY_AT - 1 - MAC_HEX };
	const char *cut = both.n > 0 ? memchr(both.p, '_', both.n) : NULL;
	size_t      n = cut ? (size_t)(both.p + both.n - cut - 1) : 0;

	ret[0] = '\0';
	*ret_key = (struct str){ both.p, cut ? (size_t)(cut - both.p) : both.n };
	if (!cut)
		return true;
	if (n == 0 || n / 2 >= SESSION_TOKEN_NAME || !hash_unhex(cut + 1, n, ret, n / 2))
		return false;
	ret[n / 2] = '\0';
	return true;
}

void session_token_name(struct str text, char ret[SESSION_TOKEN_NAME])
{
	struct str key;

	(void)session_token_holder(text, &key, ret);
}

bool session_token_parse(struct str text, int64_t now_s, struct session_token *ret)
{
	struct session_token t = { 0 };
	struct str           key;
	char                 name[SESSION_TOKEN_NAME];
	int64_t              scopes;

	if (text.n < KEY_AT + 1 + MAC_HEX || text.n >= SESSION_TOKEN_MAX)
		return false;
	if (!session_token_holder(text, &key, name) || key.n >= SESSION_TOKEN_KEY ||
	    text.p[TIMES_AT - 1] != '_' || text.p[KEY_AT - 1] != '_' ||
	    text.p[text.n - MAC_HEX - 1] != '_' ||
	    !id_parse((struct str){ text.p, FRONT + ID_BODY }, PREFIX, &t.id) ||
	    !session_token_number(text.p + TIMES_AT, TIME_DIGITS, &t.begun_s) ||
	    !session_token_number(text.p + TIMES_AT + TIME_DIGITS, TIME_DIGITS, &t.until_s) ||
	    !session_token_number(text.p + SCOPES_AT, SCOPE_DIGITS, &scopes))
		return false;
	t.kept = (scopes & KEPT) != 0;
	t.scopes = (unsigned)scopes & ~(unsigned)KEPT;
	t.ends_s = session_end(&t);
	if (t.until_s <= now_s || t.ends_s <= now_s)
		return false;
	str_copy(t.key, sizeof t.key, key);
	*ret = t;
	return true;
}

bool session_token_proves(struct str text, const unsigned char signing[HASH_BYTES],
			  const unsigned char sha256[HASH_BYTES])
{
	char mac[MAC_HEX + 1];

	if (text.n <= MAC_HEX || text.n >= SESSION_TOKEN_MAX)
		return false;
	struct str front = { text.p, text.n - MAC_HEX };
	session_token_sign(front, signing, sha256, mac);
	return hash_equal(mac, text.p + front.n, MAC_HEX);
}
