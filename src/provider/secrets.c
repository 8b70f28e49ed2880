/* Gathers the secret values of a configuration for the mask. */
#include "provider/secrets.h"

#include <stdlib.h>
#include <strings.h>

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
	size_t n = 2 + 2 * p->header_count; /* the key, the proxy's password */

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
		for (size_t k = 0; k < p->header_count; k++)
			add_header(&v, &p->headers[k]);
		add_query(&v, p->query);
		add_proxy(&v, p->proxy);
	}
	bool ok = v.list && mask_create(v.list, v.count, ret);
	free(v.list);
	return ok;
}
