/* Reads and prints the allowance of a key, in the form of the admin routes. */
#include "routes/admin/api_key_body.h"

#include "json/value.h"
#include "schema/schema.h"

static enum errc bad_time(struct err *e, const char *path)
{
	return err_set(
		e, ERR_INVALID_VALUE, path,
		"must be a whole number with s, m, h or d, from 1s to 366d, such as 1m, 24h or 30d");
}

static enum errc read_rate(struct input *in, json_at at, const char *path, int64_t *ret_count,
			   int64_t *ret_us, struct err *e)
{
	struct api_key_rate b = api_key_rate_init;

	if (at == JSON_ABSENT)
		return ERR_OK;
	enum errc rc = fields_read(&api_key_rate_fields, &in->doc, at, path, &in->arena, &b, e);
	if (rc != ERR_OK)
		return rc;
	if (!allowance_read_time(b.window, ret_us)) {
		bad_time(e, "window");
		err_at(e, path);
		return e->code;
	}
	*ret_count = b.count;
	return ERR_OK;
}

enum errc allowance_body_limits(struct input *in, json_at at, struct allowance *ret, struct err *e)
{
	struct api_key_limits b = api_key_limits_init;
	enum errc             rc =
		fields_read(&api_key_limits_fields, &in->doc, at, "limits", &in->arena, &b, e);

	if (rc == ERR_OK)
		rc = read_rate(in, b.requests, "limits.requests", &ret->requests,
			       &ret->requests_window_us, e);
	if (rc == ERR_OK)
		rc = read_rate(in, b.tokens, "limits.tokens", &ret->tokens, &ret->tokens_window_us,
			       e);
	ret->concurrent = b.concurrent;
	ret->max_body = b.max_body;
	return rc;
}

enum errc allowance_body_budget(struct input *in, json_at at, struct allowance *ret, struct err *e)
{
	struct api_key_budget b = api_key_budget_init;
	enum errc             rc =
		fields_read(&api_key_budget_fields, &in->doc, at, "budget", &in->arena, &b, e);

	if (rc != ERR_OK)
		return rc;
	if (b.money.p && !allowance_read_money(b.money, &ret->budget_nano))
		return err_set(
			e, ERR_INVALID_VALUE, "budget.money",
			"must be a decimal number above 0 with up to 9 places, up to 1000000000, "
			"such as 12.50");
	if (b.window.p && !allowance_read_time(b.window, &ret->budget_window_us))
		return bad_time(e, "budget.window");
	if (b.window.p && !b.money.p && b.tokens == 0)
		return err_set(e, ERR_INVALID_VALUE, "budget",
			       "needs money or tokens, not only a window");
	ret->budget_tokens = b.tokens;
	return ERR_OK;
}

/* --- telling --- */

/* allowance_body_written: prints the text that `put` makes of v, as a string. */
static struct value *allowance_body_written(bool (*put)(struct buf *out, int64_t v), int64_t v)
{
	struct buf    text;
	struct value *ret;

	buf_init(&text, VALUE_FMT_MAX);
	ret = put(&text, v) ? value_string(buf_view(&text)) : NULL;
	buf_finish(&text);
	return ret;
}

/* SET: a member that is left out where v is nothing. */
/* clang-format off */
#define SET(name, v, made) { (v) > 0 ? (name) : NULL, (v) > 0 ? (made) : NULL }
/* clang-format on */

static struct value *rate_of(int64_t count, int64_t us)
{
	return VALUE_OBJECT({ "count", value_int(count) },
			    { "window", allowance_body_written(allowance_put_time, us) });
}

struct value *allowance_body_limits_value(const struct allowance *a)
{
	if (a->requests == 0 && a->tokens == 0 && a->concurrent == 0 && a->max_body == 0)
		return value_null();
	return VALUE_OBJECT(
		SET("requests", a->requests, rate_of(a->requests, a->requests_window_us)),
		SET("tokens", a->tokens, rate_of(a->tokens, a->tokens_window_us)),
		SET("concurrent", a->concurrent, value_int(a->concurrent)),
		SET("max_body", a->max_body, value_int(a->max_body)));
}

struct value *allowance_body_budget_value(const struct allowance *a)
{
	if (a->budget_nano == 0 && a->budget_tokens == 0)
		return value_null();
	return VALUE_OBJECT(SET("money", a->budget_nano,
				allowance_body_written(allowance_put_money, a->budget_nano)),
			    SET("tokens", a->budget_tokens, value_int(a->budget_tokens)),
			    SET("window", a->budget_window_us,
				allowance_body_written(allowance_put_time, a->budget_window_us)));
}
