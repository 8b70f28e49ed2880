/* The table of dialects, and what all providers have in common at their creation. */
#include "provider/provider.h"

#include "provider/echo.h"
#include "provider/remote.h"

static enum errc openai_create(const struct provider_options *o, struct provider **ret,
			       struct err *e)
{
	return remote_create(o, &dialect_openai, ret, e);
}

static enum errc lmc_create(const struct provider_options *o, struct provider **ret, struct err *e)
{
	return remote_create(o, &dialect_lmc, ret, e);
}

/* A new dialect is one row here (and its name in provider_dialects). */
static const struct {
	const char *name;
	enum errc (*create)(const struct provider_options *o, struct provider **ret, struct err *e);
	unsigned takes;
} dialects[] = {
	{ "echo", echo_create, PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF },
	{ "openai", openai_create, PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF },
	{ "lmc", lmc_create, PROVIDER_IMAGES | PROVIDER_AUDIO },
};

const char *provider_dialects(void)
{
	return "echo, openai, lmc";
}

static enum errc check_name(const struct provider_options *o, struct err *e)
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

enum errc provider_create(const struct provider_options *o, struct provider **ret, struct err *e)
{
	enum errc rc = check_name(o, e);

	if (rc != ERR_OK)
		return rc;
	for (size_t i = 0; i < ARRAY_LEN(dialects); i++) {
		if (!o->dialect || strcmp(o->dialect, dialects[i].name) != 0)
			continue;

		struct provider *p = NULL;
		rc = dialects[i].create(o, &p, e);
		if (rc != ERR_OK)
			return rc;
		memcpy(p->name, o->name, strlen(o->name) + 1);
		p->takes = dialects[i].takes;
		*ret = p;
		return ERR_OK;
	}
	return err_set(e, ERR_INVALID_VALUE, "dialect", "unknown dialect \"%.40s\"; known are %s",
		       o->dialect ? o->dialect : "", provider_dialects());
}

void provider_destroy(struct provider *p)
{
	if (p)
		p->ops->destroy(p);
}
