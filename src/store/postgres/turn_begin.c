/* Begins turns before their calls: new conversations, the messages and the runs.
 *
 * What the update or the insert of the conversation returns, is begun; all else is written for these. */
#include "store/turn.h"
#include "base/limits.h"
#include "store/common/excerpt.h"
#include "store/postgres/answer_names.h"
#include "store/postgres/batch.h"
#include "store/sql/labels.h"
#include "store/postgres/postgres.h"

/* Parameters bring their types along (store/sql/param.h). */
#define TURNS                                                                                             \
	"SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, "         \
	"$16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $42, $43, $44, $45, $46) AS t(run, " \
	"secret, owner, conversation, other, fresh, branching, expected, parent, "                        \
	"parent_secret, last, now, seq, model, provider, shape, instruction, "                            \
	"labels, metadata, continues, request_id, settings, bill_key, "                                   \
	"bill_model, bill_in, bill_price_in, bill_price_out, opening, excerpt, brings, origin, tags)"
#define TURN_MESSAGES \
	"SELECT * FROM unnest($28, $29, $30, $31, $32) AS m(run, id, secret, prev, body)"
#define HAS_PARENT                                                                    \
	"(t.parent = 0 OR EXISTS (SELECT 1 FROM message p WHERE p.id = t.parent AND " \
	"p.secret = t.parent_secret AND p.conversation = t.conversation))"
#define IS_LIVE   "EXISTS (SELECT 1 FROM run l WHERE l.id = c.leaf AND l.status < 2)"
#define LEAF      "CASE WHEN c.tip <> 0 THEN c.tip ELSE c.leaf END"
#define ALIVE(me) "EXISTS (SELECT 1 FROM gateway g WHERE g.id = " me " AND g.dead = 0)"
/* A key that was taken is locked before anything is written.  Without its claim, which a crash of the server may have
 * lost, another gateway may have made the call. */
#define CLAIMS                                                                               \
	"claims AS MATERIALIZED (SELECT k.run FROM unnest($36, $37, $40) "                   \
	"AS k(run, key, owner) JOIN idempotency i USING (owner, key) WHERE i.gateway = $39 " \
	"FOR UPDATE OF i)"
#define HAS_CLAIM "(t.run <> ALL($41) OR t.run IN (SELECT run FROM claims))"

static const char sql_begin[] =
	"WITH " CLAIMS ", t AS MATERIALIZED (" TURNS " WHERE " HAS_CLAIM "), "
	"waits AS MATERIALIZED (SELECT r.id FROM run r JOIN t ON t.continues = r.id "
	"WHERE t.branching = 2 AND r.status = 2 FOR UPDATE OF r), "
	"moved AS (UPDATE conversation c SET leaf = t.run, tip = 0, rev = c.rev + 1, "
	"opening = coalesce(c.opening, t.opening), excerpt = coalesce(t.excerpt, c.excerpt), "
	"model = t.model, messages = c.messages + t.brings, "
	"recent = CASE WHEN c.origin = 1 THEN t.run END FROM t "
	"WHERE t.fresh = 0 AND c.id = t.conversation AND c.secret = t.other "
	"AND c.owner = t.owner AND " ALIVE(
		"$39") " AND (t.branching <> 2 OR t.continues IN (SELECT id FROM waits)) "
		       "AND (t.branching = 1 OR (" LEAF " = t.expected "
		       "AND NOT " IS_LIVE ")) AND " HAS_PARENT " RETURNING t.run), "
		       "made AS (INSERT INTO conversation (id, secret, owner, created_ms, leaf, metadata, "
		       "opening, excerpt, model, messages, origin, recent) "
		       "SELECT conversation, other, owner, now, run, labels, opening, "
		       "excerpt, model, brings, origin, CASE WHEN origin = 1 THEN run END FROM t "
		       "WHERE fresh = 1 AND parent = 0 AND " ALIVE(
			       "$39") " ON CONFLICT DO NOTHING RETURNING leaf AS run), "
				      "begun AS (SELECT run FROM moved UNION ALL SELECT run FROM made), "
				      "runs AS (INSERT INTO run (id, secret, owner, gateway, conversation, parent, base, status, "
				      "created_ms, attempts, continues, seq_reserved, model, provider, shape, instruction, "
				      "metadata, request_id, settings, bill_key, bill_model, bill_in, bill_price_in, "
				      "bill_price_out, tags) SELECT t.run, t.secret, t.owner, $39, t.conversation, t.last, t.parent, 1, "
				      "t.now, 1, t.continues, t.seq, t.model, t.provider, t.shape, t.instruction, t.metadata, "
				      "t.request_id, t.settings, t.bill_key, t.bill_model, t.bill_in, t.bill_price_in, "
				      "t.bill_price_out, t.tags FROM t JOIN begun USING (run)), "
				      "messages AS (INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, "
				      "body) SELECT m.id, m.secret, t.owner, t.conversation, m.prev, t.run, t.now, m.body FROM "
				      "(" TURN_MESSAGES
				      ") m JOIN begun USING (run) JOIN t USING (run)), "
				      "labels AS (INSERT INTO conversation_label (owner, key, value, conversation) "
				      "SELECT t.owner, l.key, l.value, t.conversation FROM unnest($33, $34, "
				      "$35) AS l(run, key, value) JOIN begun USING (run) JOIN t USING (run) "
				      "ON CONFLICT DO NOTHING), "
				      "keys AS (INSERT INTO idempotency (id, secret, owner, gateway, key, fingerprint, created_ms, "
				      "stored, outcome, http) SELECT t.run, t.secret, t.owner, $39, k.key, k.fingerprint, t.now, "
				      "1, 1, 0 FROM unnest($36, $37, $38) AS k(run, key, fingerprint) "
				      "JOIN begun USING (run) JOIN t USING (run) " ANSWER_REPLACE
				      ") "
				      "SELECT run FROM begun";
