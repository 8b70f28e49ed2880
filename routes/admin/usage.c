/* Sums of usage by key, model and day, and what is left of budgets: reads the query and prints the answer. */
#include "routes/kit/handlers.h"

#include "base/api_key.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/money.h"
#include "http/reply.h"
#include "http/request.h"
#include "json/value.h"
#include "msg/usage_tag.h"
#include "routes/admin/api_key_body.h"
#include "routes/kit/csv.h"
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
	BUDGETS = 20,
	BUDGETS_MOST = 100,
};

/* Before the name of a tag, in a group and in the key of a query. */
#define TAG "tag."

struct look {
	struct lookup     lookup;
	struct usage_read read;
	struct allowance  allowance, group; /* the key's, and its group's */
	struct str        values[2];        /* the tags' values, of their budgets for each */
};

static const char *const group_names[] = { "key", "model", "day", "group" };

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

/* usage_name: the name of a tag, as the configuration has it; p NULL: it has none of this name. */
static struct str usage_name(const struct usage_tag_names *tags, struct str name)
{
	size_t i = usage_tag_place(tags, name);

	return i < tags->count ? str_of(tags->names[i]) : STR_NONE;
}

static bool usage_has(const struct str list[LIMIT_TAG_NAMES], struct str s)
{
	size_t i = 0;

	while (i < LIMIT_TAG_NAMES && !str_eq(list[i], s))
		i++;
	return i < LIMIT_TAG_NAMES;
}

/* usage_read_one_group: one value; false: it is none. */
static bool usage_read_one_group(const struct usage_tag_names *tags, struct str text,
				 struct usage_read *q, size_t *by)
{
	struct str tag = STR_NONE;
	size_t     i = 0;

	if (str_starts(text, STR(TAG)))
		tag = usage_name(tags,
				 (struct str){ text.p + sizeof TAG - 1, text.n - sizeof TAG + 1 });
	while (i < ARRAY_LEN(group_names) && !str_is(text, group_names[i]))
		i++;
	if (i < ARRAY_LEN(group_names))
		q->group |= 1u << i;
	else if (tag.p && !usage_has(q->by_tags, tag))
		q->by_tags[(*by)++] = tag;
	return i < ARRAY_LEN(group_names) || tag.p;
}

static bool usage_read_group(struct request *r, const struct usage_tag_names *tags,
			     struct usage_read *q)
{
	struct str text;
	size_t     by = 0;

	for (size_t n = 0; request_query(r, "group", n, &text); n++) {
		if (n == 0)
			q->group = 0;
		if (usage_read_one_group(tags, text, q, &by))
			continue;
		reply_refuse(r, ERR_INVALID_VALUE, "group",
			     "must be key, model, day, group, or tag.NAME of one of usage_tags");
		return false;
	}
	return true;
}

/* usage_read_tags: the pairs that calls must have. */
static bool usage_read_tags(struct request *r, const struct usage_tag_names *tags,
			    struct usage_read *q)
{
	struct str rest, value;
	struct buf pair;
	char       path[sizeof TAG + LIMIT_TAG_NAME];

	buf_init(&pair, LIMIT_TAG_NAME + 1 + LIMIT_TAG_VALUE);
	for (size_t n = 0; request_query_with(r, TAG, n, &rest, &value); n++) {
		struct str  name = usage_name(tags, rest);
		const char *wrong = NULL;

		snprintf(path, sizeof path, TAG "%.*s",
			 rest.n < LIMIT_TAG_NAME ? (int)rest.n : LIMIT_TAG_NAME, rest.p);
		if (!name.p)
			wrong = "is none of usage_tags";
		else if (n == LIMIT_TAG_NAMES)
			wrong = "comes too often";
		else
			wrong = usage_tag_wrong(value);
		buf_clear(&pair);
		if (!wrong && buf_str(&pair, name) && buf_text(&pair, "=") && buf_str(&pair, value))
			q->with_tags[n] = arena_str(request_arena(r), buf_view(&pair));
		if (q->with_tags[n < LIMIT_TAG_NAMES ? n : 0].p && !wrong)
			continue;
		reply_refuse(r, wrong ? ERR_INVALID_VALUE : ERR_OVERLOADED, path,
			     wrong ? wrong : "no memory");
		buf_finish(&pair);
		return false;
	}
	buf_finish(&pair);
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

static bool usage_read_query(struct request *r, const struct gateway *g, struct usage_read *q)
{
	const struct usage_tag_names *tags = &g->now->usage_tags;

	q->to_day = clock_wall_ms() / 1000 / DAY_S;
	if (!read_day(r, "to", &q->to_day))
		return false;
	q->from_day = q->to_day - (DAYS - 1);
	if (!read_day(r, "from", &q->from_day) || !usage_read_group(r, tags, q) ||
	    !usage_read_tags(r, tags, q) || !usage_read_after(r, &q->skip) ||
	    !page_limit(r, ROWS, ROWS_MOST, &q->limit))
		return false;
	if (!request_query(r, "model", 0, &q->model))
		q->model = (struct str){ NULL, 0 };
	if (q->from_day <= q->to_day)
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "from", "must not be later than to");
	return false;
}

