/* Keys of a role, from AWS's Security Token Service.  Source: its API reference, version 2011-06-15; answers are XML. */
#include "provider/credential/internal.h"

#include "base/clock.h"
#include "base/limits.h"
#include "provider/credential/sigv4.h"

#include <stdio.h>

/* sts_url: as the SDKs have it: the environment's, else that of the region. */
static const char *sts_url(struct refresh *r, const char *region)
{
	const char *ignored = refresh_env(r, ENV_AWS_IGNORE_CONFIGURED_ENDPOINT_URLS);
	const char *own = refresh_env(r, ENV_AWS_ENDPOINT_URL_STS);
	bool        china = strncmp(region, "cn-", 3) == 0;

	if (!own)
		own = refresh_env(r, ENV_AWS_ENDPOINT_URL);
	if (own && !(ignored && strcmp(ignored, "true") == 0)) {
		size_t n = strlen(own);

		return setup_text(&r->arena, "%s%s", own, own[n - 1] == '/' ? "" : "/");
	}
	return setup_text(&r->arena, "https://sts.%s.amazonaws.com%s/", region, china ? ".cn" : "");
}

static bool sts_is_region(const char *region)
{
	return *region && region[strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* sts_text: the text of the first element of this name; NULL: there is none. */
static const char *sts_text(struct refresh *r, struct str xml, const char *name)
{
	char open[40], close[40];

	snprintf(open, sizeof open, "<%s>", name);
	snprintf(close, sizeof close, "</%s>", name);
	const char *from = memmem(xml.p, xml.n, open, strlen(open));
	if (!from)
		return NULL;
	from += strlen(open);
	const char *end = memmem(from, (size_t)(xml.p + xml.n - from), close, strlen(close));
	if (!end || end == from || memchr(from, '\0', (size_t)(end - from)))
		return NULL;
	return arena_str(&r->arena, (struct str){ from, (size_t)(end - from) }).p;
}

/* sts_words: "AccessDenied: User … is not authorized" */
static struct str sts_words(struct refresh *r, struct str xml)
{
	const char *code = sts_text(r, xml, "Code");
	const char *text = sts_text(r, xml, "Message");
	const char *ret =
		code ? setup_text(&r->arena, "%.60s: %.300s", code, text ? text : "") : NULL;

	return str_of(ret ? ret : "");
}

static enum errc sts_take(struct refresh *r, const char *action, long status, struct str xml,
			  struct err *e)
{
	if (status != 200)
		return refresh_fail(r, e, sts_words(r, xml), "STS refused %s with status %ld",
				    action, status);

	const char *id = sts_text(r, xml, "AccessKeyId");
	const char *secret = sts_text(r, xml, "SecretAccessKey");
	const char *token = sts_text(r, xml, "SessionToken");
	const char *ends = sts_text(r, xml, "Expiration");
	int64_t     expires_s = ends ? refresh_time(ends) : 0;
	if (!id || !secret || !token || expires_s == 0)
		return refresh_fail(r, e, STR_NONE, "STS answered %s without keys", action);
	r->id = id;
	r->secret = secret;
	r->token = token;
	r->expires_s = expires_s;
	refresh_hide(r, secret);
	refresh_hide(r, token);
	return ERR_OK;
}

#define FORM "Content-Type: application/x-www-form-urlencoded; charset=utf-8"

/* sts_sign: the further lines of a request with the keys of r.  NULL: no memory. */
static const char *sts_sign(struct refresh *r, const char *url, const char *host, struct str body,
			    const char *region)
{
	struct sigv4_ask  ask = { .method = "POST",
				  .url = url,
				  .region = region,
				  .service = "sts",
				  .now_s = clock_wall_ms() / 1000 };
	struct sigv4_keys keys = { r->id, r->secret, r->token };
	struct buf        out;
	const char       *ret = NULL;

	ask.head = str_of(setup_text(&r->arena, "%s\r\n" FORM "\r\n", host));
	hash_sha256(body.p, body.n, ask.body);
	buf_init(&out, 2 * (size_t)LIMIT_SECRET);
	if (ask.head.p && sigv4_sign(&ask, &keys, &out))
		ret = arena_str(&r->arena, buf_view(&out)).p;
	buf_finish(&out);
	return ret;
}

/* split_lines: "\r\nA: b\r\nC: d" as texts of their own, in place. */
static void split_lines(char *lines, const char **to, size_t max)
{
	char *line = lines + 2;

	for (size_t i = 0; line && i < max; i++) {
		char *end = strstr(line, "\r\n");

		to[i] = line;
		line = end ? end + 2 : NULL;
		if (end)
			*end = '\0';
	}
}

static enum errc sts_ask(struct refresh *r, const char *action, const char *body, bool sign,
			 const char *region, struct err *e)
{
	const char *url = sts_url(r, region);
	const char *authority = url ? strstr(url, "://") : NULL;
	struct str  xml = STR_NONE;
	long        status = 0;

	if (!url || !body)
		return err_no_memory(e);
	if (!authority || !sts_is_region(region))
		return refresh_fail(r, e, STR_NONE, "STS has no address in the region '%.40s'",
				    region);
	const char *host = setup_text(&r->arena, "Host: %.*s", (int)strcspn(authority + 3, "/?"),
				      authority + 3);
	struct refresh_ask ask = { .who = "STS",
				   .method = "POST",
				   .url = url,
				   .lines = { host, FORM },
				   .body = str_of(body) };
	if (!host)
		return err_no_memory(e);
	if (sign) {
		const char *lines = sts_sign(r, url, host, ask.body, region);

		if (!lines)
			return err_no_memory(e);
		split_lines((char *)(uintptr_t)lines, ask.lines + 2, ARRAY_LEN(ask.lines) - 2);
	}
	enum errc rc = refresh_fetch(r, &ask, &status, &xml, e);
	return rc == ERR_OK ? sts_take(r, action, status, xml, e) : rc;
}

static const char *role_region(const struct refresh *r, const struct aws_role *role)
{
	return role->region ? role->region : r->setup->o.region;
}

/* role_form: the parameters that both actions have. */
static const char *role_form(struct refresh *r, const char *action, const struct aws_role *role)
{
	const char *arn = refresh_encode(r, role->arn);
	const char *session = refresh_encode(r, role->session ? role->session : "parley");

	if (!arn || !session)
		return NULL;
	return setup_text(&r->arena, "Action=%s&Version=2011-06-15&RoleArn=%s&RoleSessionName=%s",
			  action, arn, session);
}

/* form_add: form with a further parameter, which may be long; NULL: no memory, also if form is NULL. */
static const char *form_add(struct refresh *r, const char *form, const char *name,
			    const char *value)
{
	const char *text = refresh_encode(r, value);
	size_t      size = form && text ? strlen(form) + strlen(name) + strlen(text) + 3 : 0;
	char       *ret = size > 0 ? arena_alloc(&r->arena, size) : NULL;

	if (ret)
		snprintf(ret, size, "%s&%s=%s", form, name, text);
	return ret;
}

enum errc aws_assume(struct refresh *r, const struct aws_role *role, struct err *e)
{
	const char *form = role_form(r, "AssumeRole", role);

	if (role->external_id)
		form = form_add(r, form, "ExternalId", role->external_id);
	enum errc rc = sts_ask(r, "AssumeRole", form, true, role_region(r, role), e);
	if (rc == ERR_OK)
		r->via = role->arn;
	return rc;
}

enum errc aws_web_identity(struct refresh *r, const struct aws_role *role, const char *token_file,
			   struct err *e)
{
	const char *token;
	enum errc   rc = refresh_read_line(r, token_file, &token, e);

	if (rc != ERR_OK)
		return rc;
	const char *form = form_add(r, role_form(r, "AssumeRoleWithWebIdentity", role),
				    "WebIdentityToken", token);
	rc = sts_ask(r, "AssumeRoleWithWebIdentity", form, false, role_region(r, role), e);
	if (rc == ERR_OK)
		r->source = "web_identity";
	return rc;
}