static const char sql_keep[] =
	"UPDATE conversation c SET keep_ms = k.keep, due_ms = k.now + k.keep FROM unnest($1::bigint[], "
	"$2::bigint[], $3::bigint[], $4::bigint[]) AS k(id, run, keep, now) "
	"WHERE c.id = k.id AND c.leaf = k.run";
static const char sql_why[] = "SELECT t.run, (" ALIVE(
	"$9") ")::int::bigint, EXISTS (SELECT 1 FROM run r WHERE r.id = t.run "
	      "AND r.secret = t.secret)::int::bigint, c.id, (c.id IS NOT NULL AND " LEAF
	      " = t.expected AND NOT " IS_LIVE ")::int::bigint, (" HAS_PARENT ")::int::bigint, "
	      "(t.key IS NULL OR EXISTS (SELECT 1 FROM idempotency i WHERE i.owner = t.owner "
	      "AND i.key = t.key AND i.gateway = $9))::int::bigint FROM "
	      "unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], "
	      "$7::bigint[], $8::bigint[], $10::text[]) AS t(run, secret, owner, conversation, "
	      "conversation_secret, expected, parent, parent_secret, key) LEFT JOIN conversation c ON c.id = t.conversation "
	      "AND c.secret = t.conversation_secret AND c.owner = t.owner";

static const struct turn_begin *begin_of(const struct group *g, size_t i)
{
	return container_of(g->jobs[i], struct turn_begin, job);
}

static enum errc begin_busy(struct err *e)
{
	err_set(e, ERR_CONVERSATION_BUSY, "conversation",
		"another turn of this conversation is still running, or came in between; "
		"try again when it has ended");
	e->retry_after_ms = 1000;
	return e->code;
}

static size_t begin_things(struct store_job *job, void (*add)(void *arg, int64_t thing), void *arg)
{
	const struct turn_begin *j = container_of(job, struct turn_begin, job);
	size_t                   bytes = KIB + j->metadata.n + j->settings.n + j->instruction.n;

	add(arg, j->conversation.key);
	add(arg, answer_thing(j->owner, &j->key));
	for (size_t i = 0; i < j->message_count; i++)
		bytes += j->messages[i].body.n + KIB / 16;
	return bytes;
}

static void begin_lost(struct err *e)
{
	err_set(e, ERR_STORAGE, "", "the gateway had lost its place in the database; try again");
	e->retry_after_ms = 1000;
}

/* begin_check: what another gateway may have taken meanwhile is not begun here. */
static void begin_check(const struct postgres *db, struct store_job *job)
{
	const struct turn_begin *j = container_of(job, struct turn_begin, job);

	if (j->key.holder != 0 && j->key.holder != db->gateway)
		begin_lost(&job->err);

	for (size_t i = 0; i < j->message_count; i++)
		if (j->messages[i].body.n > LIMIT_STORE_ROW)
			err_set(&job->err, ERR_REQUEST_TOO_LARGE, "",
				"a message is too large to be stored (at most %u MiB)",
				LIMIT_STORE_ROW / MIB - 1);
}

