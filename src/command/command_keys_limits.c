/* Limits of a key, from the command line into the JSON that the admin routes take. */
#include "command/command.h"

#include "base/limits.h"
#include "config/config_option.h"

#include <string.h>

enum limit { SET_REQUESTS, SET_TOKENS, SET_CONCURRENT, SET_BODY, SET__COUNT };

static const char *const names[SET__COUNT] = { "requests", "tokens", "concurrent", "body" };
static const char *const members[SET__COUNT] = { "requests", "tokens", "concurrent", "max_body" };

static enum errc keys_limits_too_long(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "the options are too long");
}

bool command_keys_member(struct buf *out, const char *name)
{
	bool first = out->len > 0 && out->data[out->len - 1] == '{';

	return buf_fmt(out, "%s\"%s\":", first ? "" : ",", name);
}

static bool is_none(const char *text)
{
	return text && strcmp(text, "none") == 0;
}

static bool is_count(struct str text)
{
	if (text.n == 0 || text.n > 16 || text.p[0] == '0')
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
	return true;
}

/* keys_limits_split: cuts "60/1m" at its slash; false: there is no slash. */
static bool keys_limits_split(struct str text, struct str *ret_count, struct str *ret_time)
{
	const char *slash = text.n > 0 ? memchr(text.p, '/', text.n) : NULL;

	if (!slash)
		return false;
	*ret_count = (struct str){ text.p, (size_t)(slash - text.p) };
	*ret_time = (struct str){ slash + 1, text.n - ret_count->n - 1 };
	return true;
}

static enum errc keys_limits_put_rate(struct buf *out, const char *name, struct str value,
				      struct err *e)
{
	struct str count, time;

	if (!keys_limits_split(value, &count, &time) || !is_count(count))
		return err_set(e, ERR_INVALID_VALUE, "",
			       "--limit %s: must be NUMBER/TIME, as %s=60/1m", name, name);
	return buf_text(out, "{\"count\":") && buf_str(out, count) &&
			       buf_text(out, ",\"window\":") && buf_json_string(out, time) &&
			       buf_text(out, "}")
		       ? ERR_OK
		       : keys_limits_too_long(e);
}

static enum errc put_body(struct buf *out, struct str value, struct err *e)
{
	struct config_rule  rule = { CONFIG_SIZE, 1, LIMIT_BODY_MAX, "" };
	struct config_place at = { .source = CONFIG_FROM_FLAG, .name = "limit body" };
	int64_t             bytes = 0;
	enum errc           rc = config_value_read(&rule, value, NULL, &at, &bytes, e);

	if (rc != ERR_OK) {
		e->path[0] = '\0'; /* the text names the option already */
		return rc;
	}
	return buf_int(out, bytes) ? ERR_OK : keys_limits_too_long(e);
}

static enum errc keys_limits_put_value(struct buf *out, enum limit limit, struct str value,
				       struct err *e)
{
	switch (limit) {
	case SET_REQUESTS:
	case SET_TOKENS: return keys_limits_put_rate(out, names[limit], value, e);
	case SET_BODY: return put_body(out, value, e);
	case SET_CONCURRENT:
		if (!is_count(value))
			return err_set(e, ERR_INVALID_VALUE, "",
				       "--limit concurrent: must be a whole number above 0");
		return buf_str(out, value) ? ERR_OK : keys_limits_too_long(e);
	case SET__COUNT: break;
	}
	return keys_limits_too_long(e);
}

static enum errc put_limit(struct buf *out, const char *text, unsigned *seen, struct err *e)
{
	size_t n = strcspn(text, "=");

	for (unsigned i = 0; i < SET__COUNT; i++) {
		if (!text[n] || !str_is((struct str){ text, n }, names[i]))
			continue;
		if (*seen & 1u << i)
			return err_set(e, ERR_INVALID_VALUE, "", "--limit %s: is given twice",
				       names[i]);
		if (!buf_fmt(out, "%s\"%s\":", *seen ? "," : "", members[i]))
			return keys_limits_too_long(e);
		*seen |= 1u << i;
		return keys_limits_put_value(out, i, str_of(text + n + 1), e);
	}
	return err_set(e, ERR_INVALID_VALUE, "",
		       "--limit: must be requests=NUMBER/TIME, "
		       "tokens=NUMBER/TIME, concurrent=NUMBER or body=SIZE");
}

