/* Reads what holds for calls of a model whose clients do not say: an instruction, and members of
 * the provider's request, which are kept as JSON. */
#include "config/internal.h"

#include "base/buf.h"
#include "base/limits.h"

#include <stdlib.h>

enum default_kind { DEFAULT_NUMBER, DEFAULT_INTEGER, DEFAULT_STRING, DEFAULT_STOP, DEFAULT_MAP };

/* The members of config, as in schema/chat_config.json.  Tools are missing: a client that sends
 * none could not answer their calls. */
static const struct default_row {
	const char       *name;
	enum default_kind kind;
	double            min, max;
} rows[] = {
	{ "max_tokens", DEFAULT_INTEGER, 1, LIMIT_MAX_TOKENS },
	{ "temperature", DEFAULT_NUMBER, 0, 2 },
	{ "top_p", DEFAULT_NUMBER, 0, 1 },
	{ "stop", DEFAULT_STOP, 0, 0 },
	{ "seed", DEFAULT_INTEGER, -9e15, 9e15 },
	{ "presence_penalty", DEFAULT_NUMBER, -2, 2 },
	{ "frequency_penalty", DEFAULT_NUMBER, -2, 2 },
	{ "response_format", DEFAULT_MAP, 0, 0 },
	{ "reasoning_effort", DEFAULT_STRING, 1, LIMIT_NAME },
};
static const char *const keys[] = {
	"max_tokens",
	"temperature",
	"top_p",
	"stop",
	"seed",
	"presence_penalty",
	"frequency_penalty",
	"response_format",
	"reasoning_effort",
};
_Static_assert(ARRAY_LEN(rows) == ARRAY_LEN(keys), "a name for each row");

static enum errc defaults_fail(const struct config *c, const struct config_node *n,
			       const char *what, struct err *e)
{
	struct config_place at = config_memory_node(c, n);

	return config_place_fail(&at, e, "%s", what);
}

static enum errc defaults_unknown(const struct config *c, const struct config_node *n,
				  const char *const *known, size_t count, const char *all,
				  struct err *e)
{
	struct config_place at = config_memory_node(c, n);
	const char         *near = config_value_nearest(str_of(n->key), known, count);

	return near ? config_place_fail(&at, e, "unknown key; did you mean %s?", near)
		    : config_place_fail(&at, e, "unknown key; allowed: %s", all);
}

/* --- values as JSON --- */

static size_t count_digits(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && s.p[at + n] >= '0' && s.p[at + n] <= '9')
		n++;
	return n;
}

/* defaults_number: whether s is a number of JSON; *ret_whole: without a fraction and exponent. */
static bool defaults_number(struct str s, bool *ret_whole)
{
	size_t at = s.n > 0 && s.p[0] == '-' ? 1 : 0;
	size_t n = count_digits(s, at);

	if (n == 0 || n > 15 || (n > 1 && s.p[at] == '0'))
		return false;
	at += n;
	*ret_whole = at == s.n;
	if (at < s.n && s.p[at] == '.') {
		n = count_digits(s, at + 1);
		if (n == 0 || n > 15)
			return false;
		at += n + 1;
	}
	return at == s.n;
}

static bool defaults_put(const struct config_node *n, struct buf *out);

static bool put_children(const struct config_node *n, struct buf *out)
{
	bool map = n->kind == CONFIG_MAP;
	bool ok = buf_text(out, map ? "{" : "[");

	for (const struct config_node *i = n->first; ok && i; i = i->next) {
		ok = i == n->first || buf_text(out, ", ");
		if (ok && map)
			ok = buf_json_string(out, str_of(i->key)) && buf_text(out, ": ");
		ok = ok && defaults_put(i, out);
	}
	return ok && buf_text(out, map ? "}" : "]");
}

static bool defaults_put(const struct config_node *n, struct buf *out)
{
	static const char *const words[] = { "true", "false", "null" };
	bool                     whole;

	if (n->kind != CONFIG_SCALAR)
		return put_children(n, out);
	for (size_t i = 0; !n->quoted && i < ARRAY_LEN(words); i++)
		if (str_is(n->text, words[i]))
			return buf_str(out, n->text);
	return !n->quoted && defaults_number(n->text, &whole) ? buf_str(out, n->text)
							      : buf_json_string(out, n->text);
}

/* --- checks --- */

static enum errc defaults_check_number(const struct config *c, const struct config_node *n,
				       const struct default_row *row, struct err *e)
{
	struct config_place at = config_memory_node(c, n);
	bool                whole = false;
	bool                ok = n->kind == CONFIG_SCALAR && defaults_number(n->text, &whole);
	double              v = ok ? strtod(n->text.p, NULL) : 0;

	if (ok && (whole || row->kind == DEFAULT_NUMBER) && v >= row->min && v <= row->max)
		return ERR_OK;
	return config_place_fail(&at, e, "must be %s from %.0f to %.0f",
				 row->kind == DEFAULT_NUMBER ? "a number" : "an integer", row->min,
				 row->max);
}

static enum errc defaults_check_stop(const struct config *c, const struct config_node *n,
				     struct err *e)
{
	bool ok = n->kind == CONFIG_SCALAR ||
		  (n->kind == CONFIG_SEQUENCE && n->count > 0 && n->count <= LIMIT_STOPS);

