/* Tokens by the files that Google's tools write, one function for each type.  Source: google-auth, whose requests these
 * are; RFC 7523 (JWT), RFC 6749 (refresh), RFC 8693 (exchange). */
#include "provider/credential/internal.h"

#include "base/clock.h"
#include "base/limits.h"

#include <stdio.h>

#define TOKEN_URI "https://oauth2.googleapis.com/token"
#define FORM      "Content-Type: application/x-www-form-urlencoded"

enum { LIFETIME_S = 3600 };

/* A form under way; text NULL: no memory. */
static const char *google_put(struct refresh *r, const char *form, const char *name,
			      const char *value)
{
	const char *text = value ? refresh_encode(r, value) : NULL;
	size_t      size = form && text ? strlen(form) + strlen(name) + strlen(text) + 3 : 0;
	char       *ret = size > 0 ? arena_alloc(&r->arena, size) : NULL;

	if (ret)
		snprintf(ret, size, "%s%s%s=%s", form, *form ? "&" : "", name, text);
	return ret;
}

/* --- answers --- */

/* token_words: {"error", "error_description"}, or {"error": {"message"}} */
static struct str token_words(struct refresh *r, const struct json_doc *d)
{
	json_at     error = json_get(d, 0, "error");
	const char *code = refresh_member(r, d, 0, "error");
	const char *text = refresh_member(r, d, 0, "error_description");

	if (json_is_kind(d, error, JSON_OBJECT))
		text = refresh_member(r, d, error, "message");
	const char *ret = setup_text(&r->arena, "%.60s%s%.300s", code ? code : "",
				     code && text ? ": " : "", text ? text : "");
	return str_of(ret ? ret : "");
}

/* take_token: names of the members; ends: seconds from now, or a time. */
static enum errc take_token(struct refresh *r, const char *who, long status, struct str body,
			    const char *token, const char *ends, struct err *e)
{
	struct json_doc d = { 0 };
	struct err      why;
	enum errc       rc = ERR_OK;
	int64_t         left_s = 0;

	bool good = json_scan(&d, body.p, body.n, &json_limits_upstream, &why) == ERR_OK &&
		    json_kind(&d, 0) == JSON_OBJECT;
	r->token = status == 200 && good ? refresh_member(r, &d, 0, token) : NULL;
	refresh_hide(r, r->token);
	if (!r->token || strpbrk(r->token, "\r\n")) {
		rc = refresh_fail(r, e, good ? token_words(r, &d) : STR_NONE,
				  "%s answered with status %ld and no token", who, status);
	} else if (json_int(&d, json_get(&d, 0, ends), &left_s) && left_s > 0 &&
		   left_s < INT32_MAX) {
		r->expires_s = clock_wall_ms() / 1000 + left_s;
	} else {
		const char *time = refresh_member(r, &d, 0, ends);

		r->expires_s = time ? refresh_time(time) : 0;
		if (r->expires_s == 0)
			r->expires_s = clock_wall_ms() / 1000 + LIFETIME_S;
	}
	json_doc_finish(&d);
	return rc;
}

enum errc google_take(struct refresh *r, const char *who, long status, struct str body,
		      struct err *e)
{
	return take_token(r, who, status, body, "access_token", "expires_in", e);
}

/* token_post: a form, or NULL where there was no memory for it.  line: a further header line, or NULL. */
static enum errc token_post(struct refresh *r, const char *who, const char *url, const char *form,
			    const char *line, struct err *e)
{
	struct str body = STR_NONE;
	long       status = 0;

	if (!form)
		return err_no_memory(e);
	enum errc rc = refresh_fetch(r,
				     &(struct refresh_ask){ .who = who,
							    .method = "POST",
							    .url = url,
							    .lines = { FORM, line },
							    .body = str_of(form) },
				     &status, &body, e);
	return rc == ERR_OK ? google_take(r, who, status, body, e) : rc;
}

