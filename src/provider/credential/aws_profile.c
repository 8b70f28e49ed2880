/* Keys from the files that the AWS tools share: ~/.aws/config and ~/.aws/credentials. */
#include "provider/credential/internal.h"

#include "base/limits.h"

#include <strings.h>

enum { DEPTH = 5 }; /* profiles that name each other */

/* The members of a profile; NULL: it does not have one. */
struct profile {
	bool        found;
	const char *id, *secret, *token;
	const char *role_arn, *source, *credential_source;
	const char *external_id, *session, *web_token, *region;
	const char *process, *sso;
};

static const struct {
	const char *name;
	size_t      offset;
} members[] = {
	{ "aws_access_key_id", offsetof(struct profile, id) },
	{ "aws_secret_access_key", offsetof(struct profile, secret) },
	{ "aws_session_token", offsetof(struct profile, token) },
	{ "role_arn", offsetof(struct profile, role_arn) },
	{ "source_profile", offsetof(struct profile, source) },
	{ "credential_source", offsetof(struct profile, credential_source) },
	{ "external_id", offsetof(struct profile, external_id) },
	{ "role_session_name", offsetof(struct profile, session) },
	{ "web_identity_token_file", offsetof(struct profile, web_token) },
	{ "region", offsetof(struct profile, region) },
	{ "credential_process", offsetof(struct profile, process) },
	{ "sso_session", offsetof(struct profile, sso) },
	{ "sso_start_url", offsetof(struct profile, sso) },
};

/* --- the files --- */

static const char *home_file(struct refresh *r, enum credential_variable own, const char *name)
{
	const char *path = refresh_env(r, own);
	const char *home = refresh_env(r, ENV_HOME);

	if (path && path[0] == '~' && path[1] == '/' && home)
		return setup_text(&r->arena, "%s%s", home, path + 1);
	return path ? path : home ? setup_text(&r->arena, "%s/.aws/%s", home, name) : NULL;
}

/* is_section: whether [head] is the profile's; config says [profile NAME], but [default]. */
static bool is_section(struct str head, const char *name, bool config)
{
	struct str word = STR("profile");

	head = str_trim(head);
	if (str_is(head, name))
		return !config || strcmp(name, "default") == 0;
	if (!config || head.n <= word.n || !str_starts(head, word) || head.p[word.n] > ' ')
		return false;
	head = str_trim((struct str){ head.p + word.n, head.n - word.n });
	if (head.n > 1 && head.p[0] == '"' && head.p[head.n - 1] == '"')
		head = (struct str){ head.p + 1, head.n - 2 };
	return str_is(head, name);
}

static void take_member(struct refresh *r, struct profile *p, struct str line)
{
	const char *equals = memchr(line.p, '=', line.n);

	if (!equals)
		return;
	struct str name = str_trim((struct str){ line.p, (size_t)(equals - line.p) });
	struct str value =
		str_trim((struct str){ equals + 1, (size_t)(line.p + line.n - equals - 1) });
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		if (strlen(members[i].name) != name.n ||
		    strncasecmp(members[i].name, name.p, name.n) != 0 || value.n == 0)
			continue;
		const char *text = arena_str(&r->arena, value).p;

		memcpy((char *)p + members[i].offset, &text, sizeof(const char *));
	}
}

/* take_file: an indented line belongs to a nested member (`s3 =`), which is none of ours. */
static void take_file(struct refresh *r, struct str text, const char *name, bool config,
		      struct profile *p)
{
	bool inside = false;

	while (text.n > 0) {
		const char *end = memchr(text.p, '\n', text.n);
		struct str  line = { text.p, end ? (size_t)(end - text.p) : text.n };
		size_t      n = line.n + (end ? 1 : 0);

		if (line.n > 0 && line.p[0] == '[') {
			const char *close = memchr(line.p, ']', line.n);

			inside = close && is_section((struct str){ line.p + 1,
								   (size_t)(close - line.p - 1) },
						     name, config);
			p->found = p->found || inside;
		} else if (inside && line.n > 0 && !strchr(" \t#;", line.p[0])) {
			take_member(r, p, line);
		}
		text = (struct str){ text.p + n, text.n - n };
	}
}

