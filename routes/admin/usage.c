/* Sums of usage by key, model and day: reads the query and prints the answer. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/money.h"
#include "http/reply.h"
#include "http/request.h"
#include "json/value.h"
#include "routes/kit/lookup.h"
#include "store/job.h"
#include "store/usage.h"

#include <stdio.h>

#define DAY_S ((int64_t)24 * 60 * 60)

enum {
	ROWS = 100,
	ROWS_MOST = 1000,
	DAYS = 30,
	DATE = 11, /* "2026-11-21" */
	CURSOR_MOST = 1000000,
};

struct look {
	struct lookup     lookup;
	struct usage_read read;
	struct allowance  allowance;
};

static const char *const group_names[] = { "key", "model", "day" };

/* --- dates: days since 1970, by Howard Hinnant's algorithms --- */

static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
	y -= m <= 2;
	int64_t era = y / 400;
	int64_t yoe = y - era * 400;
	int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;

	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static const char *date_of(int64_t day, char ret[DATE])
{
	int64_t z = day + 719468;
	int64_t era = z / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;
	int     d = (int)(doy - (153 * mp + 2) / 5 + 1);
	int     m = (int)(mp < 10 ? mp + 3 : mp - 9);
	int     y = (int)(yoe + era * 400 + (m <= 2));

	snprintf(ret, DATE, "%04u-%02u-%02u", (unsigned)y % 10000, (unsigned)m % 100,
		 (unsigned)d % 100);
	return ret;
}

/* read_date: reads YYYY-MM-DD of an existing day. */
static bool read_date(struct str s, int64_t *ret)
{
	char text[DATE];
	int  n[3] = { 0, 0, 0 };
	int  part = 0;

	if (s.n != DATE - 1)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool dash = i == 4 || i == 7;

		if (dash ? s.p[i] != '-' : s.p[i] < '0' || s.p[i] > '9')
			return false;
		part += dash;
		if (!dash)
			n[part] = n[part] * 10 + (s.p[i] - '0');
	}
	if (n[0] < 1970 || n[1] < 1 || n[1] > 12 || n[2] < 1)
		return false;
	*ret = days_of(n[0], n[1], n[2]);
	return str_eq(str_of(date_of(*ret, text)), s);
}

/* --- the query --- */

static bool read_day(struct request *r, const char *name, int64_t *ret)
{
	struct str text;

	if (!request_query(r, name, 0, &text) || read_date(text, ret))
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, name, "must be a day, such as 2026-11-21");
	return false;
}

static bool usage_read_group(struct request *r, unsigned *ret)
{
	struct str text;

	for (size_t n = 0; request_query(r, "group", n, &text); n++) {
		size_t i = 0;

		if (n == 0)
			*ret = 0;
		while (i < ARRAY_LEN(group_names) && !str_is(text, group_names[i]))
			i++;
		if (i == ARRAY_LEN(group_names)) {
			reply_refuse(r, ERR_INVALID_VALUE, "group",
				     "must be one of: key, model, day");
			return false;
		}
		*ret |= 1u << i;
	}
	return true;
}

static bool usage_read_after(struct request *r, size_t *ret)
{
	struct str text;
	size_t     v = 0;

	if (!request_query(r, "after", 0, &text))
		return true;
	for (size_t i = 0; i < text.n && v <= CURSOR_MOST; i++)
		v = text.p[i] >= '0' && text.p[i] <= '9' ? v * 10 + (size_t)(text.p[i] - '0')
							 : CURSOR_MOST + 1;
	*ret = v;
	if (v <= CURSOR_MOST)
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "after", "must be the next of the previous page");
	return false;
}

static bool usage_read_query(struct request *r, struct usage_read *q)
{
	q->to_day = clock_wall_ms() / 1000 / DAY_S;
	if (!read_day(r, "to", &q->to_day))
		return false;
	q->from_day = q->to_day - (DAYS - 1);
	if (!read_day(r, "from", &q->from_day) || !usage_read_group(r, &q->group) ||
	    !usage_read_after(r, &q->skip) || !page_limit(r, ROWS, ROWS_MOST, &q->limit))
		return false;
	if (!request_query(r, "model", 0, &q->model))
		q->model = (struct str){ NULL, 0 };
	if (q->from_day <= q->to_day)
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "from", "must not be later than to");
	return false;
}

/* --- the answer --- */

static struct value *money_of(int64_t nano)
{
	char text[MONEY_TEXT];

	return value_text_of(money_print(nano, text));
}

static struct value *date_value(int64_t day)
{
	char text[DATE];

	return value_text_of(date_of(day, text));
}

/* IF: a member that is printed only if the request asks for it. */
/* clang-format off */
#define IF(wanted, name, made) { (wanted) ? (name) : NULL, (wanted) ? (made) : NULL }
/* clang-format on */