/* --- the budget --- */

static enum errc put_each(struct buf *out, const char *text, bool first, struct err *e)
{
	struct str tag = { text, strcspn(text, "=") }, money = STR_NONE, time = STR_NONE;

	if (!text[tag.n] || !keys_limits_split(str_of(text + tag.n + 1), &money, &time))
		return err_set(e, ERR_INVALID_VALUE, "",
			       "--budget-each: must be TAG=MONEY/TIME, as customer=5/1d");
	return buf_text(out, first ? "\"each\":{\"tag\":" : ",\"each\":{\"tag\":") &&
			       buf_json_string(out, tag) && buf_text(out, ",\"money\":") &&
			       buf_json_string(out, money) && buf_text(out, ",\"window\":") &&
			       buf_json_string(out, time) && buf_text(out, "}")
		       ? ERR_OK
		       : keys_limits_too_long(e);
}

static enum errc put_budget(struct buf *out, const struct command_keys_options *k, struct err *e)
{
	struct str money = str_of(k->budget), tokens = str_of(k->budget_tokens);
	struct str time = STR_NONE, other = STR_NONE;
	bool       timed = keys_limits_split(money, &money, &time);
	bool       timed_too = keys_limits_split(tokens, &tokens, &other);

	if (is_none(k->budget) && (k->budget_tokens || k->budget_each))
		return err_set(e, ERR_INVALID_VALUE, "",
			       "--budget none stands without --budget-tokens and --budget-each");
	if (is_none(k->budget))
		return command_keys_member(out, "budget") && buf_text(out, "{}")
			       ? ERR_OK
			       : keys_limits_too_long(e);
	if (k->budget && k->budget_tokens && (timed != timed_too || !str_eq(time, other)))
		return err_set(
			e, ERR_INVALID_VALUE, "",
			"--budget and --budget-tokens must have the same time behind the slash");
	if (k->budget_tokens && !is_count(tokens))
		return err_set(e, ERR_INVALID_VALUE, "",
			       "--budget-tokens: must be NUMBER or NUMBER/TIME, as 1000000/24h");
	if (timed_too)
		time = other;
	bool ok = command_keys_member(out, "budget") && buf_text(out, "{");
	if (ok && k->budget)
		ok = buf_text(out, "\"money\":") && buf_json_string(out, money) &&
		     (!k->budget_tokens || buf_text(out, ","));
	if (ok && k->budget_tokens)
		ok = buf_text(out, "\"tokens\":") && buf_str(out, tokens);
	if (ok && (timed || timed_too))
		ok = buf_text(out, ",\"window\":") && buf_json_string(out, time);
	if (ok && k->budget_each &&
	    put_each(out, k->budget_each, !k->budget && !k->budget_tokens, e) != ERR_OK)
		return e->code;
	return ok && buf_text(out, "}") ? ERR_OK : keys_limits_too_long(e);
}

enum errc command_keys_limits_put(struct buf *out, const struct command_keys_options *k,
				  struct err *e)
{
	bool      none = k->limit_count == 1 && is_none(k->limits[0]);
	unsigned  seen = 0;
	enum errc rc = ERR_OK;

	if (k->limit_count > 0 && (!command_keys_member(out, "limits") || !buf_text(out, "{")))
		return keys_limits_too_long(e);
	for (size_t i = 0; rc == ERR_OK && !none && i < k->limit_count; i++)
		rc = put_limit(out, k->limits[i], &seen, e);
	if (rc == ERR_OK && k->limit_count > 0 && !buf_text(out, "}"))
		rc = keys_limits_too_long(e);
	return rc == ERR_OK && (k->budget || k->budget_tokens || k->budget_each)
		       ? put_budget(out, k, e)
		       : rc;
}