/* google_need: a member that the file must have. */
static enum errc google_need(struct refresh *r, const struct json_doc *d, json_at at,
			     const char *name, const char **ret, struct err *e)
{
	*ret = refresh_member(r, d, at, name);
	return *ret ? ERR_OK
		    : refresh_fail(r, e, STR_NONE, "the file of credentials has no %s", name);
}

/* google_url: an address of the file; a secret goes there. */
static enum errc google_url(struct refresh *r, const struct json_doc *d, json_at at,
			    const char *name, const char *otherwise, const char **ret,
			    struct err *e)
{
	*ret = refresh_member(r, d, at, name);
	if (!*ret)
		*ret = otherwise;
	if (*ret && (strncmp(*ret, "https://", 8) == 0 || strncmp(*ret, "http://", 7) == 0) &&
	    !strpbrk(*ret, " \r\n\t"))
		return ERR_OK;
	return refresh_fail(r, e, STR_NONE, "the file of credentials has no address in %s", name);
}

/* --- a service account: an assertion that it signs itself --- */

static enum errc get_service_account(struct refresh *r, const struct json_doc *d, json_at at,
				     struct err *e)
{
	struct rs256_claims claims = { .audience = TOKEN_URI,
				       .scope = google_scope(r),
				       .key_id = refresh_member(r, d, at, "private_key_id"),
				       .now_s = clock_wall_ms() / 1000,
				       .lifetime_s = LIFETIME_S };
	const char         *key, *url, *form = NULL;
	struct buf          assertion;
	enum errc           rc = google_need(r, d, at, "client_email", &claims.issuer, e);

	if (rc == ERR_OK)
		rc = google_need(r, d, at, "private_key", &key, e);
	if (rc == ERR_OK)
		rc = google_url(r, d, at, "token_uri", TOKEN_URI, &url, e);
	if (rc != ERR_OK)
		return rc;
	refresh_hide(r, key);
	buf_init(&assertion, 32 * KIB);
	if (!claims.scope)
		rc = err_no_memory(e);
	else if (!rs256_assertion(&claims, str_of(key), &assertion) || !buf_add(&assertion, "", 1))
		rc = refresh_fail(r, e, STR_NONE,
				  "the private_key of %.100s is no RSA key of 2048 bits or more",
				  claims.issuer);
	else
		form = google_put(r, google_put(r, "", "assertion", assertion.data), "grant_type",
				  "urn:ietf:params:oauth:grant-type:jwt-bearer");
	buf_finish(&assertion);
	r->source = "service_account";
	return rc == ERR_OK ? token_post(r, "Google's token endpoint", url, form, NULL, e) : rc;
}

/* --- a person: a refresh token --- */

static enum errc get_authorized_user(struct refresh *r, const struct json_doc *d, json_at at,
				     struct err *e)
{
	const char *id, *secret, *token, *url;
	enum errc   rc = google_need(r, d, at, "client_id", &id, e);

	if (rc == ERR_OK)
		rc = google_need(r, d, at, "client_secret", &secret, e);
	if (rc == ERR_OK)
		rc = google_need(r, d, at, "refresh_token", &token, e);
	if (rc == ERR_OK)
		rc = google_url(r, d, at, "token_uri", TOKEN_URI, &url, e);
	if (rc != ERR_OK)
		return rc;
	refresh_hide(r, secret);
	refresh_hide(r, token);
	const char *form = google_put(r, "", "grant_type", "refresh_token");
	form = google_put(r, form, "client_id", id);
	form = google_put(r, form, "client_secret", secret);
	form = google_put(r, form, "refresh_token", token);
	r->source = "authorized_user";
	return token_post(r, "Google's token endpoint", url, form, NULL, e);
}

/* --- somebody else's identity: a token that is exchanged --- */

/* subject_of: the token in a text, which is the text itself or a member of it. */
static enum errc subject_of(struct refresh *r, const struct json_doc *d, json_at source,
			    struct str text, const char **ret, struct err *e)
{
	json_at         format = json_get(d, source, "format");
	struct json_doc own = { 0 };
	struct err      why;