static int64_t last_of(const struct turn_begin *j)
{
	return j->message_count > 0 ? j->messages[j->message_count - 1].id.key : j->parent.key;
}

/* begin_place: the column `branching`: 1: where the client chose; 2: after code that waits, which must
 * not have been withdrawn (run_withdraw.c). */
static int64_t begin_place(const struct turn_begin *j)
{
	return j->branching ? 1 : j->waits ? 2 : 0;
}

#define EACH(type, add) PARAM_EACH(a, PARAM_##type, i, g->count, add)
#define J               begin_of(g, i)

static void begin_price(struct param *a, const struct turn_begin *j, int64_t price)
{
	if (j->bill.priced)
		param_int(a, price);
	else
		param_null(a, PARAM_INT);
}

static void begin_instruction(struct param *a, const struct turn_begin *j)
{
	if (j->instruction_set)
		param_bytes(a, j->instruction);
	else
		param_null(a, PARAM_BYTES);
}

static void begin_turns(struct param *a, const struct group *g)
{
	EACH(INT, param_int(a, J->run.key));
	EACH(INT, param_secret(a, J->run.secret));
	EACH(INT, param_int(a, J->owner));
	EACH(INT, param_int(a, J->conversation.key));
	EACH(INT, param_secret(a, J->conversation.secret));
	EACH(INT, param_int(a, J->new_conversation));
	EACH(INT, param_int(a, begin_place(J)));
	EACH(INT, param_int(a, J->expected_leaf.key));
	EACH(INT, param_int(a, J->parent.key));
	EACH(INT, param_secret(a, J->parent.secret));
	EACH(INT, param_int(a, last_of(J)));
	EACH(INT, param_int(a, J->now_ms));
	EACH(INT, param_int(a, (int64_t)J->seq_reserved));
	EACH(TEXT, param_maybe(a, J->model));
	EACH(TEXT, param_maybe(a, J->provider));
	EACH(TEXT, param_maybe(a, J->shape));
	EACH(BYTES, begin_instruction(a, J));
	EACH(TEXT, param_maybe(a, J->new_conversation ? J->metadata : STR_NONE));
	EACH(TEXT, param_maybe(a, J->new_conversation ? STR_NONE : J->metadata));
	EACH(INT, param_int(a, J->continues.key));
	EACH(TEXT, param_maybe(a, J->request_id));
	EACH(TEXT, param_maybe(a, J->settings));
	EACH(TEXT, param_text(a, J->bill.key));
	EACH(TEXT, param_text(a, J->bill.model));
	EACH(INT, param_int(a, J->bill.in));
	EACH(INT, begin_price(a, J, J->bill.price_in));
	EACH(INT, begin_price(a, J, J->bill.price_out));
}

