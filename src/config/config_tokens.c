/* The table `tokens`: issuers whose tokens are taken in place of API keys. */
#include "config/internal.h"

#include "base/api_key.h"
#include "base/identity.h"
#include "base/limits.h"
#include "upstream/upstream.h"

#include <unistd.h>

enum { MAP_MOST = 256 };

#define AT(m) offsetof(struct token_options, m)
/* clang-format off */
static const struct config_field token_fields[] = {
	{ "issuer",   { CONFIG_STRING, 1, 1024, "" }, AT(issuer) },
	{ "audience", { CONFIG_STRING, 1, 1024, "" }, AT(audience) },
	{ "jwks",     { CONFIG_STRING, 1, 2048, "" }, AT(jwks) },
	{ "ca_file",  { CONFIG_STRING, 1, 4096, "" }, AT(ca_file) },
	{ "owner",    { CONFIG_STRING, 1, 255, "" },  AT(owner) },
	{ "name",     { CONFIG_STRING, 1, 255, "" },  AT(name) },
};
static const struct config_field scopes_fields[] = {
	{ "claim",    { CONFIG_STRING, 1, 255, "" },  AT(scopes_claim) },
};
static const struct config_field groups_fields[] = {
	{ "claim",    { CONFIG_STRING, 1, 255, "" },  AT(groups_claim) },
};
static const struct config_field console_fields[] = {
	{ "client_id", { CONFIG_STRING, 1, 255, "" }, AT(client_id) },
	{ "scope",    { CONFIG_STRING, 1, 1024, "" }, AT(client_scope) },
	{ "resource", { CONFIG_STRING, 1, 1024, "" }, AT(client_resource) },
};
/* clang-format on */
#undef AT

static const char *const token_keys[] = { "issuer", "audience", "jwks",   "ca_file", "owner",
					  "name",   "scopes",   "groups", "each",    "console" };

/* --- scopes --- */

static enum errc read_scopes(const struct config *c, const struct config_node *list, unsigned *ret,
			     struct err *e)
{
	enum errc rc = config_row_kind(c, list, CONFIG_SEQUENCE, e);

	*ret = 0;
	for (const struct config_node *n = list->first; rc == ERR_OK && n; n = n->next) {
		unsigned scope = n->kind == CONFIG_SCALAR ? scope_find(n->text) : 0;

		*ret |= scope;
		if (!scope)
			rc = config_row_fail(c, n,
					     "must be one of chat, read, files, admin, execute", e);
	}
	return rc;
}

static enum errc read_scope_map(struct config *c, const struct config_node *map,
				struct token_options *o, struct err *e)
{
	enum errc           rc = config_row_kind(c, map, CONFIG_MAP, e);
	struct token_scope *rows = config_memory_alloc(c, (map->count + 1) * sizeof *rows, e);

	if (!rows)
		return ERR_INTERNAL;
	if (rc == ERR_OK && map->count > MAP_MOST)
		rc = config_row_fail(c, map, "has up to 256 words", e);
	for (const struct config_node *n = map->first; rc == ERR_OK && n; n = n->next) {
		rows[n->index].value = n->key;
		rc = read_scopes(c, n, &rows[n->index].scopes, e);
	}
	o->scopes = rows;
	o->scope_count = map->count;
	return rc;
}

static enum errc scopes_special(struct config *c, const struct config_node *n, void *row,
				struct err *e)
{
	static const char *const keys[] = { "claim", "map", "default" };
	struct token_options    *o = row;

	if (strcmp(n->key, "map") == 0)
		return read_scope_map(c, n, o, e);
	if (strcmp(n->key, "default") == 0)
		return read_scopes(c, n, &o->scopes_default, e);
	return config_row_unknown(c, n, keys, ARRAY_LEN(keys), e);
}

static enum errc token_read_scopes(struct config *c, const struct config_node *map,
				   struct token_options *o, struct err *e)
{
	static const struct config_row row = { scopes_fields, ARRAY_LEN(scopes_fields),
					       scopes_special };