	*ret = NULL;
	if (json_get_is(d, format, "type", "json")) {
		const char *name = refresh_member(r, d, format, "subject_token_field_name");

		if (name &&
		    json_scan(&own, text.p, text.n, &json_limits_upstream, &why) == ERR_OK &&
		    json_kind(&own, 0) == JSON_OBJECT)
			*ret = refresh_member(r, &own, 0, name);
		json_doc_finish(&own);
	} else {
		text = str_trim(text);
		*ret = text.n > 0 && !memchr(text.p, '\0', text.n) ? arena_str(&r->arena, text).p
								   : NULL;
	}
	refresh_hide(r, *ret);
	return *ret ? ERR_OK : refresh_fail(r, e, STR_NONE, "the credential_source gives no token");
}

/* source_lines: the header lines that the source's address wants. */
static void source_lines(struct refresh *r, const struct json_doc *d, json_at source,
			 struct refresh_ask *ask)
{
	json_at headers = json_get(d, source, "headers");
	size_t  n = 0;

	if (!json_is_kind(d, headers, JSON_OBJECT))
		return;
	JSON_EACH_MEMBER (i, d, headers) {
		struct str name, value;

		if (n == ARRAY_LEN(ask->lines) || !json_text(d, i, &r->arena, &name) ||
		    !json_text(d, json_value(i), &r->arena, &value))
			return;
		const char *line =
			setup_text(&r->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(value));
		if (!line || strpbrk(line, "\r\n"))
			return;
		refresh_hide(r, line);
		ask->lines[n++] = line;
	}
}

static enum errc subject_token(struct refresh *r, const struct json_doc *d, json_at at,
			       const char **ret, struct err *e)
{
	json_at     source = json_get(d, at, "credential_source");
	const char *file = refresh_member(r, d, source, "file");
	const char *url = refresh_member(r, d, source, "url");
	struct str  text = STR_NONE;
	long        status = 200;
	enum errc   rc;

	if (refresh_member(r, d, source, "environment_id") ||
	    json_is_kind(d, json_get(d, source, "executable"), JSON_OBJECT))
		return refresh_fail(r, e, STR_NONE,
				    "a credential_source of AWS or of a program is not supported; "
				    "one with a file or a url is");
	if (file) {
		rc = refresh_read(r, file, false, &text, e);
	} else if (url) {
		struct refresh_ask ask = {
			.who = "the credential_source", .method = "GET", .url = url, .near = true
		};

		source_lines(r, d, source, &ask);
		rc = refresh_fetch(r, &ask, &status, &text, e);
	} else {
		return refresh_fail(r, e, STR_NONE,
				    "the credential_source has neither a file nor a url");
	}
	if (rc == ERR_OK && status != 200)
		return refresh_fail(r, e, STR_NONE,
				    "the credential_source answered with status %ld", status);
	return rc == ERR_OK ? subject_of(r, d, source, text, ret, e) : rc;
}

/* bearer_line: as long as the token.  NULL: no memory. */
static const char *bearer_line(struct refresh *r)
{
	static const char before[] = "Authorization: Bearer ";
	size_t            size = sizeof before + strlen(r->token);
	char             *ret = arena_alloc(&r->arena, size);

	if (ret)
		snprintf(ret, size, "%s%s", before, r->token);
	return ret;
}

/* take_on_account: replaces the token by one of the service account in the address. */
static enum errc take_on_account(struct refresh *r, const char *url, struct err *e)
{
	const char *scope = google_scope(r);
	const char *line = bearer_line(r);
	const char *json = scope ? setup_text(&r->arena,
					      "{\"delegates\": [], \"scope\": [\"%s\"], "
					      "\"lifetime\": \"3600s\"}",
					      scope)
				 : NULL;
	struct str  body = STR_NONE;
	long        status = 0;