/* read_profile: what the file of credentials says goes before the other's. */
static void read_profile(struct refresh *r, const char *name, struct profile *ret)
{
	static const struct {
		enum credential_variable own;
		const char              *name;
	} files[] = {
		{ ENV_AWS_CONFIG_FILE, "config" },
		{ ENV_AWS_SHARED_CREDENTIALS_FILE, "credentials" },
	};

	*ret = (struct profile){ .found = false };
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		const char *path = home_file(r, files[i].own, files[i].name);
		struct str  text;
		struct err  e;

		if (path && refresh_read(r, path, true, &text, &e) == ERR_OK)
			take_file(r, text, name, i == 0, ret);
	}
	refresh_hide(r, ret->secret);
	refresh_hide(r, ret->token);
}

/* --- what a profile stands for --- */

static enum errc get_profile(struct refresh *r, const char *name, int depth, struct err *e);

static enum errc take_static(struct refresh *r, const struct profile *p, const char *name,
			     struct err *e)
{
	if (!p->id || !p->secret)
		return refresh_fail(r, e, STR_NONE, "the profile '%.60s' has no keys%s", name,
				    p->sso       ? "; sso is not supported"
				    : p->process ? "; credential_process is not supported"
						 : "");
	r->id = p->id;
	r->secret = p->secret;
	r->token = p->token;
	r->expires_s = 0;
	r->source = "profile";
	return ERR_OK;
}

static enum errc take_named_source(struct refresh *r, const struct profile *p, const char *name,
				   struct err *e)
{
	if (strcmp(p->credential_source, "Environment") == 0)
		return aws_env_get(r, e);
	if (strcmp(p->credential_source, "EcsContainer") == 0)
		return aws_container_get(r, e);
	if (strcmp(p->credential_source, "Ec2InstanceMetadata") == 0)
		return aws_imds_get(r, e);
	return refresh_fail(r, e, STR_NONE,
			    "the profile '%.60s' has the credential_source '%.40s', which is none "
			    "of Environment, EcsContainer, Ec2InstanceMetadata",
			    name, p->credential_source);
}

static enum errc take_role(struct refresh *r, const struct profile *p, const char *name, int depth,
			   struct err *e)
{
	struct aws_role role = { p->role_arn, p->external_id, p->session, p->region };
	enum errc       rc;

	if (p->web_token)
		return aws_web_identity(r, &role, p->web_token, e);
	if (!p->source && !p->credential_source)
		return refresh_fail(r, e, STR_NONE,
				    "the profile '%.60s' has a role_arn, but no source_profile, "
				    "credential_source or web_identity_token_file",
				    name);
	if (p->credential_source)
		rc = take_named_source(r, p, name, e);
	else if (strcmp(p->source, name) == 0)
		rc = take_static(r, p, name, e);
	else
		rc = get_profile(r, p->source, depth + 1, e);
	return rc == ERR_OK ? aws_assume(r, &role, e) : rc;
}

static enum errc get_profile(struct refresh *r, const char *name, int depth, struct err *e)
{
	struct profile p;

	if (depth > DEPTH)
		return refresh_fail(r, e, STR_NONE,
				    "more than %d profiles name each other by source_profile",
				    DEPTH);
	read_profile(r, name, &p);
	if (!p.found)
		return refresh_fail(r, e, STR_NONE,
				    "neither ~/.aws/config nor ~/.aws/credentials (or "
				    "AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE) has a profile "
				    "'%.60s'",
				    name);
	return p.role_arn ? take_role(r, &p, name, depth, e) : take_static(r, &p, name, e);
}

static const char *wanted_profile(const struct refresh *r)
{
	return r->setup->o.profile ? r->setup->o.profile : refresh_env(r, ENV_AWS_PROFILE);
}

bool aws_profile_there(struct refresh *r)
{
	struct profile p;

	if (wanted_profile(r))
		return true;
	read_profile(r, "default", &p);
	return p.role_arn || (p.id && p.secret);
}

enum errc aws_profile_get(struct refresh *r, struct err *e)
{
	const char *name = wanted_profile(r);

	return get_profile(r, name ? name : "default", 0, e);
}