/* --- the answer --- */

static struct value *date_value(int64_t day)
{
	char text[DATE];

	return value_text_of(date_of(day, text));
}

/* IF: a member that is printed only if the request asks for it. */
/* clang-format off */
#define IF(wanted, name, made) { (wanted) ? (name) : NULL, (wanted) ? (made) : NULL }
/* clang-format on */

static const char *tag_member(struct str name, char ret[sizeof TAG + LIMIT_TAG_NAME])
{
	if (!name.p)
		return NULL;
	snprintf(ret, sizeof TAG + LIMIT_TAG_NAME, TAG "%.*s", STR_ARG(name));
	return ret;
}

static struct value *usage_row_of(const struct usage_row *row, const struct usage_read *u)
{
	unsigned group = u->group;
	char     names[LIMIT_TAG_NAMES][sizeof TAG + LIMIT_TAG_NAME];

#define BY_TAG(i)                                                \
	IF(u->by_tags[i].p, tag_member(u->by_tags[i], names[i]), \
	   row->tags[i].n ? value_string(row->tags[i]) : value_null())
	return VALUE_OBJECT(
		IF(group & USAGE_BY_DAY, "day", date_value(row->day)),
		IF(group & USAGE_BY_GROUP, "group",
		   row->group.n ? value_string(row->group) : value_null()),
		IF(group & USAGE_BY_KEY, "key", row->key.n ? value_string(row->key) : value_null()),
		IF(group & USAGE_BY_MODEL, "model", value_string(row->model)), BY_TAG(0), BY_TAG(1),
		BY_TAG(2), BY_TAG(3), { "calls", value_int(row->calls) },
		{ "calls_estimated", value_int(row->estimated) },
		{ "calls_unpriced", value_int(row->unpriced) },
		{ "input_tokens", value_int(row->tokens_in) },
		{ "output_tokens", value_int(row->tokens_out) },
		{ "cached_tokens", value_int(row->cached) },
		{ "reasoning_tokens", value_int(row->reasoning) },
		{ "cost", allowance_body_money(row->nano) });
}

static struct value *rows_of(const struct usage_read *u)
{
	struct value *list = value_array();

	for (size_t i = 0; list && i < u->row_count; i++)
		if (!value_push_take(list, usage_row_of(&u->rows[i], u))) {
			value_destroy(list);
			return NULL;
		}
	return list;
}

static struct value *budget_of(const struct look *x)
{
	const struct usage_read *u = &x->read;
	struct budget_row        b = { .allowance = x->allowance,
				       .began_ms = u->budget.began_ms,
				       .spent_nano = u->budget.spent_nano,
				       .reserved_nano = u->budget.reserved_nano,
				       .spent_tokens = u->budget.spent_tokens,
				       .reserved_tokens = u->budget.reserved_tokens };

	return allowance_body_left_value(&b, clock_wall_ms());
}

/* each_of: what is left of a budget for the value of a tag. */
static struct value *each_of(const struct look *x, size_t i)
{
	const struct allowance    *a = i == 0 ? &x->allowance : &x->group;
	const struct usage_budget *u = &x->read.each[i];
	struct budget_row          b = { .allowance = { .budget_nano = a->each_nano,
							.budget_window_us = a->each_window_us },
					 .began_ms = u->began_ms,
					 .spent_nano = u->spent_nano,
					 .reserved_nano = u->reserved_nano };
	struct allowance_body_left p = allowance_body_left(&b, clock_wall_ms());

	value_destroy(p.tokens);
	return VALUE_OBJECT({ "of", value_text_of(i == 0 ? "key" : "group") },
			    { "tag", value_text_of(a->each_tag) },
			    { "value", x->values[i].n ? value_string(x->values[i]) : value_null() },
			    { "cost", p.cost }, { "renewed_at", p.renewed_at });
}

static struct value *eaches_of(const struct look *x)
{
	struct value *list = value_array();

	for (size_t i = 0; list && i < ARRAY_LEN(x->read.each); i++)
		if (x->read.each[i].name[0] && !value_push_take(list, each_of(x, i))) {
			value_destroy(list);
			return NULL;
		}
	return list;
}

