/* The table of dialects, and the steps of creation that all providers share. */
#include "provider/provider.h"

#include "base/hash.h"
#include "provider/credential.h"
#include "provider/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A new dialect needs one row here, */
#define DIALECTS(X)  \
	X(openai)    \
	X(azure)     \
	X(anthropic) \
	X(gemini)    \
	X(mistral)   \
	X(ollama)    \
	X(bedrock)   \
	X(lmc)
/* or here, if its name is no identifier, */
#define DASHED(X)                               \
	X(openai_responses, "openai-responses") \
	X(interactions, "gemini-interactions")
/* or here, if it is another one's in a place that the option hosting names. */
#define HOSTED(X)            \
	X(anthropic_bedrock) \
	X(anthropic_vertex)

#define SCRATCH_DIALECT(id) extern const struct dialect id;
#include "base/scratch.def"
#undef SCRATCH_DIALECT

#define ROW(name)            &dialect_##name,
#define DASHED_ROW(id, name) &dialect_##id,
#define SCRATCH_DIALECT(id)  &(id),
/* clang-format off */
static const struct dialect *const dialects[] = {
	DIALECTS(ROW) DASHED(DASHED_ROW) HOSTED(ROW)
#include "base/scratch.def"
};
/* clang-format on */
#undef ROW
#undef DASHED_ROW
#undef SCRATCH_DIALECT

/* provider_known: the names of all dialects, separated by commas, for an error's text. */
static const char *provider_known(void)
{
#define NAME(name)            ", " #name
#define DASHED_NAME(id, name) ", " name
	return "echo" DIALECTS(NAME) DASHED(DASHED_NAME);
#undef NAME
#undef DASHED_NAME
}

static enum errc provider_check_name(const struct provider_options *o, struct err *e)
{
	size_t n = o->name ? strlen(o->name) : 0;

	if (n == 0 || n >= sizeof((struct provider *)0)->name)
		return err_set(e, ERR_INVALID_VALUE, "name",
			       "a provider's name must have 1 to 63 bytes");
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)o->name[i] < 0x20 || o->name[i] == 0x7f)
			return err_set(e, ERR_INVALID_VALUE, "name",
				       "a provider's name must not hold control characters");
	return ERR_OK;
}

static enum errc create_by_dialect(const struct provider_options *o, struct provider **ret,
				   struct err *e)
{
	const char *name = o->dialect ? o->dialect : "";
	bool        known = false;

	if (strcmp(name, "echo") == 0)
		return echo_create(o, ret, e);
	for (size_t i = 0; i < ARRAY_LEN(dialects); i++) {
		if (strcmp(name, dialects[i]->name) != 0)
			continue;
		known = true;
		if (strcmp(o->hosting ? o->hosting : "",
			   dialects[i]->hosting ? dialects[i]->hosting : "") != 0)
			continue;

		if (o->completions && !dialects[i]->text)
			return err_set(e, ERR_INVALID_VALUE, "completions",
				       "a provider of dialect %s has no completions of a prompt",
				       name);
		enum errc rc = remote_create(o, dialects[i], ret, e);
		if (rc == ERR_OK)
			(*ret)->takes = dialects[i]->takes |
					(dialects[i]->embed ? PROVIDER_EMBED : 0u) |
					(o->completions ? PROVIDER_TEXT : 0u);
		return rc;
	}
	if (known)
		return err_set(e, ERR_INVALID_VALUE, "hosting",
			       "the dialect %s is the same there as elsewhere: leave hosting out",
			       name);
	return err_set(e, ERR_INVALID_VALUE, "dialect", "unknown dialect \"%.40s\"; known are %s",
		       name, provider_known());
}

static void print_add(struct hash_sum *sum, const char *text)
{
	if (text)
		hash_sum_add(sum, text, strlen(text));
	hash_sum_add(sum, "", 1);
}

/* print_of: the beginning of a digest of the members of an entry on which its answers depend. */
static uint64_t print_of(const struct provider_options *o)
{
	const char *const members[] = {
		o->dialect,
		o->base_url,
		o->hosting,
		o->query,
		o->max_tokens_field,
		o->system_messages,
		o->truncate ? "truncate" : NULL,
		o->reply,
	};
	struct hash_sum *sum = hash_sum_begin();
	unsigned char    digest[HASH_BYTES] = { 0 };
	uint64_t         ret;

	if (!sum)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		print_add(sum, members[i]);
	for (size_t i = 0; i < o->header_count; i++) {
		print_add(sum, o->headers[i].name);
		print_add(sum, o->headers[i].value);
	}
	hash_sum_end(sum, digest);
	hash_sum_destroy(sum);
	memcpy(&ret, digest, sizeof ret);
	return ret;
}

