/* Where keys of AWS come from, in the order of its SDKs.  Sources: "Standardized credential providers" of the AWS SDKs
 * and Tools Reference Guide, and botocore. */
#include "provider/credential/internal.h"

#include "base/limits.h"

/* --- the environment --- */

static bool aws_env_there(struct refresh *r)
{
	return r->setup->o.key_id || r->setup->o.secret;
}

enum errc aws_env_get(struct refresh *r, struct err *e)
{
	const struct credential_options *o = &r->setup->o;

	if (!o->key_id || !o->secret)
		return refresh_fail(r, e, STR_NONE,
				    "the environment does not have both AWS_ACCESS_KEY_ID and "
				    "AWS_SECRET_ACCESS_KEY");
	r->id = o->key_id;
	r->secret = o->secret;
	r->token = o->token;
	r->expires_s = 0;
	r->source = "env";
	return ERR_OK;
}

/* --- a token in a file --- */

static bool aws_web_there(struct refresh *r)
{
	return refresh_env(r, ENV_AWS_WEB_IDENTITY_TOKEN_FILE) && refresh_env(r, ENV_AWS_ROLE_ARN);
}

static enum errc aws_web_get(struct refresh *r, struct err *e)
{
	struct aws_role role = { .arn = refresh_env(r, ENV_AWS_ROLE_ARN),
				 .session = refresh_env(r, ENV_AWS_ROLE_SESSION_NAME) };

	if (!aws_web_there(r))
		return refresh_fail(r, e, STR_NONE,
				    "the environment has no AWS_WEB_IDENTITY_TOKEN_FILE and "
				    "AWS_ROLE_ARN");
	return aws_web_identity(r, &role, refresh_env(r, ENV_AWS_WEB_IDENTITY_TOKEN_FILE), e);
}

/* imds_get: where it is the last place of several, what the others lack is a part of the answer. */
static enum errc imds_get(struct refresh *r, struct err *e)
{
	char why[sizeof e->text];

	enum errc rc = aws_imds_get(r, e);
	if (rc == ERR_OK || r->setup->source)
		return rc;
	memcpy(why, e->text, sizeof why);
	return err_set(e, e->code, NULL,
		       "neither the environment (AWS_ACCESS_KEY_ID) nor the files of ~/.aws have "
		       "credentials, and %s",
		       why);
}

static const struct credential_source sources[] = {
	{ "env", aws_env_there, aws_env_get },
	{ "profile", aws_profile_there, aws_profile_get },
	{ "web_identity", aws_web_there, aws_web_get },
	{ "container", aws_container_there, aws_container_get },
	{ "imds", aws_imds_there, imds_get },
	{ .name = NULL },
};

/* --- the kind --- */

static enum errc aws_refuse(struct err *e, const char *path, const char *what)
{
	return err_set(e, ERR_INVALID_VALUE, path, "%s", what);
}

static enum errc aws_check(const struct credential_options *o, struct err *e)
{
	bool from_profile =
		!o->from || strcmp(o->from, "auto") == 0 || strcmp(o->from, "profile") == 0;

	if (o->file)
		return aws_refuse(e, "auth.file", "only `kind: google` has this");
	if (o->scope)
		return aws_refuse(e, "auth.scope", "only `kind: google` has this");
	if (o->profile && !from_profile)
		return aws_refuse(e, "auth.profile", "needs `from: profile`");
	if (o->role_arn && strncmp(o->role_arn, "arn:", 4) != 0)
		return aws_refuse(e, "auth.role_arn",
				  "must be the ARN of a role, as arn:aws:iam::123456789012:role/x");
	if (o->external_id && !o->role_arn)
		return aws_refuse(e, "auth.external_id", "needs `role_arn`");
	if (o->session_name && !o->role_arn)
		return aws_refuse(e, "auth.session_name", "needs `role_arn`");
	return ERR_OK;
}

static enum errc aws_after(struct refresh *r, struct err *e)
{
	const struct credential_options *o = &r->setup->o;

	if (!o->role_arn)
		return ERR_OK;
	return aws_assume(r,
			  &(struct aws_role){ .arn = o->role_arn,
					      .external_id = o->external_id,
					      .session = o->session_name },
			  e);
}

const struct credential_kind credential_aws = { "aws", sources, aws_check, aws_after };
