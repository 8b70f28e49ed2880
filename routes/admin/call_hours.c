/* Calls by the hour: a key's own, and those of all. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/money.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/lookup.h"
#include "store/job.h"
#include "store/ledger.h"

enum {
	HOUR_S = 60 * 60,
	DAY_HOURS = 24,
	ARENA = 32 * MIB,
};

struct hours {
	struct lookup          lookup;
	struct call_hours_read read;
};

/* By enum call_hours_by. */
static const char *const by_names[] = { "", "key", "model", "provider" };

/* --- the query --- */

static bool hours_read_by(struct request *r, enum call_hours_by *ret)
{
	struct str text;

	if (!request_query(r, "by", 0, &text))
		return true;
	for (size_t i = 1; i < ARRAY_LEN(by_names); i++)
		if (str_is(text, by_names[i])) {
			*ret = (enum call_hours_by)i;
			return true;
		}
	reply_refuse(r, ERR_INVALID_VALUE, "by", "must be one of: key, model, provider");
	return false;
}

static bool hours_read_query(struct request *r, struct call_hours_read *j)
{
	int64_t to = clock_wall_ms() / 1000;

	if (!page_seconds(r, "to", &to))
		return false;
	int64_t from = to - (DAY_HOURS - 1) * (int64_t)HOUR_S;
	if (!page_seconds(r, "from", &from) || !hours_read_by(r, &j->by) ||
	    !page_text(r, "key", IDENTITY_ID_MAX - 1, &j->arena, &j->key) ||
	    !page_text(r, "model", LIMIT_MODEL, &j->arena, &j->model) ||
	    !page_text(r, "provider", 63, &j->arena, &j->provider))
		return false;
	j->from = from / HOUR_S;
	j->to = to / HOUR_S + 1;
	if (from <= to)
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "from", "must not be later than to");
	return false;
}

/* --- the answer --- */

static bool hours_ms(struct buf *out, const char *key, int64_t us)
{
	return buf_text(out, ",\"") && buf_text(out, key) && buf_text(out, "\":") &&
	       (us < 0 ? buf_text(out, "null") : buf_thousandths(out, us));
}

static bool hours_number(struct buf *out, const char *key, int64_t v)
{
	return buf_text(out, key) && buf_int(out, v);
}

/* An answer may have thousands of rows, and printf is slow. */
static bool hours_sums(struct buf *out, const struct call_hours_row *row)
{
	const struct ledger_sums *s = &row->sums;
	const int64_t            *ends = s->outcomes;
	char                      text[MONEY_TEXT];

	return hours_number(out, "\"calls\":", s->calls) &&
	       hours_number(out, ",\"failed\":", ends[CALL_FAILED]) &&
	       hours_number(out, ",\"refused\":", ends[CALL_REFUSED]) &&
	       hours_number(out, ",\"cancelled\":", ends[CALL_CANCELLED]) &&
	       hours_number(out, ",\"client_left\":", ends[CALL_CLIENT_LEFT]) &&
	       hours_number(out, ",\"prompt_tokens\":", s->tokens_in) &&
	       hours_number(out, ",\"completion_tokens\":", s->tokens_out) &&
	       buf_text(out, ",\"cost\":\"") && buf_text(out, money_print(s->nano, text)) &&
	       buf_text(out, "\"") && hours_ms(out, "p50_ms", row->p50_us) &&
	       hours_ms(out, "p95_ms", row->p95_us) && hours_ms(out, "p99_ms", row->p99_us) &&
	       hours_ms(out, "first_token_p50_ms", row->first_p50_us) &&
	       hours_ms(out, "first_token_p95_ms", row->first_p95_us) && buf_text(out, "}");
}

static bool hours_text(struct buf *out, const char *key, struct str s)
{
	return buf_text(out, "\"") && buf_text(out, key) && buf_text(out, "\":") &&
	       (s.n > 0 ? buf_json_string(out, s) : buf_text(out, "null")) && buf_text(out, ",");
}

static bool hours_print_row(struct buf *out, const struct call_hours_read *j,
			    const struct call_hours_row *row)
{
	return hours_number(out, "{\"object\":\"call.hour\",\"hour\":", row->hour * HOUR_S) &&
	       buf_text(out, ",") &&
	       (!row->group || hours_text(out, by_names[j->by], call_group_name(row->group))) &&
	       (!row->group || !j->names || j->by != CALLS_BY_KEY ||
		hours_text(out, "key_name", call_group_key(row->group))) &&
	       hours_sums(out, row);
}

static bool hours_print(struct lookup *l, struct buf *out)
{
	const struct call_hours_read *j = &container_of(l, struct hours, lookup)->read;
	bool                          ok = buf_text(out, "{\"object\":\"list\",\"data\":[");

	for (size_t i = 0; ok && i < j->row_count; i++)
		ok = (i == 0 || buf_text(out, ",")) && hours_print_row(out, j, &j->rows[i]);
	return ok && buf_text(out, "],\"total\":{") && hours_sums(out, &j->total) &&
	       buf_text(out, "}");
}

/* hours_bytes: a row has some 300 bytes. */
static size_t hours_bytes(const struct lookup *l)
{
	return container_of(l, struct hours, lookup)->read.row_count * 300;
}

static const struct lookup_kind hours_kind = {
	LOOKUP(struct hours, read),
	LOOKUP_ARENA(struct hours, read.arena, ARENA),
	.bytes = hours_bytes,
	.print = hours_print,
	.cpu = true,
};

static void hours_start(struct hours *x, bool asked)
{
	if (asked)
		lookup_start(&x->lookup, store_call_hours_read(x->lookup.gateway->store, &x->read));
	else
		lookup_refuse(&x->lookup, NULL);
}

void call_hours_get(struct request *r, void *app)
{
	struct hours *x = lookup_make(&hours_kind, r, app);

	if (!x)
		return;
	bool asked = hours_read_query(r, &x->read);
	if (asked) {
		x->read.key = arena_str(&x->read.arena, str_of(request_view(r)->by.who->id));
		if (!x->read.key.p) {
			reply_refuse(r, ERR_OVERLOADED, "", "no memory for the request");
			asked = false;
		}
	}
	hours_start(x, asked);
}

void call_hours_admin_get(struct request *r, void *app)
{
	struct hours *x = lookup_make(&hours_kind, r, app);

	if (!x)
		return;
	x->read.names = true;
	hours_start(x, hours_read_query(r, &x->read));
}
