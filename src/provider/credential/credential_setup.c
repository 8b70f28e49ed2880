/* Makes the settings of an entry of its options and of the environment, as they are at that time. */
#include "provider/credential/internal.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>

enum { SETUP_MAX = 64 * KIB };

static const struct credential_kind *const kinds[] = { &credential_aws, &credential_google };

const char *setup_text(struct arena *a, const char *fmt, ...)
{
	char    text[4 * KIB];
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof text)
		return NULL;
	return arena_str(a, (struct str){ text, (size_t)n }).p;
}

/* Every member that is a text of its own. */
/* clang-format off */
#define TEXTS(X)                                                              \
	X(kind) X(from) X(region) X(service) X(profile) X(role_arn)           \
	X(external_id) X(session_name) X(file) X(scope) X(key_id) X(secret)   \
	X(token) X(container_token) X(name) X(base_url) X(proxy)
/* clang-format on */

static bool setup_copy(struct credential_setup *s, const struct credential_options *o)
{
	bool ok = true;

#define X(member)                                                        \
	if (o->member) {                                                 \
		s->o.member = arena_str(&s->arena, str_of(o->member)).p; \
		ok = ok && s->o.member;                                  \
	}
	TEXTS(X)
#undef X
#define X(variable)                                                                     \
	{                                                                               \
		const char *value = getenv(#variable);                                  \
		if (value && *value) {                                                  \
			s->env[ENV_##variable] = arena_str(&s->arena, str_of(value)).p; \
			ok = ok && s->env[ENV_##variable];                              \
		}                                                                       \
	}
	CREDENTIAL_VARIABLES(X)
#undef X
	return ok;
}

static void setup_print_text(struct hash_sum *sum, const char *text)
{
	if (text)
		hash_sum_add(sum, text, strlen(text));
	hash_sum_add(sum, text ? "+" : "-", 2); /* with the NUL */
}

static bool setup_print(struct credential_setup *s)
{
	struct hash_sum *sum = hash_sum_begin();

	if (!sum)
		return false;
#define X(member) setup_print_text(sum, s->o.member);
	TEXTS(X)
#undef X
	for (size_t i = 0; i < ENV__COUNT; i++)
		setup_print_text(sum, s->env[i]);
	hash_sum_end(sum, s->print);
	hash_sum_destroy(sum);
	return true;
}

/* --- the region --- */

/* region_of: the label of the host name after the one that begins with "bedrock": of
 * bedrock-runtime.eu-central-1.amazonaws.com, also after the name of a VPC's endpoint. */
static struct str region_of(const char *url, struct str *ret_label)
{
	const char *at = strstr(url, "://");

	at = at ? at + 3 : url;
	const char *end = at + strcspn(at, ":/?");
	while (at < end) {
		struct str  label = { at, strcspn(at, ".:/?") };
		const char *next = label.p + label.n + 1;

		if (str_starts(label, STR("bedrock")) && next < end) {
			*ret_label = label;
			return (struct str){ next, strcspn(next, ".:/?") };
		}
		at = next;
	}
	*ret_label = STR_NONE;
	return STR_NONE;
}

static bool setup_is_word(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n > 0 && n <= 64 && text[n] == '\0';
}

/* setup_place: region and service of AWS.  Two SDKs sign for bedrock-mantle under that name (openai-python,
 * anthropic-sdk-python), and for all other hosts of Bedrock as bedrock. */
static enum errc setup_place(struct credential_setup *s, struct err *e)
{
	struct str label;
	struct str region = region_of(s->o.base_url ? s->o.base_url : "", &label);

	if (!s->o.service)
		s->o.service =
			str_starts(label, STR("bedrock-mantle")) ? "bedrock-mantle" : "bedrock";
	if (!s->o.region && region.n > 0)
		s->o.region = arena_str(&s->arena, region).p;
	if (!s->o.region)
		s->o.region = s->env[ENV_AWS_REGION] ? s->env[ENV_AWS_REGION]
						     : s->env[ENV_AWS_DEFAULT_REGION];
	if (!s->o.region)
		return err_set(e, ERR_INVALID_VALUE, "auth",
			       "needs a region: the host of base_url names none, and neither "
			       "does AWS_REGION");
	if (!setup_is_word(s->o.region))
		return err_set(e, ERR_INVALID_VALUE, "auth.region",
			       "'%.60s' is no region, as eu-central-1", s->o.region);
	if (!setup_is_word(s->o.service))
		return err_set(e, ERR_INVALID_VALUE, "auth.service",
			       "'%.60s' is no name of a service, as bedrock", s->o.service);
	return ERR_OK;
}

/* --- the source --- */

/* setup_source: NULL for auto. */
static enum errc setup_source(struct credential_setup *s, struct err *e)
{
	const char *from = s->o.from ? s->o.from : "auto";
	char        all[160] = "auto";
	size_t      n = strlen(all);

	if (strcmp(from, "auto") == 0)
		return ERR_OK;
	for (const struct credential_source *x = s->kind->sources; x->name; x++) {
		if (strcmp(x->name, from) == 0) {
			s->source = x;
			return ERR_OK;
		}
		n += (size_t)snprintf(all + n, sizeof all - n, ", %s", x->name);
	}
	return err_set(e, ERR_INVALID_VALUE, "auth.from", "must be one of %s", all);
}

/* setup_try: whether what the source needs is on this machine; no host is asked. */
static enum errc setup_try(const struct credential_setup *s, struct err *e)
{
	struct refresh r;
	struct err     why;

	refresh_init(&r, s);
	r.dry = true;
	enum errc rc = refresh_get(&r, &why);
	refresh_finish(&r);
	if (rc == ERR_OK || rc == ERR_CANCELLED)
		return ERR_OK;
	return err_set(e, ERR_INVALID_VALUE,
		       s->o.file      ? "auth.file"
		       : s->o.profile ? "auth.profile"
				      : "auth",
		       "%s", why.text);
}

enum errc setup_check(const struct credential_options *o, struct credential_setup *ret,
		      struct err *e)
{
	*ret = (struct credential_setup){ .kind = NULL };
	arena_init(&ret->arena, SETUP_MAX);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (o->kind && strcmp(o->kind, kinds[i]->name) == 0)
			ret->kind = kinds[i];
	if (!ret->kind)
		return err_set(e, ERR_INVALID_VALUE, "auth.kind",
			       "must be aws or google; without `auth`, the entry has a key");
	if (!setup_copy(ret, o))
		return err_no_memory(e);

	enum errc rc = ret->kind->check(o, e);
	if (rc == ERR_OK)
		rc = setup_source(ret, e);
	return rc == ERR_OK && ret->kind == &credential_aws ? setup_place(ret, e) : rc;
}

enum errc setup_make(const struct credential_options *o, struct credential_setup *ret,
		     struct err *e)
{
	enum errc rc = setup_check(o, ret, e);

	if (rc == ERR_OK)
		rc = setup_try(ret, e);
	if (rc == ERR_OK && !setup_print(ret))
		rc = err_no_memory(e);
	return rc;
}

void setup_finish(struct credential_setup *s)
{
	const char *const secrets[] = { s->o.secret, s->o.token, s->o.container_token };

	/* They are copies in our own arena. */
	for (size_t i = 0; s->arena.blocks && i < ARRAY_LEN(secrets); i++)
		if (secrets[i])
			explicit_bzero((char *)(uintptr_t)secrets[i], strlen(secrets[i]));
	arena_finish(&s->arena);
}
