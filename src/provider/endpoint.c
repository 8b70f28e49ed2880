/* Makes URLs and headers of a provider's options. */
#include "provider/remote.h"

#include "base/arena.h"
#include "base/limits.h"
#include "upstream/upstream.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* endpoint_without: the length of url[0..n) without the tail, if the URL has it, and without the
 * slashes before. */
static size_t endpoint_without(const char *url, size_t n, const char *tail)
{
	size_t t = strlen(tail);

	if (n >= t && memcmp(url + n - t, tail, t) == 0)
		n -= t;
	while (n > 0 && url[n - 1] == '/')
		n--;
	return n;
}

size_t endpoint_base(const struct provider_options *o, const struct dialect *dialect)
{
	size_t base = endpoint_without(o->base_url, strlen(o->base_url), dialect->path);

	if (dialect->embed)
		base = endpoint_without(o->base_url, base, dialect->embed->path);
	return dialect->root ? endpoint_without(o->base_url, base, dialect->root) : base;
}

/* endpoint_make_url: base_url with a path of the dialect and the configured query; NULL: no
 * memory. */
static char *endpoint_make_url(struct arena *a, const struct provider_options *o,
			       const struct dialect *dialect, const char *path)
{
	const char *sign = strchr(path, '?') ? "&" : "?";
	size_t      base = endpoint_base(o, dialect);
	size_t      size = base + strlen(path) + 2 + (o->query ? strlen(o->query) : 0);
	char       *url = arena_alloc(a, size);

	if (url)
		snprintf(url, size, "%.*s%s%s%s", (int)base, o->base_url, path,
			 o->query && o->query[0] ? sign : "", o->query ? o->query : "");
	return url;
}

static const char *endpoint_make_line(struct arena *a, const char *name, const char *between,
				      const char *value)
{
	size_t size = strlen(name) + strlen(between) + strlen(value) + 1;
	char  *line = arena_alloc(a, size);

	if (line)
		snprintf(line, size, "%s%s%s", name, between, value);
	return line;
}

const char *endpoint_value(const struct provider_options *o, const struct dialect *dialect,
			   const char *name)
{
	for (size_t i = 0; i < o->header_count; i++)
		if (strcasecmp(o->headers[i].name, name) == 0)
			return o->headers[i].value;
	for (const struct provider_header *h = dialect->headers; h && h->name; h++)
		if (strcasecmp(h->name, name) == 0)
			return h->value;
	return NULL;
}

bool endpoint_is_vendor(const struct provider_options *o, const struct dialect *dialect)
{
	const char *host = strstr(o->base_url, "://");
	size_t      n;

	host = host ? host + 3 : o->base_url;
	n = strcspn(host, ":/");
	for (const char *const *own = dialect->hosts; own && *own; own++) {
		size_t m = strlen(*own);

		if ((**own == '.' ? n > m : n == m) && strncasecmp(host + n - m, *own, m) == 0)
			return true;
	}
	return false;
}

static bool is_brought(const struct dialect *dialect, const char *name)
{
	for (const char *const *own = dialect->call_headers; own && *own; own++)
		if (strcasecmp(*own, name) == 0)
			return true;
	return false;
}

static bool endpoint_is_given(const struct provider_options *o, const char *name)
{
	for (size_t i = 0; i < o->header_count; i++)
		if (strcasecmp(o->headers[i].name, name) == 0)
			return true;
	return false;
}

/* endpoint_make_key: a key in the dialect's own header is plain; `bearer` means the usual one, unless another is named. */
static const char *endpoint_make_key(struct arena *a, const struct provider_options *o,
				     const struct dialect *dialect)
{
	const char *name = o->key_header;
	bool        bearer = o->key_scheme && strcmp(o->key_scheme, "bearer") == 0;

	if (!name && !bearer)
		name = dialect->key_header;
	if (!o->key_scheme)
		bearer = !name;
	return endpoint_make_line(a, name ? name : "Authorization", bearer ? ": Bearer " : ": ",
				  o->key);
}

/* endpoint_make_headers: the lines of all headers, first that of the key. NULL: no memory. */
static const char **endpoint_make_headers(struct arena *a, const struct provider_options *o,
					  const struct dialect *dialect, bool get,
					  size_t *ret_count)
{
	const struct provider_header *own = dialect->headers;
	size_t                        own_count = 0;
	size_t                        n = 0;

	while (own && own[own_count].name)
		own_count++;

	const char **lines = arena_alloc(a, (o->header_count + own_count + 1) * sizeof *lines);
	if (!lines)
		return NULL;
	if (o->key && !dialect->sign)
		lines[n++] = endpoint_make_key(a, o, dialect);
	for (size_t i = 0; i < own_count; i++)
		if (!endpoint_is_given(o, own[i].name) &&
		    (get || !is_brought(dialect, own[i].name)))
			lines[n++] = endpoint_make_line(a, own[i].name, ": ", own[i].value);
	for (size_t i = 0; i < o->header_count; i++)
		if (get || !is_brought(dialect, o->headers[i].name))
			lines[n++] = endpoint_make_line(a, o->headers[i].name, ": ",
							o->headers[i].value);
	for (size_t i = 0; i < n; i++)
		if (!lines[i])
			return NULL;
	*ret_count = n;
	return lines;
}

enum errc endpoint_check(const struct provider_options *o, struct err *e)
{
	if (!o->base_url || !o->base_url[0])
		return err_set(e, ERR_INVALID_VALUE, "base_url",
			       "a provider of dialect %s needs a base_url", o->dialect);
	if (strpbrk(o->base_url, "?#"))
		return err_set(e, ERR_INVALID_VALUE, "base_url",
			       "a base_url must not have a query or fragment; a query goes into "
			       "the option query");
	if (o->key && !o->key[0])
		return err_set(e, ERR_INVALID_VALUE, "key", "a provider's key must not be empty");
	if (o->max_tokens_field && strcmp(o->max_tokens_field, "max_tokens") != 0 &&
	    strcmp(o->max_tokens_field, "max_completion_tokens") != 0)
		return err_set(e, ERR_INVALID_VALUE, "max_tokens_field",
			       "max_tokens_field must be max_tokens or max_completion_tokens");
	return ERR_OK;
}

enum errc endpoint_target(const struct provider_options *o, const struct dialect *dialect,
			  const char *path, bool get, struct upstream_target **ret, struct err *e)
{
	struct arena scratch;
	size_t       count = 0;

	arena_init(&scratch, LIMIT_CONFIG_FILE);

	char        *url = endpoint_make_url(&scratch, o, dialect, path);
	const char **headers =
		url ? endpoint_make_headers(&scratch, o, dialect, get, &count) : NULL;
	enum errc rc = ERR_OVERLOADED;
	if (headers)
		rc = upstream_target_create(
			&(struct upstream_target_options){
				.name = o->name,
				.url = url,
				.headers = headers,
				.header_count = count,
				.ca_file = o->ca_file,
				.proxy = o->proxy,
				.http2 = !o->http2 || strcmp(o->http2, "off") != 0,
				.get = get,
				.connect_us = o->connect_us,
			},
			ret, e);
	else
		err_set(e, rc, NULL, "out of memory");
	arena_finish(&scratch);
	return rc;
}
