/* The table of dialects, and the steps of creation that all providers share. */
#include "provider/provider_create.h"

#include "provider/remote.h"

/* A new dialect needs one row here, */
#define DIALECTS(X)  \
	X(openai)    \
	X(azure)     \
	X(anthropic) \
	X(gemini)    \
	X(mistral)   \
	X(ollama)    \
	X(lmc)
/* or here, if its name is no identifier. */
#define DASHED(X)           X(openai_responses, "openai-responses")

#define SCRATCH_DIALECT(id) extern const struct dialect id;
#include "base/scratch.def"
#undef SCRATCH_DIALECT

#define ROW(name)            &dialect_##name,
#define DASHED_ROW(id, name) &dialect_##id,
#define SCRATCH_DIALECT(id)  &(id),
/* clang-format off */
static const struct dialect *const dialects[] = {
	DIALECTS(ROW) DASHED(DASHED_ROW)
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

	if (strcmp(name, "echo") == 0)
		return echo_create(o, ret, e);
	for (size_t i = 0; i < ARRAY_LEN(dialects); i++) {
		if (strcmp(name, dialects[i]->name) != 0)
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
	return err_set(e, ERR_INVALID_VALUE, "dialect", "unknown dialect \"%.40s\"; known are %s",
		       name, provider_known());
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
	p->retries = o->retries;
	p->total_us = o->total_us;
	p->health = o->health;
	p->mask = mask_ref(o->mask);
	*ret = p;
	return ERR_OK;
}