	o->scopes_default = 0;
	enum errc rc = config_row_read(c, map, &row, o, e);
	if (rc == ERR_OK && !config_file_find(map, "claim") != !config_file_find(map, "map"))
		return config_row_fail(c, map, "needs both claim and map, or neither", e);
	return rc;
}

/* --- groups --- */

static enum errc read_group_map(struct config *c, const struct config_node *map,
				struct token_options *o, struct err *e)
{
	enum errc              rc = config_row_kind(c, map, CONFIG_MAP, e);
	struct token_group_of *rows = config_memory_alloc(c, (map->count + 1) * sizeof *rows, e);
	struct str             id;

	if (!rows)
		return ERR_INTERNAL;
	if (rc == ERR_OK && (map->count == 0 || map->count > MAP_MOST))
		rc = config_row_fail(c, map, "needs 1 to 256 groups", e);
	for (const struct config_node *n = map->first; rc == ERR_OK && n; n = n->next) {
		rc = config_row_value(c, n, e);
		if (rc == ERR_OK && !api_key_group(n->text, &id))
			rc = config_row_fail(c, n, "must be the id of a group, as grp_7h2kq9vx", e);
		rows[n->index] = (struct token_group_of){ n->key, n->text.p };
	}
	o->groups = rows;
	o->group_count = map->count;
	return rc;
}

static enum errc groups_special(struct config *c, const struct config_node *n, void *row,
				struct err *e)
{
	static const char *const keys[] = { "claim", "map", "otherwise" };
	struct token_options    *o = row;

	if (strcmp(n->key, "map") == 0)
		return read_group_map(c, n, o, e);
	if (strcmp(n->key, "otherwise") != 0)
		return config_row_unknown(c, n, keys, ARRAY_LEN(keys), e);
	enum errc rc = config_row_value(c, n, e);
	o->groups_only = str_is(n->text, "refuse");
	if (rc == ERR_OK && !o->groups_only && !str_is(n->text, "none"))
		rc = config_row_fail(c, n, "must be refuse or none", e);
	return rc;
}

static enum errc token_read_groups(struct config *c, const struct config_node *map,
				   struct token_options *o, struct err *e)
{
	static const struct config_row row = { groups_fields, ARRAY_LEN(groups_fields),
					       groups_special };

	o->groups_only = true;
	enum errc rc = config_row_read(c, map, &row, o, e);
	if (rc == ERR_OK && (!o->groups_claim || o->group_count == 0))
		return config_row_fail(c, map, "needs claim and map", e);
	return rc;
}

/* --- each --- */

static enum errc token_read_each(struct config *c, const struct config_node *map,
				 struct token_options *o, struct err *e)
{
	static const char *const keys[] = { "money", "window" };
	enum errc                rc = config_row_kind(c, map, CONFIG_MAP, e);

	for (const struct config_node *n = map->first; rc == ERR_OK && n; n = n->next) {
		rc = config_row_value(c, n, e);
		if (rc == ERR_OK && strcmp(n->key, "money") == 0) {
			if (!allowance_read_money(n->text, &o->each_nano))
				rc = config_row_fail(c, n,
						     "must be a decimal number above 0, as 2.50, "
						     "with up to 9 places",
						     e);
		} else if (rc == ERR_OK && strcmp(n->key, "window") == 0) {
			if (!allowance_read_time(n->text, &o->each_window_us))
				rc = config_row_fail(c, n, "must be a time from 1s to 366d, as 30d",
						     e);
		} else if (rc == ERR_OK) {
			rc = config_row_unknown(c, n, keys, ARRAY_LEN(keys), e);
		}
	}
	if (rc == ERR_OK && o->each_nano == 0)
		rc = config_row_fail(c, map, "needs money", e);
	return rc;
}

/* --- the console --- */

static enum errc token_read_console(struct config *c, const struct config_node *map,
				    struct token_options *o, struct err *e)
{
	static const struct config_row row = { console_fields, ARRAY_LEN(console_fields), NULL };
	enum errc                      rc = config_row_read(c, map, &row, o, e);