	if (!line || !json)
		return err_no_memory(e);
	refresh_hide(r, line);
	enum errc rc = refresh_fetch(
		r,
		&(struct refresh_ask){ .who = "Google's IAM credentials",
				       .method = "POST",
				       .url = url,
				       .lines = { "Content-Type: application/json", line },
				       .body = str_of(json) },
		&status, &body, e);
	if (rc != ERR_OK)
		return rc;
	r->via = "impersonation";
	return take_token(r, "Google's IAM credentials", status, body, "accessToken", "expireTime",
			  e);
}

static enum errc get_external_account(struct refresh *r, const struct json_doc *d, json_at at,
				      struct err *e)
{
	const char *audience, *type, *url, *token = NULL, *as = NULL;
	enum errc   rc = google_need(r, d, at, "audience", &audience, e);

	if (rc == ERR_OK)
		rc = google_need(r, d, at, "subject_token_type", &type, e);
	if (rc == ERR_OK)
		rc = google_url(r, d, at, "token_url", "https://sts.googleapis.com/v1/token", &url,
				e);
	if (rc == ERR_OK && json_get(d, at, "service_account_impersonation_url") != JSON_ABSENT)
		rc = google_url(r, d, at, "service_account_impersonation_url", NULL, &as, e);
	if (rc == ERR_OK)
		rc = subject_token(r, d, at, &token, e);
	if (rc != ERR_OK)
		return rc;
	const char *form =
		google_put(r, "", "grant_type", "urn:ietf:params:oauth:grant-type:token-exchange");
	form = google_put(r, form, "audience", audience);
	form = google_put(r, form, "scope",
			  as ? "https://www.googleapis.com/auth/cloud-platform" : google_scope(r));
	form = google_put(r, form, "requested_token_type",
			  "urn:ietf:params:oauth:token-type:access_token");
	form = google_put(r, form, "subject_token", token);
	form = google_put(r, form, "subject_token_type", type);
	r->source = "external_account";
	rc = token_post(r, "Google's STS", url, form, NULL, e);
	return rc == ERR_OK && as ? take_on_account(r, as, e) : rc;
}

/* --- the file --- */

static enum errc get_impersonated(struct refresh *r, const struct json_doc *d, json_at at,
				  struct err *e)
{
	json_at     source = json_get(d, at, "source_credentials");
	const char *as;
	enum errc   rc = google_url(r, d, at, "service_account_impersonation_url", NULL, &as, e);

	if (rc == ERR_OK && (!json_is_kind(d, source, JSON_OBJECT) ||
			     json_get_is(d, source, "type", "impersonated_service_account")))
		return refresh_fail(r, e, STR_NONE,
				    "the file of credentials has no source_credentials of a "
				    "person, a service account or an external account");
	if (rc == ERR_OK)
		rc = google_token_of(r, d, source, e);
	return rc == ERR_OK ? take_on_account(r, as, e) : rc;
}

enum errc google_token_of(struct refresh *r, const struct json_doc *d, json_at at, struct err *e)
{
	static const struct {
		const char *type;
		enum errc (*get)(struct refresh *r, const struct json_doc *d, json_at at,
				 struct err *e);
	} types[] = {
		{ "service_account", get_service_account },
		{ "authorized_user", get_authorized_user },
		{ "external_account", get_external_account },
		{ "impersonated_service_account", get_impersonated },
	};
	const char *type = refresh_member(r, d, at, "type");
	const char *own = refresh_env(r, ENV_GOOGLE_CLOUD_QUOTA_PROJECT);

	/* Google counts a person's calls for the project that is named. */
	if (!r->project)
		r->project = own ? own : refresh_member(r, d, at, "quota_project_id");
	for (size_t i = 0; type && i < ARRAY_LEN(types); i++)
		if (strcmp(types[i].type, type) == 0)
			return types[i].get(r, d, at, e);
	return refresh_fail(r, e, STR_NONE,
			    "the file of credentials has a type that is not supported: %.60s",
			    type ? type : "none");
}
