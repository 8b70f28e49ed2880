/* What a key may use, as the admin routes take and tell it. */
#include "routes/admin/allowance_body.h"

#include "schema/api_key_budget.h"
#include "schema/api_key_limits.h"
#include "schema/api_key_rate.h"

static enum errc bad_time(struct err *e, const char *path)
{
	return err_set(e, ERR_INVALID_VALUE, path,
		       "must be a whole number with s, m, h or d, from 1s to 366d, as 1m, 24h or 30d");
}

static enum errc read_rate(struct input *in, json_at at, const char *path, int64_t *ret_count,
			   int64_t *ret_us, struct err *e)
{
	struct api_key_rate b = API_KEY_RATE_INIT;

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
	struct api_key_limits b = API_KEY_LIMITS_INIT;
	enum errc rc = fields_read(&api_key_limits_fields, &in->doc, at, "limits", &in->arena, &b, e);

	if (rc == ERR_OK)
		rc = read_rate(in, b.requests, "limits.requests", &ret->requests,
			       &ret->requests_window_us, e);
	if (rc == ERR_OK)
		rc = read_rate(in, b.tokens, "limits.tokens", &ret->tokens, &ret->tokens_window_us, e);
	ret->concurrent = b.concurrent;
	ret->max_body = b.max_body;
	return rc;
}

enum errc allowance_body_budget(struct input *in, json_at at, struct allowance *ret, struct err *e)
{
	struct api_key_budget b = API_KEY_BUDGET_INIT;
	enum errc rc = fields_read(&api_key_budget_fields, &in->doc, at, "budget", &in->arena, &b, e);

	if (rc != ERR_OK)
		return rc;
	if (b.money.p && !allowance_read_money(b.money, &ret->budget_nano))
		return err_set(e, ERR_INVALID_VALUE, "budget.money",
			       "must be a decimal number above 0 with up to 9 places, up to 1000000000, "
			       "as 12.50");
	if (b.window.p && !allowance_read_time(b.window, &ret->budget_window_us))
		return bad_time(e, "budget.window");
	if (b.window.p && !b.money.p && b.tokens == 0)
		return err_set(e, ERR_INVALID_VALUE, "budget", "needs money or tokens beside the window");
	ret->budget_tokens = b.tokens;
	return ERR_OK;
}

/* --- telling --- */

static bool put_name(struct buf *out, const char *name, bool *first)
{
	bool ok = buf_fmt(out, "%s\"%s\":", *first ? "{" : ",", name);

	*first = false;
	return ok;
}

static bool put_number(struct buf *out, const char *name, int64_t v, bool *first)
{
	return v == 0 || (put_name(out, name, first) && buf_int(out, v));
}

static bool put_rate(struct buf *out, const char *name, int64_t count, int64_t us, bool *first)
{
	return count == 0 || (put_name(out, name, first) &&
			      buf_fmt(out, "{\"count\":%lld,\"window\":\"", (long long)count) &&
			      allowance_put_time(out, us) && buf_text(out, "\"}"));
}

static bool put_limits(struct buf *out, const struct allowance *a)
{
	bool first = true;

	return buf_text(out, ",\"limits\":") &&
	       put_rate(out, "requests", a->requests, a->requests_window_us, &first) &&
	       put_rate(out, "tokens", a->tokens, a->tokens_window_us, &first) &&
	       put_number(out, "concurrent", a->concurrent, &first) &&
	       put_number(out, "max_body", a->max_body, &first) &&
	       buf_text(out, first ? "null" : "}");
}

static bool put_budget(struct buf *out, const struct allowance *a)
{
	bool first = true;

	if (!buf_text(out, ",\"budget\":"))
		return false;
	if (a->budget_nano > 0 &&
	    (!put_name(out, "money", &first) || !buf_text(out, "\"") ||
	     !allowance_put_money(out, a->budget_nano) || !buf_text(out, "\"")))
		return false;
	if (!put_number(out, "tokens", a->budget_tokens, &first))
		return false;
	if (!first && a->budget_window_us > 0 &&
	    (!put_name(out, "window", &first) || !buf_text(out, "\"") ||
	     !allowance_put_time(out, a->budget_window_us) || !buf_text(out, "\"")))
		return false;
	return buf_text(out, first ? "null" : "}");
}

bool allowance_body_put(struct buf *out, const struct allowance *a)
{
	return put_limits(out, a) && put_budget(out, a);
}