	return rc != ERR_OK || o->client_id ? rc : config_row_fail(c, map, "needs client_id", e);
}

/* --- an entry --- */

static enum errc token_special(struct config *c, const struct config_node *n, void *row,
			       struct err *e)
{
	if (strcmp(n->key, "scopes") == 0)
		return token_read_scopes(c, n, row, e);
	if (strcmp(n->key, "groups") == 0)
		return token_read_groups(c, n, row, e);
	if (strcmp(n->key, "each") == 0)
		return token_read_each(c, n, row, e);
	if (strcmp(n->key, "console") == 0)
		return token_read_console(c, n, row, e);
	return config_row_unknown(c, n, token_keys, ARRAY_LEN(token_keys), e);
}

static const struct config_node *token_culprit(const struct config_node *row, const char *key)
{
	const struct config_node *n = config_file_find(row, key);

	return n ? n : row;
}

/* check_addresses: the keys decide who comes in, so nobody between may change them. */
static enum errc check_addresses(const struct config *c, const struct config_node *row,
				 const struct token_options *o, struct err *e)
{
	bool fetched = strstr(o->jwks, "://");

	if (strstr(o->issuer, "://") ? !upstream_url_is_safe(o->issuer)
				     : strcmp(o->jwks, "auto") == 0)
		return config_row_fail(c, token_culprit(row, "issuer"),
				       "must be https://, or http:// on this machine", e);
	if (strcmp(o->jwks, "auto") == 0 && strpbrk(o->issuer, "?#"))
		return config_row_fail(c, token_culprit(row, "issuer"),
				       "has no query or fragment where jwks is auto", e);
	if (o->client_id && strcmp(o->jwks, "auto") != 0)
		return config_row_fail(c, token_culprit(row, "console"),
				       "needs jwks: auto, which tells where people sign in", e);
	if (fetched && !upstream_url_is_safe(o->jwks))
		return config_row_fail(
			c, token_culprit(row, "jwks"),
			"must be auto, https:// (http:// on this machine), or a file", e);
	if (o->ca_file && access(o->ca_file, R_OK) != 0)
		return config_row_fail(c, token_culprit(row, "ca_file"), "can't be read", e);
	return ERR_OK;
}

static enum errc check_token(struct config *c, const struct config_node *row,
			     const struct token_options *o, struct err *e)
{
	struct tokens *made = NULL;
	struct err     why;

	if (!o->issuer || !o->audience)
		return config_row_fail(c, row, "an entry needs an issuer and an audience", e);
	for (size_t i = 0; i < c->token_count; i++)
		if (strcmp(c->tokens[i].issuer, o->issuer) == 0 &&
		    strcmp(c->tokens[i].audience, o->audience) == 0)
			return config_row_fail(c, row, "a second entry of this issuer and audience",
					       e);
		else if (o->client_id && c->tokens[i].client_id &&
			 strcmp(c->tokens[i].issuer, o->issuer) == 0)
			return config_row_fail(c, token_culprit(row, "console"),
					       "another entry of this issuer has one: people sign "
					       "in for one audience",
					       e);
	enum errc rc = check_addresses(c, row, o, e);
	if (rc != ERR_OK)
		return rc;
	rc = tokens_create(o, 1, &made, &why);
	tokens_release(made);
	if (rc == ERR_OK)
		return ERR_OK;
	struct config_place at = config_memory_node(c, token_culprit(row, why.path));
	return config_place_fail(&at, e, "%s", why.text);
}

enum errc config_tokens_read(struct config *c, const struct config_node *table, struct err *e)
{
	static const struct config_row entry = { token_fields, ARRAY_LEN(token_fields),
						 token_special };