/* ceiling_of: what is left of the ceiling of a session. */
static struct value *ceiling_of(const struct usage_read *u)
{
	struct budget_row b = { .allowance = { .budget_nano = u->ceiling.limit_nano },
				.spent_nano = u->ceiling.spent_nano,
				.reserved_nano = u->ceiling.reserved_nano };

	return allowance_body_left(&b, 0).cost;
}

static bool usage_print(struct lookup *l, struct buf *out)
{
	const struct look       *x = container_of(l, struct look, lookup);
	const struct usage_read *u = &x->read;
	struct value            *v = VALUE_OBJECT(
			   { "object", value_text_of("usage") }, { "from", date_value(u->from_day) },
			   { "to", date_value(u->to_day) }, { "has_more", value_bool(u->has_more) },
			   { "next", u->has_more ? value_fmt("%zu", u->skip + u->row_count) : value_null() },
			   { "budget", budget_of(x) },
			   IF(u->each[0].name[0] || u->each[1].name[0], "each", eaches_of(x)),
			   IF(u->session[0], "session", ceiling_of(u)), { "data", rows_of(u) });
	bool ok = value_print(v, out);

	value_destroy(v);
	return ok;
}

static const struct lookup_kind look_kind = {
	LOOKUP(struct look, read),
	LOOKUP_ARENA(struct look, read.arena, 4 * MIB),
	.print = usage_print,
};

/* --- as CSV --- */

static bool usage_print_csv(struct lookup *l, struct buf *out)
{
	const struct usage_read *u = &container_of(l, struct look, lookup)->read;
	char                     columns[384], tags[160] = "", text[MONEY_TEXT], date[DATE];
	size_t                   at = 0;

	for (size_t i = 0; i < LIMIT_TAG_NAMES && u->by_tags[i].p; i++)
		at += (size_t)snprintf(tags + at, sizeof tags - at, TAG "%.*s,",
				       STR_ARG(u->by_tags[i]));
	snprintf(columns, sizeof columns,
		 "%s%s%s%s%scalls,calls_estimated,calls_unpriced,input_tokens,output_tokens,"
		 "cached_tokens,reasoning_tokens,cost",
		 u->group & USAGE_BY_DAY ? "day," : "", u->group & USAGE_BY_GROUP ? "group," : "",
		 u->group & USAGE_BY_KEY ? "key," : "", u->group & USAGE_BY_MODEL ? "model," : "",
		 tags);
	struct csv c = csv_begin(out, columns);
	for (size_t i = 0; c.ok && i < u->row_count; i++) {
		const struct usage_row *row = &u->rows[i];
		const int64_t numbers[] = { row->calls,     row->estimated,  row->unpriced,
					    row->tokens_in, row->tokens_out, row->cached,
					    row->reasoning };

		if (u->group & USAGE_BY_DAY)
			csv_text(&c, str_of(date_of(row->day, date)));
		if (u->group & USAGE_BY_GROUP)
			csv_text(&c, row->group);
		if (u->group & USAGE_BY_KEY)
			csv_text(&c, row->key);
		if (u->group & USAGE_BY_MODEL)
			csv_text(&c, row->model);
		for (size_t k = 0; k < LIMIT_TAG_NAMES && u->by_tags[k].p; k++)
			csv_text(&c, row->tags[k]);
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
			csv_int(&c, numbers[k]);
		csv_text(&c, str_of(money_print(row->nano, text)));
		csv_row(&c);
	}
	return c.ok;
}

static enum errc usage_came_csv(struct lookup *l, struct err *e)
{
	const struct usage_read *u = &container_of(l, struct look, lookup)->read;
	char                     next[24];
	int                      n = snprintf(next, sizeof next, "%zu", u->skip + u->row_count);

	(void)e;
	csv_headers(l->request, "usage.csv", (struct str){ next, u->has_more ? (size_t)n : 0 });
	return ERR_OK;
}

static const struct lookup_kind look_csv = {
	LOOKUP(struct look, read), LOOKUP_ARENA(struct look, read.arena, 4 * MIB),
	.came = usage_came_csv,    .print = usage_print_csv,
	.type = CSV_TYPE,
};

/* look_make: NULL: the request was refused and answered. */
static struct look *look_make(struct request *r, struct gateway *g)
{
	bool csv;