	for (const struct config_node *i = n->first; ok && i; i = i->next)
		ok = i->kind == CONFIG_SCALAR;
	return ok ? ERR_OK
		  : defaults_fail(c, n, "must be a string, or a list of up to 4 strings", e);
}
_Static_assert(LIMIT_STOPS == 4, "the message names it");

static enum errc defaults_check(const struct config *c, const struct config_node *n,
				const struct default_row *row, struct err *e)
{
	switch (row->kind) {
	case DEFAULT_NUMBER:
	case DEFAULT_INTEGER: return defaults_check_number(c, n, row, e);
	case DEFAULT_STOP: return defaults_check_stop(c, n, e);
	case DEFAULT_STRING:
		return n->kind == CONFIG_SCALAR && n->text.n >= 1 && n->text.n <= LIMIT_NAME
			       ? ERR_OK
			       : defaults_fail(c, n, "must be a short string", e);
	case DEFAULT_MAP:
		return n->kind == CONFIG_MAP
			       ? ERR_OK
			       : defaults_fail(c, n, "has to be a map: \"key: value\" lines", e);
	}
	return ERR_INTERNAL;
}

/* put_stop: texts, also those that look like numbers. */
static bool put_stop(const struct config_node *n, struct buf *out)
{
	bool ok = true;

	if (n->kind == CONFIG_SCALAR)
		return buf_json_string(out, n->text);
	for (const struct config_node *i = n->first; ok && i; i = i->next)
		ok = buf_text(out, i == n->first ? "[" : ", ") && buf_json_string(out, i->text);
	return ok && buf_text(out, "]");
}

static bool put_default(const struct config_node *n, const struct default_row *row, struct buf *out)
{
	if (row->kind == DEFAULT_STOP)
		return put_stop(n, out);
	return row->kind == DEFAULT_STRING ? buf_json_string(out, n->text) : defaults_put(n, out);
}

/* --- the map --- */

static enum errc read_default(struct config *c, const struct config_node *n,
			      const struct default_row *row, struct model_defaults *ret,
			      struct err *e)
{
	bool       max_tokens = row == rows;
	struct buf text;
	struct str made = STR_NONE;
	enum errc  rc = defaults_check(c, n, row, e);

	if (rc != ERR_OK)
		return rc;
	buf_init(&text, LIMIT_CONFIG_FILE);
	if ((max_tokens || buf_fmt(&text, "\"%s\":", row->name)) && put_default(n, row, &text))
		made = arena_str(&c->memory->arena, buf_view(&text));
	buf_finish(&text);
	if (!made.p)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	if (max_tokens)
		ret->max_tokens = made;
	else
		ret->members[ret->member_count++] = made;
	return ERR_OK;
}

static enum errc config_defaults_members(struct config *c, const struct config_node *map,
					 struct model_defaults *ret, struct err *e)
{
	enum errc rc = ERR_OK;

	if (map->kind != CONFIG_MAP)
		return defaults_fail(c, map, "has to be a map: \"key: value\" lines", e);
	ret->members = config_memory_alloc(c, (map->count + 1) * sizeof *ret->members, e);
	if (!ret->members)
		return ERR_INTERNAL;
	for (const struct config_node *n = map->first; rc == ERR_OK && n; n = n->next) {
		const struct default_row *row = NULL;

		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			if (strcmp(rows[i].name, n->key) == 0)
				row = &rows[i];
		rc = row ? read_default(c, n, row, ret, e)
			 : defaults_unknown(c, n, keys, ARRAY_LEN(keys),
					    "max_tokens, temperature, top_p, stop, seed, "
					    "presence_penalty, frequency_penalty, "
					    "response_format, reasoning_effort",
					    e);
		rc = config_memory_note(c, rc, e);
	}
	return rc;
}

enum errc config_defaults_read(struct config *c, const struct config_node *map,
			       struct model_defaults *ret, struct err *e)
{
	static const struct config_rule instruction = { CONFIG_TEXT, 1, LIMIT_CONFIG_VALUE, "" };
	static const char *const        members[] = { "instruction", "config" };
	enum errc                       rc = ERR_OK;

	if (map->kind != CONFIG_MAP)
		return defaults_fail(c, map, "has to be a map: instruction and config", e);
	for (const struct config_node *n = map->first; rc == ERR_OK && n; n = n->next) {
		struct config_place at = config_memory_node(c, n);
		const char         *text = NULL;

		if (strcmp(n->key, "config") == 0) {
			rc = config_defaults_members(c, n, ret, e);
		} else if (strcmp(n->key, "instruction") != 0) {
			rc = defaults_unknown(c, n, members, ARRAY_LEN(members),
					      "instruction, config", e);
		} else if (n->kind != CONFIG_SCALAR) {
			rc = defaults_fail(c, n, "has to be one value", e);
		} else {
			rc = config_value_read(&instruction, n->text, &c->memory->arena, &at, &text,
					       e);
			if (rc == ERR_OK)
				ret->instruction = str_of(text);
		}
		rc = config_memory_note(c, rc, e);
	}
	return rc;
}