#define EACH_MESSAGE(type, add)                                       \
	do {                                                          \
		param_begin(a, PARAM_##type);                         \
		for (size_t i = 0; i < g->count; i++)                 \
			for (size_t k = 0; k < J->message_count; k++) \
				(add);                                \
		param_end(a);                                         \
	} while (0)
#define M (&J->messages[k])

static void begin_messages(struct param *a, const struct group *g)
{
	EACH_MESSAGE(INT, param_int(a, J->run.key));
	EACH_MESSAGE(INT, param_int(a, M->id.key));
	EACH_MESSAGE(INT, param_secret(a, M->id.secret));
	EACH_MESSAGE(INT, param_int(a, k > 0 ? M[-1].id.key : J->parent.key));
	EACH_MESSAGE(TEXT, param_text(a, M->body));
}

static void begin_labels(struct param *a, const struct group *g)
{
	struct labels all = { 0 };

	for (size_t i = 0; i < g->count; i++)
		if (J->new_conversation)
			a->failed = !labels_add(&all, J->run.key, J->metadata) || a->failed;
	labels_args(&all, a);
	labels_finish(&all);
}

#define EACH_IF(type, has, add)                       \
	do {                                          \
		param_begin(a, PARAM_##type);         \
		for (size_t i = 0; i < g->count; i++) \
			if (has)                      \
				(add);                \
		param_end(a);                         \
	} while (0)
#define EACH_KEY(type, add) EACH_IF(type, J->key.key.n > 0, add)

/* begin_row: what the turn's messages make of the conversation's row in a list. */
static void begin_row(struct param *a, const struct turn_begin *j, bool opening)
{
	struct excerpt_row row;

	excerpt_row(&row, j->messages, j->message_count);
	param_maybe(a, opening ? row.opening : row.excerpt);
}

/* begin_keeps: asks to keep the conversations as long as their turns say; false: none does. */
static bool begin_keeps(struct work *w, const struct group *g)
{
	bool          any = false;
	struct param *a;

	for (size_t i = 0; i < g->count; i++)
		any = any || J->keep_ms > 0;
	if (!any)
		return false;
	a = work_param(w);
	EACH_IF(INT, J->keep_ms > 0, param_int(a, J->conversation.key));
	EACH_IF(INT, J->keep_ms > 0, param_int(a, J->run.key));
	EACH_IF(INT, J->keep_ms > 0, param_int(a, J->keep_ms));
	EACH_IF(INT, J->keep_ms > 0, param_int(a, J->now_ms));
	work_ask(w, sql_keep);
	return true;
}

static size_t begin_ask(struct work *w, const struct group *g)
{
	struct param *a = work_param(w);

	begin_turns(a, g);
	begin_messages(a, g);
	begin_labels(a, g);
	EACH_KEY(INT, param_int(a, J->run.key));
	EACH_KEY(TEXT, param_text(a, J->key.key));
	EACH_KEY(BYTES, param_bytes(a, J->key.digest));
	param_int(a, w->db->gateway);
	EACH_KEY(INT, param_int(a, J->owner));
	EACH_IF(INT, J->key.holder != 0, param_int(a, J->run.key));
	EACH(TEXT, begin_row(a, J, true));
	EACH(TEXT, begin_row(a, J, false));
	EACH(INT, param_int(a, (int64_t)J->message_count));
	EACH(INT, param_int(a, (int64_t)J->origin));
	EACH(TEXT, param_maybe(a, J->bill.tags));
	work_ask(w, sql_begin);
	return begin_keeps(w, g) ? 2 : 1;
}

static bool begin_judge(struct work *w, const struct group *g)
{
	return (size_t)work_rows(w, g->at) < g->count;
}

static void begin_why(struct work *w, const struct group *g)
{
	struct param *a = work_param(w);

	EACH(INT, param_int(a, J->run.key));
	EACH(INT, param_secret(a, J->run.secret));
	EACH(INT, param_int(a, J->owner));
	EACH(INT, param_int(a, J->conversation.key));
	EACH(INT, param_secret(a, J->conversation.secret));
	EACH(INT, param_int(a, J->expected_leaf.key));
	EACH(INT, param_int(a, J->parent.key));
	EACH(INT, param_secret(a, J->parent.secret));
	param_int(a, w->db->gateway);
	EACH(TEXT, param_maybe(a, J->key.holder != 0 ? J->key.key : STR_NONE));
	work_ask(w, sql_why);
}

/* begin_explain_one: r is the row of this turn: whether the gateway is alive, the run is stored, the
 * conversation (NULL: none), whether it is as expected, whether it has the parent, and whether the gateway has
 * the key. */
static void begin_explain_one(const struct turn_begin *j, struct row r, struct err *e)
{
	if (cell_int(r, 2)) /* begun by this statement, or stored when it was sent before */
		return;
	if (!cell_int(r, 1)) {
		begin_lost(e);
	} else if (!cell_int(r, 6)) {
		err_set(e, ERR_STORAGE, "Idempotency-Key",
			"the database had lost what this gateway had stored for this "
			"Idempotency-Key; try again");
		e->retry_after_ms = 1000;
	} else if (j->new_conversation && cell_null(r, 3) && id_none(j->parent)) {
		err_set(e, ERR_INTERNAL, "", "the gateway could not store this request");
	} else if (cell_null(r, 3)) {
		err_set(e, ERR_NOT_FOUND, "conversation", "there is no such conversation");
	} else if (j->new_conversation) {
		err_set(e, ERR_INTERNAL, "", "the gateway could not store this request");
	} else if (!j->branching && !cell_int(r, 4)) {
		begin_busy(e);
	} else if (!cell_int(r, 5)) {
		err_set(e, ERR_NOT_FOUND, "parent", "this conversation has no such message");
	} else {
		begin_busy(e);
	}
}

static void begin_explain(struct work *w, const struct group *g)
{
	for (int at = 0; at < work_rows(w, g->at); at++) {
		struct row r = work_row(w, g->at, at);

		for (size_t i = 0; i < g->count; i++)
			if (J->run.key == cell_int(r, 0))
				begin_explain_one(J, r, &g->jobs[i]->err);
	}
}

const struct gathered gathered_turn_begin = {
	.things = begin_things,
	.check = begin_check,
	.ask = begin_ask,
	.judge = begin_judge,
	.why = begin_why,
	.explain = begin_explain,
};
