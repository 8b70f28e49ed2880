/* Where tokens of Google come from, in the order of its Application Default Credentials.  Sources: AIP-4110, and
 * google-auth's _default.py. */
#include "provider/credential/internal.h"

#include "base/clock.h"
#include "base/limits.h"

#include <unistd.h>

/* The name has the address 169.254.169.254 on Google's machines. */
#define HOST_METADATA "metadata.google.internal"

/* --- files --- */

/* google_well_known: the file of `gcloud auth application-default login`. */
static const char *google_well_known(struct refresh *r)
{
	const char *folder = refresh_env(r, ENV_CLOUDSDK_CONFIG);
	const char *home = refresh_env(r, ENV_HOME);

	if (folder)
		return setup_text(&r->arena, "%s/application_default_credentials.json", folder);
	return home ? setup_text(&r->arena,
				 "%s/.config/gcloud/application_default_credentials.json", home)
		    : NULL;
}

/* google_file: NULL: there is none. */
static const char *google_file(struct refresh *r)
{
	const char *path = r->setup->o.file;
	const char *known;

	if (!path)
		path = refresh_env(r, ENV_GOOGLE_APPLICATION_CREDENTIALS);
	if (path)
		return path;
	known = google_well_known(r);
	return known && access(known, F_OK) == 0 ? known : NULL;
}

static bool google_file_there(struct refresh *r)
{
	return google_file(r) != NULL;
}

/* google_read: a token by a file whose type is type; NULL: any. */
static enum errc google_read(struct refresh *r, const char *type, struct err *e)
{
	const char     *path = google_file(r);
	struct json_doc d = { 0 };
	struct str      text;
	struct err      why;

	if (!path)
		return refresh_fail(r, e, STR_NONE,
				    "needs a file: neither `file` nor "
				    "GOOGLE_APPLICATION_CREDENTIALS names one");
	enum errc rc = refresh_read(r, path, true, &text, e);
	if (rc != ERR_OK)
		return rc;
	if (json_scan(&d, text.p, text.n, &json_limits_upstream, &why) != ERR_OK ||
	    json_kind(&d, 0) != JSON_OBJECT)
		rc = refresh_fail(r, e, STR_NONE, "%.128s is no JSON object", path);
	else if (type && !json_get_is(&d, 0, "type", type))
		rc = refresh_fail(r, e, STR_NONE, "%.128s is not of the type %s", path, type);
	else
		rc = google_token_of(r, &d, 0, e);
	json_doc_finish(&d);
	return rc;
}

static enum errc google_any_get(struct refresh *r, struct err *e)
{
	return google_read(r, NULL, e);
}

#define TYPE(name)                                                             \
	static enum errc google_##name##_get(struct refresh *r, struct err *e) \
	{                                                                      \
		return google_read(r, #name, e);                               \
	}                                                                      \
	static bool google_##name##_there(struct refresh *r)                   \
	{                                                                      \
		(void)r;                                                       \
		return false;                                                  \
	}
TYPE(service_account)
TYPE(authorized_user)
TYPE(external_account)
TYPE(impersonated_service_account)
#undef TYPE

/* --- the metadata server --- */

static bool google_metadata_there(struct refresh *r)
{
	(void)r;
	return true;
}

static enum errc google_metadata_get(struct refresh *r, struct err *e)
{
	const char *host = refresh_env(r, ENV_GCE_METADATA_HOST);
	const char *scope = google_scope(r);
	const char *scopes = scope ? refresh_encode(r, scope) : NULL;
	struct str  body = STR_NONE;
	long        status = 0;

	const char *url = setup_text(
		&r->arena,
		"http://%s/computeMetadata/v1/instance/service-accounts/default/token?scopes=%s",
		host ? host : HOST_METADATA, scopes ? scopes : "");
	if (!scopes || !url)
		return err_no_memory(e);
	r->source = "metadata";
	enum errc rc = refresh_fetch(r,
				     &(struct refresh_ask){ .who = "Google's metadata server",
							    .method = "GET",
							    .url = url,
							    .lines = { "Metadata-Flavor: Google" },
							    .near = true },
				     &status, &body, e);
	if (rc == ERR_CANCELLED || rc == ERR_OVERLOADED)
		return rc;
	if (rc != ERR_OK)
		return refresh_fail(r, e, str_of(e->text),
				    "no credentials are in the environment or in a file, and this "
				    "is no machine of Google's");
	return google_take(r, "Google's metadata server", status, body, e);
}

static const struct credential_source sources[] = {
	{ "file", google_file_there, google_any_get },
	{ "service_account", google_service_account_there, google_service_account_get },
	{ "authorized_user", google_authorized_user_there, google_authorized_user_get },
	{ "external_account", google_external_account_there, google_external_account_get },
	{ "impersonated_service_account", google_impersonated_service_account_there,
	  google_impersonated_service_account_get },
	{ "metadata", google_metadata_there, google_metadata_get },
	{ .name = NULL },
};

/* --- the kind --- */

static enum errc google_check(const struct credential_options *o, struct err *e)
{
	const struct {
		const char *value;
		const char *path;
	} others[] = {
		{ o->region, "auth.region" },           { o->service, "auth.service" },
		{ o->profile, "auth.profile" },         { o->role_arn, "auth.role_arn" },
		{ o->external_id, "auth.external_id" }, { o->session_name, "auth.session_name" },
	};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (others[i].value)
			return err_set(e, ERR_INVALID_VALUE, others[i].path,
				       "only `kind: aws` has this");
	if (o->file && o->from && strcmp(o->from, "metadata") == 0)
		return err_set(e, ERR_INVALID_VALUE, "auth.file", "`from: metadata` needs no file");
	return ERR_OK;
}

const struct credential_kind credential_google = { "google", sources, google_check, NULL };

const char *google_scope(struct refresh *r)
{
	const char *scope = r->setup->o.scope ? r->setup->o.scope : "cloud-platform";

	/* A short name is the end of the address. */
	return strstr(scope, "://")
		       ? scope
		       : setup_text(&r->arena, "https://www.googleapis.com/auth/%s", scope);
}
