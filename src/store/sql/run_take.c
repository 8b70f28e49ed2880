/* Takes up a run that was left without an end.
 *
 * The eighth number of bill_dropped says that it was: it is there as long as the run goes on, since the first
 * seven are written with it (events_append), and goes with the run's end. */
#include "base/limits.h"
#include "store/cut_off.h"
#include "store/sql/query.h"

#define FIND(usage_0, usage_1, usage_2, usage_3, usage_4, usage_5, usage_6, mark, mine)    \
	"SELECT r.owner, r.conversation, c.secret, r.parent, m.secret, r.continues, "      \
	"k.secret, r.model, r.shape, r.settings, r.request_id, r.attempt_log, "            \
	"r.created_ms, r.seq_reserved, r.attempts, r.first_token_ms, r.provider, "         \
	"r.bill_key, r.bill_model, r.bill_in, r.bill_price_in, r.bill_price_out, " usage_0 \
	", " usage_1 ", " usage_2 ", " usage_3 ", " usage_4 ", coalesce(" usage_5          \
	", 1), coalesce(" usage_6 ", 1), coalesce(" mark ", 0), r.tags, "                  \
	"(SELECT count(*) FROM reservation v WHERE v.run = r.id) FROM run r "              \
	"LEFT JOIN conversation c ON c.id = r.conversation "                               \
	"LEFT JOIN message m ON m.id = r.parent LEFT JOIN run k ON k.id = r.continues "    \
	"WHERE r.id = $1 AND r.secret = $2 AND r.status < 2 AND " mine

/* Column by column, as recovery reads them. */
static const struct sql sql_find = {
	.sqlite = FIND("r.bill_dropped ->> 0", "r.bill_dropped ->> 1", "r.bill_dropped ->> 2",
		       "r.bill_dropped ->> 3", "r.bill_dropped ->> 4", "r.bill_dropped ->> 5",
		       "r.bill_dropped ->> 6", "r.bill_dropped ->> 7", "1"),
	.postgres =
		FIND("r.bill_dropped[1]", "r.bill_dropped[2]", "r.bill_dropped[3]",
		     "r.bill_dropped[4]", "r.bill_dropped[5]", "r.bill_dropped[6]",
		     "r.bill_dropped[7]", "r.bill_dropped[8]", "r.gateway = $3 FOR UPDATE OF r"),
};
static const struct sql sql_mark = {
	.sqlite = "UPDATE run SET bill_dropped = json_set(ifnull(bill_dropped, "
		  "'[0,0,0,0,0,1,0]'), '$[7]', 1) WHERE id = $1",
	.postgres = "UPDATE run SET bill_dropped = (coalesce(bill_dropped, "
		    "ARRAY[0,0,0,0,0,1,0]::bigint[]))[1:7] || 1::bigint WHERE id = $1",
};

enum {
	OWNER,
	CONVERSATION,
	CONVERSATION_SECRET,
	PARENT,
	PARENT_SECRET,
	CONTINUES,
	CONTINUES_SECRET,
	MODEL,
	SHAPE,
	SETTINGS,
	REQUEST_ID,
	ATTEMPT_LOG,
	CREATED_MS,
	SEQ_RESERVED,
	ATTEMPTS,
	FIRST_TOKEN_MS,
	PROVIDER,
	BILL_KEY,
	BILL_MODEL,
	BILL_IN,
	PRICE_IN,
	PRICE_OUT,
	DROPPED,
	NANO = DROPPED + 4,
	ASKED,
	ESTIMATED,
	MARK,
	TAGS,
	RESERVED,
};

static struct id take_id(struct row r, int key, int secret)
{
	return cell_null(r, secret) ? (struct id){ 0 } : cell_id(cell_int(r, key), r, secret);
}

static void take_bill(struct row r, struct run_take *j)
{
	bool dropped = !cell_null(r, DROPPED);

	j->bill = (struct cut_off_bill){
		.attempts = cell_int(r, ATTEMPTS),
		.first_token_ms = cell_int(r, FIRST_TOKEN_MS),
		.known = !cell_null(r, BILL_IN),
		.in = cell_int(r, BILL_IN),
		.priced = !cell_null(r, PRICE_IN),
		.price_in = cell_int(r, PRICE_IN),
		.price_out = cell_int(r, PRICE_OUT),
		.dropped = dropped,
		.dropped_usage = { .in = cell_int(r, DROPPED),
				   .out = cell_int(r, DROPPED + 1),
				   .cached_read = cell_int(r, DROPPED + 2),
				   .reasoning = cell_int(r, DROPPED + 3),
				   .estimated = cell_int(r, ESTIMATED) != 0 },
		.dropped_priced = !cell_null(r, NANO),
		.dropped_nano = cell_int(r, NANO),
		.asked = cell_int(r, ASKED) != 0,
	};
}

static void take_row(struct row r, struct run_take *j)
{
	struct {
		int         column;
		struct str *to;
	} const texts[] = {
		{ MODEL, &j->model },
		{ SHAPE, &j->shape },
		{ SETTINGS, &j->settings },
		{ REQUEST_ID, &j->request_id },
		{ ATTEMPT_LOG, &j->attempt_log },
		{ PROVIDER, &j->bill.provider },
		{ BILL_KEY, &j->bill.key },
		{ BILL_MODEL, &j->bill.model },
		{ TAGS, &j->bill.tags },
	};

	j->owner = cell_int(r, OWNER);
	j->conversation = take_id(r, CONVERSATION, CONVERSATION_SECRET);
	j->parent = take_id(r, PARENT, PARENT_SECRET);
	j->continues = take_id(r, CONTINUES, CONTINUES_SECRET);
	j->created_ms = cell_int(r, CREATED_MS);
	j->seq_reserved = (uint64_t)cell_int(r, SEQ_RESERVED);
	j->reserved = cell_int(r, RESERVED) > 0;
	take_bill(r, j);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!cell_keep(&j->arena, r, texts[i].column, texts[i].to, &j->job.err))
			return;
}

static enum work_next take_run(struct query *q, struct run_take *j)
{
	struct param *a;
	struct row    r;

	switch (q->stage) {
	case 0:
		j->taken = false;
		a = query_param(q);
		param_int(a, j->run.key);
		param_secret(a, j->run.secret);
		param_int(a, q->gateway);
		query_ask_either(q, &sql_find);
		return WORK_AGAIN;
	case 1:
		if (!query_row(q, 0, &r) || (cell_int(r, MARK) != 0 && !q->again && !j->again))
			return WORK_DONE;
		take_row(r, j);
		if (j->job.err.code != ERR_OK)
			return WORK_DONE;
		j->taken = true;
		param_int(query_param(q), j->run.key);
		query_ask_either(q, &sql_mark);
		return WORK_LAST;
	default: return WORK_DONE;
	}
}

SQL_OP(run_take, WORK_WRITE, take_run);
