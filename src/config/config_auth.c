/* The map `auth` of a provider: where its keys are fetched. */
#include "config/internal.h"

#include "base/limits.h"
#include "provider/credential.h"

#define AT(m) offsetof(struct credential_options, m)
/* clang-format off */
static const struct config_field auth_fields[] = {
	{ "kind",         { CONFIG_CHOICE, 1, 64, "aws,google,key" }, AT(kind) },
	{ "from",         { CONFIG_STRING, 1, 64, "" },               AT(from) },
	{ "region",       { CONFIG_STRING, 1, 64, "" },               AT(region) },
	{ "service",      { CONFIG_STRING, 1, 64, "" },               AT(service) },
	{ "profile",      { CONFIG_STRING, 1, 128, "" },              AT(profile) },
	{ "role_arn",     { CONFIG_STRING, 1, 2048, "" },             AT(role_arn) },
	{ "external_id",  { CONFIG_STRING, 1, 1224, "" },             AT(external_id) },
	{ "session_name", { CONFIG_STRING, 2, 64, "" },               AT(session_name) },
	{ "file",         { CONFIG_STRING, 1, 4095, "" },             AT(file) },
	{ "scope",        { CONFIG_STRING, 1, 1024, "" },             AT(scope) },
};
/* clang-format on */
#undef AT

/* auth_secret: NULL: not set. */
static const char *auth_secret(const struct config *c, const char *name)
{
	if (c->memory->needs_secrets)
		return config_secret_env(name);
	return "not read";
}

/* auth_keep: a copy that lives as long as c, and is wiped. */
static enum errc auth_keep(struct config *c, const char *name, const char **ret, struct err *e)
{
	const char *value = auth_secret(c, name);
	char       *copy = value ? strdup(value) : NULL;

	if (!value)
		return ERR_OK;
	return copy ? config_memory_secret_take(c, copy, ret, e) : err_no_memory(e);
}

static enum errc auth_secrets(struct config *c, struct credential_options *o, struct err *e)
{
	enum errc rc = auth_keep(c, "AWS_ACCESS_KEY_ID", &o->key_id, e);

	if (rc == ERR_OK)
		rc = auth_keep(c, "AWS_SECRET_ACCESS_KEY", &o->secret, e);
	if (rc == ERR_OK)
		rc = auth_keep(c, "AWS_SESSION_TOKEN", &o->token, e);
	if (rc == ERR_OK)
		rc = auth_keep(c, "AWS_CONTAINER_AUTHORIZATION_TOKEN", &o->container_token, e);
	return rc;
}

enum errc config_auth_read(struct config *c, const struct config_node *map,
			   const struct credential_options **ret, struct err *e)
{
	static const struct config_row auth = { auth_fields, ARRAY_LEN(auth_fields), NULL };
	struct credential_options     *o = config_memory_alloc(c, sizeof *o, e);

	if (!o)
		return ERR_INTERNAL;
	enum errc rc = config_row_read(c, map, &auth, o, e);
	if (rc != ERR_OK || c->memory->mistakes.count > 0)
		return rc;
	if (!o->kind)
		return config_row_fail(c, map, "needs a kind: aws, google or key", e);
	if (strcmp(o->kind, "key") == 0)
		return map->count == 1 ? ERR_OK
				       : config_row_fail(c, map,
							 "`kind: key` stands alone: the key is "
							 "in api_key_env and so on",
							 e);
	if (strcmp(o->kind, "aws") == 0)
		rc = auth_secrets(c, o, e);
	*ret = o;
	return rc;
}

bool config_auth_print(const struct credential_options *o, struct buf *out)
{
	bool ok = !o || buf_text(out, "    auth: {");

	for (size_t i = 0, n = 0; ok && o && i < ARRAY_LEN(auth_fields); i++) {
		const char *value;

		memcpy(&value, (const char *)o + auth_fields[i].offset, sizeof value);
		if (value)
			ok = buf_fmt(out, "%s%s: ", n++ > 0 ? ", " : "", auth_fields[i].name) &&
			     config_put_quoted(out, value);
	}
	return ok && (!o || buf_text(out, "}\n"));
}
