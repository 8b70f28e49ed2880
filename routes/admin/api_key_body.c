/* Checks request bodies about API keys. */
#include "routes/admin/api_key_body.h"
#include "base/identity.h"

#include "base/limits.h"
#include "routes/kit/check.h"
#include "schema/schema.h"
#include "store/api_key.h"

enum errc api_key_body_scopes(struct input *in, json_at list, unsigned *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	unsigned               scopes = 0;
	size_t                 n = 0;

	for (json_at i = json_first(d, list); i != json_end(d, list); i = json_next(d, i), n++) {
		struct str name = STR_NONE;
		char       path[160];

		check_path(path, "scopes[%zu]", n);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (!json_text(d, i, &in->arena, &name) || scope_find(name) == 0)
			return err_set(e, ERR_INVALID_VALUE, path,
				       "must be one of chat, read, files, execute, admin");
		scopes |= scope_find(name);
	}
	*ret = scopes;
	return ERR_OK;
}

static enum errc set_scopes(struct input *in, json_at list, struct api_key_write *w, struct err *e)
{
	if (list == JSON_ABSENT)
		return ERR_OK;
	w->scopes_set = true;
	return api_key_body_scopes(in, list, &w->scopes, e);
}

static enum errc set_models(struct input *in, json_at list, struct api_key_write *w, struct err *e)
{
	const struct json_doc *d = &in->doc;
	size_t                 n = 0;

	if (list == JSON_ABSENT)
		return ERR_OK;
	w->models_set = true;
	w->models = json_raw(d, list);
	for (json_at i = json_first(d, list); i != json_end(d, list); i = json_next(d, i), n++) {
		struct str name = STR_NONE;
		char       path[160];

		check_path(path, "models[%zu]", n);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (!json_text(d, i, &in->arena, &name) || name.n == 0 || name.n > LIMIT_MODEL ||
		    memchr(name.p, '\0', name.n))
			return err_set(e, ERR_INVALID_VALUE, path,
				       "must be the name of a model, of 1 to %d bytes",
				       LIMIT_MODEL);
		const char *star = memchr(name.p, '*', name.n);
		if (star && star != name.p + name.n - 1)
			return err_set(e, ERR_INVALID_VALUE, path, "may have a * only at its end");
		if (str_is(name, "*"))
			w->models = STR_NONE; /* all */
	}
	return ERR_OK;
}

static enum errc key_body_set_name(struct str name, struct api_key_write *w, struct err *e)
{
	w->name_set = name.p != NULL;
	w->name = name;
	for (size_t i = 0; name.p && i < name.n; i++)
		if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
			return err_set(e, ERR_INVALID_VALUE, "name",
				       "must not have control characters");
	return ERR_OK;
}

static enum errc set_end(int64_t at_s, int64_t in_s, struct api_key_write *w, struct err *e)
{
	if (at_s >= 0 && in_s >= 0)
		return err_set(e, ERR_INVALID_VALUE, "expires_in",
			       "must not be given together with expires_at");
	w->expires_set = at_s >= 0 || in_s >= 0;
	w->expires_ms = in_s >= 0 ? w->now_ms + in_s * 1000 : at_s > 0 ? at_s * 1000 : 0;
	if (w->expires_ms > 0 && w->expires_ms <= w->now_ms)
		return err_set(
			e, ERR_INVALID_VALUE, "expires_at",
			"must be a time in the future, in seconds since 1970, or 0 for never");
	return ERR_OK;
}

static enum errc set_metadata(struct input *in, json_at metadata, struct api_key_write *w,
			      struct err *e)
{
	if (metadata == JSON_ABSENT)
		return ERR_OK;
	w->metadata_set = true;
	w->metadata = json_raw(&in->doc, metadata);
	return check_metadata(&in->doc, metadata, e);
}

static enum errc set_allowance(struct input *in, json_at limits, json_at budget,
			       struct api_key_write *w, struct err *e)
{
	enum errc rc = ERR_OK;

	w->limits_set = limits != JSON_ABSENT;
	w->budget_set = budget != JSON_ABSENT;
	if (w->limits_set)
		rc = allowance_body_limits(in, limits, &w->allowance, e);
	if (rc == ERR_OK && w->budget_set)
		rc = allowance_body_budget(in, budget, &w->allowance, e);
	return rc;
}

/* set_all: the members that creating and changing a key have in common. */
static enum errc set_all(struct input *in, const struct api_key_create *b, struct api_key_write *w,
			 struct err *e)
{
	enum errc rc = key_body_set_name(b->name, w, e);

	if (rc == ERR_OK)
		rc = set_scopes(in, b->scopes, w, e);
	if (rc == ERR_OK)
		rc = set_models(in, b->models, w, e);
	if (rc == ERR_OK)
		rc = set_end(b->expires_at, b->expires_in, w, e);
	if (rc == ERR_OK)
		rc = set_metadata(in, b->metadata, w, e);
	return rc == ERR_OK ? set_allowance(in, b->limits, b->budget, w, e) : rc;
}

enum errc api_key_body_create(struct input *in, struct api_key_write *w, struct err *e)
{
	struct api_key_create b = api_key_create_init;
	enum errc rc = fields_read(&api_key_create_fields, &in->doc, 0, "", &in->arena, &b, e);

	w->scopes = SCOPES_USUAL;
	if (rc == ERR_OK)
		rc = set_all(in, &b, w, e);
	if (rc == ERR_OK && b.shares.p && !api_key_id(b.shares, &w->shares))
		rc = err_set(e, ERR_NOT_FOUND, "shares", "there is no such key");
	return rc;
}

enum errc api_key_body_update(struct input *in, struct api_key_write *w, struct err *e)
{
	struct api_key_create b = api_key_create_init;
	enum errc rc = fields_read(&api_key_update_fields, &in->doc, 0, "", &in->arena, &b, e);

	return rc == ERR_OK ? set_all(in, &b, w, e) : rc;
}

enum errc api_key_body_rotate(struct input *in, struct api_key_write *w, struct err *e)
{
	struct api_key_rotate b = api_key_rotate_init;
	enum errc rc = fields_read(&api_key_rotate_fields, &in->doc, 0, "", &in->arena, &b, e);

	w->old_until_ms = b.grace > 0 ? w->now_ms + b.grace * 1000 : 0;
	return rc;
}