	return csv_asked(r, &csv) ? lookup_make(csv ? &look_csv : &look_kind, r, g) : NULL;
}

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

	bool ok = asked && usage_keep(&x->read.arena, &x->read.key) &&
		  usage_keep(&x->read.arena, &x->read.model);
	for (size_t i = 0; ok && i < LIMIT_TAG_NAMES; i++)
		ok = usage_keep(&x->read.arena, &x->read.by_tags[i]) &&
		     usage_keep(&x->read.arena, &x->read.with_tags[i]);
	for (size_t i = 0; ok && i < ARRAY_LEN(x->values); i++)
		ok = usage_keep(&x->read.arena, &x->values[i]);
	if (ok) {
		lookup_start(&x->lookup, store_usage_read(x->lookup.gateway->store, &x->read));
		return;
	}
	err_no_memory(&e);
	lookup_refuse(&x->lookup, asked ? &e : NULL);
}

/* usage_read_each: the budget of a key or a group for the value that the query names, or for calls without one. */
static void usage_read_each(struct request *r, struct look *x, size_t i, const char *id,
			    const struct allowance *a)
{
	char key[sizeof TAG + LIMIT_TAG_NAME];

	if (a->each_nano <= 0)
		return;
	snprintf(key, sizeof key, TAG "%s", a->each_tag);
	if (!request_query(r, key, 0, &x->values[i]))
		x->values[i] = STR_NONE;
	usage_each_name(id, str_of(a->each_tag), x->values[i], x->read.each[i].name);
}

static void usage_read_budgets(struct request *r, struct look *x, const struct identity *who)
{
	x->allowance = who->allowance;
	str_copy(x->read.budget.name, sizeof x->read.budget.name, str_of(who->id));
	usage_read_each(r, x, 0, who->id, &x->allowance);
	if (!who->group)
		return;
	x->group = who->group->allowance;
	usage_read_each(r, x, 1, who->group->id, &x->group);
}

void usage_get(struct request *r, void *app)
{
	const struct identity *who = request_view(r)->by.who;
	struct look           *x = look_make(r, app);
	struct str             session;

	if (!x)
		return;
	x->read.group = USAGE_BY_DAY;
	bool asked = usage_read_query(r, app, &x->read);
	x->read.key = str_of(who->id);
	if (asked)
		usage_read_budgets(r, x, who);
	if (request_query(r, "session", 0, &session)) {
		x->read.now_ms = clock_wall_ms();
		usage_session_name(request_owner(r), usage_session(request_owner(r), session),
				   x->read.session);
	}
	usage_start(x, asked);
}

void usage_admin_get(struct request *r, void *app)
{
	struct look *x = look_make(r, app);

	if (!x)
		return;
	x->read.group = USAGE_BY_KEY;
	bool asked = usage_read_query(r, app, &x->read);
	if (!request_query(r, "key", 0, &x->read.key))
		x->read.key = STR_NONE;
	usage_start(x, asked);
}

/* --- budgets of all keys and groups --- */

struct budgets {
	struct lookup       lookup;
	struct budgets_read read;
};

static struct value *budget_row_of(const struct budget_row *b)
{
	struct allowance_body_left p = allowance_body_left(b, clock_wall_ms());
	struct str                 id;
	bool                       group = api_key_group(str_of(b->of), &id);

	return VALUE_OBJECT({ "object", value_text_of("budget") },
			    { "key", group ? value_null() : value_text_of(b->of) },
			    { "group", group ? value_text_of(b->of) : value_null() },
			    { "name", value_string(b->name) }, { "cost", p.cost },
			    { "tokens", p.tokens }, { "renewed_at", p.renewed_at });
}

static bool budgets_print(struct lookup *l, struct buf *out)
{
	const struct budgets_read *j = &container_of(l, struct budgets, lookup)->read;
	struct value              *list = value_array();

	for (size_t i = 0; list && i < j->row_count; i++)
		if (!value_push_take(list, budget_row_of(&j->rows[i]))) {
			value_destroy(list);
			list = NULL;
		}
	struct value *v = VALUE_OBJECT({ "object", value_text_of("list") }, { "data", list },
				       { "has_more", value_bool(j->has_more) });
	bool          ok = value_print(v, out);

	value_destroy(v);
	return ok;
}

static const struct lookup_kind budgets_kind = {
	LOOKUP(struct budgets, read),
	LOOKUP_ARENA(struct budgets, read.arena, MIB),
	.print = budgets_print,
};

void budgets_admin_get(struct request *r, void *app)
{
	struct budgets *x = lookup_make(&budgets_kind, r, app);

	if (!x)
		return;
	x->read.now_ms = clock_wall_ms();
	if (page_limit(r, BUDGETS, BUDGETS_MOST, &x->read.limit))
		lookup_start(&x->lookup, store_budgets_read(x->lookup.gateway->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}