	if (!table)
		return ERR_OK;
	if (table->count > LIMIT_TOKEN_ISSUERS)
		return config_row_fail(c, table, "too many issuers; at most 16", e);
	c->tokens = config_memory_alloc(c, (table->count + 1) * sizeof *c->tokens, e);
	if (!c->tokens)
		return ERR_INTERNAL;
	for (const struct config_node *n = table->first; n; n = n->next) {
		struct token_options *o = &c->tokens[c->token_count];
		size_t                before = c->memory->mistakes.count;

		*o = (struct token_options){ .jwks = "auto",
					     .owner = "sub",
					     .client_scope = "openid",
					     .scopes_default = SCOPES_USUAL };
		enum errc rc = config_row_read(c, n, &entry, o, e);
		if (rc == ERR_OK && c->memory->mistakes.count == before)
			rc = check_token(c, n, o, e);
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
		if (c->memory->mistakes.count == before)
			c->token_count++;
	}
	return ERR_OK;
}

/* --- print --- */

static bool token_put(struct buf *out, const char *key, const char *text)
{
	return !text || (buf_fmt(out, "    %s: ", key) && config_put_quoted(out, text) &&
			 buf_text(out, "\n"));
}

static bool put_scopes(struct buf *out, unsigned scopes)
{
	bool ok = buf_text(out, "["), any = false;

	for (unsigned i = 0; ok && i < SCOPE_COUNT; i++)
		if (scopes & 1u << i) {
			ok = buf_fmt(out, "%s%s", any ? ", " : "", scope_name(i));
			any = true;
		}
	return ok && buf_text(out, "]\n");
}

static bool put_token_scopes(const struct token_options *o, struct buf *out)
{
	bool ok = buf_text(out, "    scopes:\n");

	if (ok && o->scopes_claim)
		ok = buf_text(out, "  ") && token_put(out, "claim", o->scopes_claim);
	if (ok && o->scope_count > 0)
		ok = buf_text(out, "      map:\n");
	for (size_t i = 0; ok && i < o->scope_count; i++)
		ok = buf_text(out, "        ") && config_put_quoted(out, o->scopes[i].value) &&
		     buf_text(out, ": ") && put_scopes(out, o->scopes[i].scopes);
	return ok && buf_text(out, "      default: ") && put_scopes(out, o->scopes_default);
}

static bool put_token_groups(const struct token_options *o, struct buf *out)
{
	bool ok = buf_text(out, "    groups:\n  ") && token_put(out, "claim", o->groups_claim) &&
		  buf_text(out, "      map:\n");

	for (size_t i = 0; ok && i < o->group_count; i++)
		ok = buf_text(out, "        ") && config_put_quoted(out, o->groups[i].value) &&
		     buf_fmt(out, ": %s\n", o->groups[i].group);
	return ok && buf_fmt(out, "      otherwise: %s\n", o->groups_only ? "refuse" : "none");
}

static bool put_token(const struct token_options *o, struct buf *out)
{
	bool ok = buf_text(out, "  - issuer: ") && config_put_quoted(out, o->issuer) &&
		  buf_text(out, "\n") && token_put(out, "audience", o->audience) &&
		  token_put(out, "jwks", o->jwks) && token_put(out, "ca_file", o->ca_file) &&
		  token_put(out, "owner", o->owner) && token_put(out, "name", o->name) &&
		  put_token_scopes(o, out);

	if (ok && o->groups_claim)
		ok = put_token_groups(o, out);
	if (ok && o->client_id)
		ok = buf_text(out, "    console:\n  ") &&
		     token_put(out, "client_id", o->client_id) && buf_text(out, "  ") &&
		     token_put(out, "scope", o->client_scope) &&
		     (!o->client_resource ||
		      (buf_text(out, "  ") && token_put(out, "resource", o->client_resource)));
	if (ok && o->each_nano > 0)
		ok = buf_text(out, "    each:\n      money: \"") &&
		     allowance_put_money(out, o->each_nano) && buf_text(out, "\"\n");
	if (ok && o->each_window_us > 0)
		ok = buf_text(out, "      window: ") &&
		     allowance_put_time(out, o->each_window_us) && buf_text(out, "\n");
	return ok;
}

bool config_tokens_print(const struct config *c, struct buf *out)
{
	bool ok = c->token_count == 0 || buf_text(out, "tokens:\n");

	for (size_t i = 0; ok && i < c->token_count; i++)
		ok = put_token(&c->tokens[i], out);
	return ok;
}