static struct value *usage_row_of(const struct usage_row *row, unsigned group)
{
	return VALUE_OBJECT(
		IF(group & USAGE_BY_DAY, "day", date_value(row->day)),
		IF(group & USAGE_BY_KEY, "key", row->key.n ? value_string(row->key) : value_null()),
		IF(group & USAGE_BY_MODEL, "model", value_string(row->model)),
		{ "calls", value_int(row->calls) },
		{ "calls_estimated", value_int(row->estimated) },
		{ "calls_unpriced", value_int(row->unpriced) },
		{ "input_tokens", value_int(row->tokens_in) },
		{ "output_tokens", value_int(row->tokens_out) },
		{ "cached_tokens", value_int(row->cached) },
		{ "reasoning_tokens", value_int(row->reasoning) }, { "cost", money_of(row->nano) });
}

static struct value *rows_of(const struct usage_read *u)
{
	struct value *list = value_array();

	for (size_t i = 0; list && i < u->row_count; i++)
		if (!value_push_take(list, usage_row_of(&u->rows[i], u->group))) {
			value_destroy(list);
			return NULL;
		}
	return list;
}

static int64_t left_of(int64_t limit, int64_t spent, int64_t reserved)
{
	int64_t left = limit - spent;

	return left > reserved ? left - reserved : 0;
}

/* sum_of: prints one bound of a budget, in money or in tokens. */
static struct value *sum_of(struct value *(*made)(int64_t v), int64_t limit, int64_t spent,
			    int64_t reserved)
{
	if (limit <= 0)
		return value_null();
	return VALUE_OBJECT({ "limit", made(limit) }, { "spent", made(spent) },
			    { "reserved", made(reserved) },
			    { "left", made(left_of(limit, spent, reserved)) });
}

static struct value *budget_of(const struct look *x)
{
	const struct allowance  *a = &x->allowance;
	const struct usage_read *u = &x->read;
	int64_t                  window_ms = a->budget_window_us / 1000;
	int64_t end_ms = u->budgeted && window_ms > 0 ? u->began_ms + window_ms : 0;
	bool    over = end_ms > 0 && end_ms <= clock_wall_ms();

	if (a->budget_nano <= 0 && a->budget_tokens <= 0)
		return value_null();
	return VALUE_OBJECT({ "cost", sum_of(money_of, a->budget_nano, over ? 0 : u->spent_nano,
					     u->reserved_nano) },
			    { "tokens", sum_of(value_int, a->budget_tokens,
					       over ? 0 : u->spent_tokens, u->reserved_tokens) },
			    { "renewed_at", end_ms > 0 && !over ? value_int((end_ms + 999) / 1000)
								: value_null() });
}

static bool usage_print(struct lookup *l, struct buf *out)
{
	const struct look       *x = container_of(l, struct look, lookup);
	const struct usage_read *u = &x->read;
	struct value            *v = VALUE_OBJECT(
			   { "object", value_text_of("usage") }, { "from", date_value(u->from_day) },
			   { "to", date_value(u->to_day) }, { "has_more", value_bool(u->has_more) },
			   { "next", u->has_more ? value_fmt("%zu", u->skip + u->row_count) : value_null() },
			   { "budget", budget_of(x) }, { "data", rows_of(u) });
	bool ok = value_print(v, out);

	value_destroy(v);
	return ok;
}

static const struct lookup_kind look_kind = {
	LOOKUP(struct look, read),
	LOOKUP_ARENA(struct look, read.arena, 4 * MIB),
	.print = usage_print,
};

/* usage_keep: copies the spans of the query, because the request may end before the answer. */
static bool usage_keep(struct arena *a, struct str *s)
{
	if (!s->p)
		return true;
	*s = arena_str(a, *s);
	return s->p;
}

/* usage_start: `asked`: the query is valid. */
static void usage_start(struct look *x, bool asked)
{
	struct err e;

	if (asked && usage_keep(&x->read.arena, &x->read.key) &&
	    usage_keep(&x->read.arena, &x->read.model)) {
		lookup_start(&x->lookup, store_usage_read(x->lookup.gateway->store, &x->read));
		return;
	}
	err_no_memory(&e);
	lookup_refuse(&x->lookup, asked ? &e : NULL);
}

void usage_get(struct request *r, void *app)
{
	const struct identity *who = request_view(r)->by.who;
	struct look           *x = lookup_make(&look_kind, r, app);

	if (!x)
		return;
	x->read.group = USAGE_BY_DAY;
	x->allowance = who->allowance;
	bool asked = usage_read_query(r, &x->read);
	x->read.key = str_of(who->id);
	usage_start(x, asked);
}

void usage_admin_get(struct request *r, void *app)
{
	struct look *x = lookup_make(&look_kind, r, app);

	if (!x)
		return;
	x->read.group = USAGE_BY_KEY;
	bool asked = usage_read_query(r, &x->read);
	if (!request_query(r, "key", 0, &x->read.key))
		x->read.key = STR_NONE;
	usage_start(x, asked);
}