enum errc provider_create(const struct provider_options *o, struct provider **ret, struct err *e)
{
	struct provider *p = NULL;
	enum errc        rc = provider_check_name(o, e);

	if (rc == ERR_OK)
		rc = create_by_dialect(o, &p, e);
	if (rc != ERR_OK)
		return rc;
	CHECK(p != NULL);
	memcpy(p->name, o->name, strlen(o->name) + 1);
	p->place = o->place;
	if (o->place > 0)
		snprintf(p->label, sizeof p->label, "%s#%u", p->name, o->place);
	else
		memcpy(p->label, p->name, sizeof p->name);
	p->retries = o->retries;
	p->total_us = o->total_us;
	p->forward_store = o->forward_store;
	p->print = print_of(o);
	p->health = o->health;
	p->mask = mask_ref(o->mask);
	*ret = p;
	return ERR_OK;
}

/* --- secrets: Gathers the secret values of a configuration for the mask. */

struct values {
	struct str *list;
	size_t      count;
};

/* names_secret: whether the name of a header, or of a member of a query, suggests that its value is
 * a secret, although the configuration file contains the value. */
static bool names_secret(struct str name)
{
	static const char *const words[] = { "auth", "key",    "token",   "secret",
					     "pass", "cookie", "session", "signature" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		for (size_t at = 0, n = strlen(words[i]); at + n <= name.n; at++)
			if (strncasecmp(name.p + at, words[i], n) == 0)
				return true;
	return false;
}

static void secrets_add(struct values *v, struct str value)
{
	if (value.n > 0)
		v->list[v->count++] = value;
}

/* add_header: the value "Bearer KEY" makes two secrets, because a provider may repeat all of it, or
 * only the key. */
static void add_header(struct values *v, const struct provider_header *h)
{
	const char *space = strchr(h->value, ' ');

	if (!h->secret && !names_secret(str_of(h->name)))
		return;
	secrets_add(v, str_of(h->value));
	if (space && strchr(space + 1, ' ') == NULL)
		secrets_add(v, str_of(space + 1));
}

static void add_query(struct values *v, const char *query)
{
	for (size_t n; query && *query; query += n + (query[n] ? 1 : 0)) {
		size_t name = strcspn(query, "=&");

		n = strcspn(query, "&");
		if (name < n && names_secret((struct str){ query, name }))
			secrets_add(v, (struct str){ query + name + 1, n - name - 1 });
	}
}

static void add_proxy(struct values *v, const char *proxy)
{
	const char *host = proxy ? strstr(proxy, "://") : NULL;
	const char *user = host ? host + 3 : proxy;
	const char *at = user ? memchr(user, '@', strcspn(user, "/?#")) : NULL;
	const char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;

	if (colon)
		secrets_add(v, (struct str){ colon + 1, (size_t)(at - colon - 1) });
}

static size_t secrets_most(const struct provider_options *p)
{
	size_t n = 2 + p->key_count + 2 * p->header_count; /* a key, the proxy's password */

	for (const char *q = p->query; q; q = strchr(q, '&'), q = q ? q + 1 : NULL)
		n++;
	return n;
}

bool secrets_mask(const struct provider_options *providers, size_t count, struct mask **ret)
{
	struct values v = { .count = 0 };
	size_t        n = 0;

	for (size_t i = 0; i < count; i++)
		n += secrets_most(&providers[i]);
	v.list = calloc(n + 1, sizeof *v.list);
	for (size_t i = 0; v.list && i < count; i++) {
		const struct provider_options *p = &providers[i];

		secrets_add(&v, str_of(p->key));
		for (size_t k = 0; k < p->key_count; k++)
			secrets_add(&v, str_of(p->keys[k]));
		for (size_t k = 0; k < p->header_count; k++)
			add_header(&v, &p->headers[k]);
		add_query(&v, p->query);
		add_proxy(&v, p->proxy);
	}
	bool ok = v.list && mask_create(v.list, v.count, ret);
	free(v.list);
	return ok;
}

/* --- provider: Destroys providers of all kinds. */

void provider_destroy(struct provider *p)
{
	if (!p)
		return;
	mask_destroy(p->mask);
	credential_release(p->credential);
	p->ops->destroy(p);
}
