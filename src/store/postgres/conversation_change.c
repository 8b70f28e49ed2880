/* Changes conversations outside their turns: creates, labels, fills, cuts and deletes them. */
#include "store/postgres/conversation_change.h"

#include "base/limits.h"
#include "json/scan.h"
#include "store/common/excerpt.h"
#include "store/postgres/chores.h"
#include "store/postgres/answer_names.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"
#include "store/sql/cells.h"
#include "store/sql/labels.h"

static const char sql_body[] = "SELECT body FROM message WHERE id = $1 AND secret = $2 "
			       "AND conversation = $3 AND run >= 0 FOR UPDATE";
static const char sql_change[] = "UPDATE message SET body = $2 WHERE id = $1";

static const char sql_touch[] = "UPDATE conversation SET rev = rev + 1, op = $2 WHERE id = $1";

/* conversation_touch: asks to raise the revision. */
static void conversation_touch(struct work *w, struct conversation_write *j)
{
	struct param *a = work_param(w);

	param_int(a, j->conversation.key);
	param_int(a, w->op);
	work_ask(w, sql_touch);
	j->now.revision++;
}

/* --- the member context.metadata of a message --- */

static json_at label_member(const struct json_doc *d, json_at object, const char *name)
{
	if (json_kind(d, object) != JSON_OBJECT)
		return JSON_ABSENT;
	for (json_at i = json_first(d, object); i != json_end(d, object);
	     i = json_next_member(d, i))
		if (str_is(json_inner(d, i), name))
			return i;
	return JSON_ABSENT;
}

/* conversation_label_put_others: the members of an object but one, each with a comma before it if one comes before. */
static bool conversation_label_put_others(const struct json_doc *d, json_at object, json_at but,
					  struct buf *out, bool *any)
{
	bool ok = true;

	if (json_kind(d, object) != JSON_OBJECT)
		return true;
	for (json_at i = json_first(d, object); ok && i != json_end(d, object);
	     i = json_next_member(d, i)) {
		if (i == but)
			continue;
		ok = (!*any || buf_text(out, ",")) && buf_str(out, json_member(d, i));
		*any = true;
	}
	return ok;
}

/* print_context: "context":{…}, the others of its members and the metadata. */
static bool print_context(const struct json_doc *d, json_at context, struct str metadata,
			  struct buf *out)
{
	json_at value = context == JSON_ABSENT ? JSON_ABSENT : json_value(context);
	bool    any = false;
	bool    ok = buf_text(out, "\"context\":{");

	if (ok && value != JSON_ABSENT && json_kind(d, value) == JSON_OBJECT)
		ok = conversation_label_put_others(d, value, label_member(d, value, "metadata"),
						   out, &any);
	if (ok && metadata.n > 0)
		ok = (!any || buf_text(out, ",")) && buf_text(out, "\"metadata\":") &&
		     buf_str(out, metadata);
	return ok && buf_text(out, "}");
}

/* print_labelled: the body with other metadata; empty: without. */
static bool print_labelled(struct str body, struct str metadata, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            any = false;
	bool            ok = json_scan(&d, body.p, body.n, &json_limits_stored, &e) == ERR_OK;

	if (ok && json_kind(&d, 0) != JSON_OBJECT) {
		ok = buf_str(out, body);
	} else if (ok) {
		json_at context = label_member(&d, 0, "context");

		ok = buf_text(out, "{") && conversation_label_put_others(&d, 0, context, out, &any);
		if (ok && (context != JSON_ABSENT || metadata.n > 0))
			ok = (!any || buf_text(out, ",")) &&
			     print_context(&d, context, metadata, out);
		ok = ok && buf_text(out, "}");
	}
	json_doc_finish(&d);
	return ok;
}

static enum work_next label_change(struct work *w, struct conversation_write *j)
{
	struct buf    body;
	struct param *a;

	if (work_rows(w, 0) == 0) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "this conversation has no such item");
		return WORK_DONE;
	}
	if (!j->metadata_set)
		return WORK_DONE;
	buf_init(&body, LIMIT_STORE_ROW);
	if (!print_labelled(cell_str(work_row(w, 0, 0), 0), j->metadata, &body)) {
		cell_no_memory(&j->job.err);
		buf_finish(&body);
		return WORK_DONE;
	}
	a = work_param(w);
	param_int(a, j->message.key);
	param_text(a, buf_view(&body));
	work_ask(w, sql_change);
	buf_finish(&body);
	conversation_touch(w, j);
	return WORK_LAST;
}

static enum work_next conversation_label(struct work *w, struct conversation_write *j,
					 unsigned stage)
{
	struct param *a;

	switch (stage) {
	case 1:
		a = work_param(w);
		param_int(a, j->message.key);
		param_secret(a, j->message.secret);
		param_int(a, j->conversation.key);
		work_ask(w, sql_body);
		return WORK_AGAIN;
	case 2: return label_change(w, j);
	default: return WORK_DONE;
	}
}

static const char sql_find[] = CONVERSATION_CELL
	", c.op FROM conversation c WHERE c.id = $1 AND c.secret = $2 AND c.owner = $3 FOR UPDATE";
static const char sql_turn[] =
	"SELECT r.status, r.base, r.parent, EXISTS (SELECT 1 FROM message m WHERE m.id = r.id)::int"
	"::bigint FROM conversation c JOIN run r ON r.id = c.leaf WHERE c.id = $1";
static const char sql_busy[] =
	"SELECT EXISTS (SELECT 1 FROM run WHERE conversation = $1 AND status < 2)::int::bigint";
static const char sql_add[] =
	"INSERT INTO conversation (id, secret, owner, created_ms, leaf, title, metadata, tip, "
	"instruction, op, titled, opening, excerpt, messages, origin, recent, model, target) VALUES ($1, $2, $3, "
	"$4, 0, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, CASE WHEN $14 = 1 THEN CASE WHEN $7 <> 0 "
	"THEN $7 ELSE $1 END END, (SELECT model FROM conversation WHERE id = $15), "
	"(SELECT target FROM conversation WHERE id = $15))";
static const char sql_add_messages[] =
	"WITH added AS (INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, "
	"body) SELECT m.id, m.secret, $1, $2, m.prev, 0, $3, m.body FROM unnest($4::bigint[], "
	"$5::bigint[], $6::bigint[], $7::text[]) AS m(id, secret, prev, body) "
	"RETURNING id) INSERT INTO search_queue (seq, kind, id) SELECT id, 2, id FROM added";
static const char sql_drop_labels[] = "DELETE FROM conversation_label WHERE conversation = $1";
static const char sql_add_labels[] =
	"INSERT INTO conversation_label (owner, key, value, conversation) SELECT $1, l.key, l.value, "
	"$2 FROM unnest($3::text[], $4::text[]) AS l(key, value) ON CONFLICT DO NOTHING";
static const char sql_update[] = "UPDATE conversation SET title = $2, metadata = $3, "
				 "rev = $7, op = $4, titled = $5, pinned = $6 WHERE id = $1";
static const char sql_keep[] = "UPDATE conversation SET keep_ms = $2, due_ms = $3 WHERE id = $1";
static const char sql_move_tip[] =
	"UPDATE conversation SET tip = $2, rev = rev + 1, op = $3, messages = messages + $4, "
	"opening = coalesce(opening, $5), excerpt = coalesce($6, excerpt), "
	"recent = CASE WHEN origin = 1 THEN $2 END WHERE id = $1";
/* Removed content is in no list any more. */
static const char sql_forget_row[] =
	"UPDATE conversation SET rev = rev + 1, op = $2, messages = greatest(messages - 1, 0), "
	"opening = nullif(opening, $3), excerpt = nullif(excerpt, $4) WHERE id = $1";
/* An answer has the id of its run, is in the run's event log, and may be what a key was answered with; a
 * completion without its answer is one no longer. */
static const char sql_empty[] =
	"WITH gone AS (UPDATE message SET body = '', run = ~run WHERE id = $1 AND secret = $2 "
	"AND conversation = $3 AND run >= 0 RETURNING id), "
	"logs AS (DELETE FROM event e USING gone WHERE e.run = gone.id), "
	"runs AS (UPDATE run r SET shape = NULL FROM gone WHERE r.id = gone.id "
	"AND r.shape = 'openai'), "
	"keys AS (UPDATE idempotency i SET http = 410, body = NULL FROM gone WHERE i.id = gone.id "
	"OR (i.body IS NOT NULL AND i.subject = $3 AND i.subject > 0 "
	"AND gone.id BETWEEN i.message_from AND i.message_to)) "
	"SELECT (SELECT m.body FROM message m WHERE m.id = gone.id) FROM gone";
/* A statement of its own sees what was kept until the message was locked. */
static const char sql_uncache[] =
	"DELETE FROM cached WHERE id IN ($1, (SELECT ~run FROM message WHERE id = $1))";
/* From each run's last message back to what its first one hangs on. */
static const char sql_drop_messages[] =
	"WITH RECURSIVE chain AS (SELECT r.parent AS id, r.base FROM run r WHERE r.conversation = $1 "
	"UNION SELECT m.prev, c.base FROM chain c JOIN message m ON m.id = c.id "
	"WHERE c.id <> c.base) "
	"DELETE FROM message WHERE id IN (SELECT id FROM chain WHERE id <> base UNION "
	"SELECT id FROM run WHERE conversation = $1) AND conversation = $1";
static const char sql_drop_loose[] =
	"DELETE FROM message WHERE conversation = $1 AND run BETWEEN -1 AND 0";
static const char sql_drop_logs[] =
	"DELETE FROM event e USING run r WHERE r.conversation = $1 AND e.run = r.id";
static const char sql_drop_keys[] = "DELETE FROM idempotency i USING run r "
				    "WHERE r.conversation = $1 AND i.id = r.id AND i.http = 0";
static const char sql_forget_keys[] =
	"UPDATE idempotency i SET http = 410, body = NULL WHERE (i.subject = $1 AND i.subject > 0) "
	"OR i.id IN (SELECT id FROM run WHERE conversation = $1)";
static const char sql_drop_search[] = "DELETE FROM search WHERE conversation = $1";
static const char sql_drop_doc[] = "DELETE FROM search WHERE doc = $1 * 2";
static const char sql_drop_runs[] = "DELETE FROM run WHERE conversation = $1";
static const char sql_drop[] = "DELETE FROM conversation WHERE id = $1";

enum { FOUND_OP = CONVERSATION_CELL_END, CHANGE_BUSY = CHANGE_TURN + 1 };

static void change_keyed(struct work *w, const char *sql, int64_t key)
{
	struct param *a = work_param(w);

	param_int(a, key);
	work_ask(w, sql);
}

static struct id change_source(const struct conversation_write *j)
{
	return j->change == CONVERSATION_FORK ? j->source : j->conversation;
}

/* --- what changes ask --- */

static void change_add_labels(struct work *w, const struct conversation_write *j,
			      struct str metadata)
{
	struct labels all = { 0 };
	struct param *a;
	bool          ok = labels_add(&all, 0, metadata);

	if (all.count > 0 || !ok) {
		a = work_param(w);
		param_int(a, j->owner);
		param_int(a, j->conversation.key);
		labels_pairs(&all, a);
		a->failed = a->failed || !ok;
		work_ask(w, sql_add_labels);
	}
	labels_finish(&all);
}

static void change_add_messages(struct work *w, const struct conversation_write *j, int64_t prev)
{
	struct param *a = work_param(w);

	param_int(a, j->owner);
	param_int(a, j->conversation.key);
	param_int(a, j->now_ms);
	PARAM_EACH(a, PARAM_INT, i, j->message_count, param_int(a, j->messages[i].id.key));
	PARAM_EACH(a, PARAM_INT, i, j->message_count, param_secret(a, j->messages[i].id.secret));
	PARAM_EACH(a, PARAM_INT, i, j->message_count,
		   param_int(a, i > 0 ? j->messages[i - 1].id.key : prev));
	PARAM_EACH(a, PARAM_TEXT, i, j->message_count, param_text(a, j->messages[i].body));
	work_ask(w, sql_add_messages);
	w->db->search_noted = true;
}

void conversation_put(struct work *w, struct conversation_write *j, struct store_conversation c,
		      const struct conversation_rest *rest)
{
	struct param *a = work_param(w);

	param_int(a, j->conversation.key);
	param_secret(a, j->conversation.secret);
	param_int(a, j->owner);
	param_int(a, j->now_ms);
	param_bytes_maybe(a, c.title);
	param_maybe(a, c.metadata);
	param_int(a, rest->tip);
	param_bytes_maybe(a, rest->instruction);
	param_int(a, w->op);
	param_int(a, c.title.n > 0 && c.titled == TITLED_BY_MODEL);
	param_maybe(a, c.opening);
	param_maybe(a, rest->excerpt);
	param_int(a, (int64_t)rest->messages);
	param_int(a, (int64_t)j->origin);
	param_int(a, j->source.key);
	work_ask(w, sql_add);
	if (c.title.n > 0)
		search_index_title(w, j->conversation.key);
	change_add_labels(w, j, c.metadata);
	j->now = change_cell_made(j, c);
}

/* The answer has only the added messages. */
enum work_next conversation_made(struct work *w, struct conversation_write *j)
{
	bool                 tells = j->change == CONVERSATION_APPEND && j->message_count > 0;
	struct answer_object thing = {
		.owner = j->owner,
		.now_ms = j->now_ms,
		.subject = j->conversation.key,
		.message_from = tells ? j->messages[0].id.key : 0,
		.message_to = tells ? j->messages[j->message_count - 1].id.key : 0,
		.job = &j->job,
	};

	answer_made_put(w, &thing, &j->made, &j->job.err);
	return j->job.err.code == ERR_OK ? WORK_LAST : WORK_AGAIN;
}

/* change_keep: asks to keep the conversation for as long as the change says, if it does. */
static void change_keep(struct work *w, const struct conversation_write *j)
{
	struct param *a;

	if (j->keep_ms <= 0)
		return;
	a = work_param(w);
	param_int(a, j->conversation.key);
	param_int(a, j->keep_ms);
	param_int(a, j->now_ms + j->keep_ms);
	work_ask(w, sql_keep);
}

/* --- changes --- */

static void put_ceiling(struct work *w, const struct conversation_write *j)
{
	struct param *a;

	if (!j->ceiling_set)
		return;
	a = work_param(w);
	param_int(a, j->conversation.key);
	param_int(a, j->now_ms);
	if (j->ceiling_nano > 0)
		param_int(a, j->ceiling_nano);
	else
		param_null(a, PARAM_INT);
	work_ask(w, ceiling_cell_put);
}

static enum work_next change_create(struct work *w, struct conversation_write *j)
{
	size_t                    n = j->message_count;
	struct excerpt_row        row;
	struct store_conversation c = { .title = j->title, .metadata = j->metadata };

	excerpt_row(&row, j->messages, n);
	if (row.opening.n > 0)
		c.opening = arena_str(&j->arena, row.opening);
	if (row.opening.n > 0 && !c.opening.p) {
		cell_no_memory(&j->job.err);
		return WORK_DONE;
	}
	conversation_put(w, j, c,
			 &(struct conversation_rest){
				 .tip = n > 0 ? j->messages[n - 1].id.key : 0,
				 .excerpt = row.excerpt,
				 .messages = n,
			 });
	if (n > 0)
		change_add_messages(w, j, 0);
	change_keep(w, j);
	put_ceiling(w, j);
	return conversation_made(w, j);
}

static enum work_next change_update(struct work *w, struct conversation_write *j)
{
	struct param *a;

	change_cell_update(j);
	if (j->metadata_set) {
		change_keyed(w, sql_drop_labels, j->conversation.key);
		change_add_labels(w, j, j->metadata);
	}
	a = work_param(w);
	param_int(a, j->conversation.key);
	param_bytes_maybe(a, j->now.title);
	param_maybe(a, str_is(j->now.metadata, "{}") ? STR_NONE : j->now.metadata);
	param_int(a, w->op);
	param_int(a, j->now.titled == TITLED_BY_MODEL);
	param_int(a, j->now.pinned);
	param_int(a, j->now.revision);
	work_ask(w, sql_update);
	change_keep(w, j);
	put_ceiling(w, j);
	if (j->title_set)
		search_index_title(w, j->conversation.key);
	return WORK_LAST;
}

/* change_end: the message that a turn would follow: see branch_read.c. */
static int64_t change_end(struct work *w, struct conversation_write *j)
{
	struct row found = work_row(w, CHANGE_FOUND, 0);
	int64_t    tip = cell_int(found, CONVERSATION_CELL_TIP);
	int64_t    leaf = cell_int(found, CONVERSATION_CELL_LEAF);

	if (tip != 0 || leaf == 0 || work_rows(w, CHANGE_TURN) == 0)
		return tip;
	struct row turn = work_row(w, CHANGE_TURN, 0);
	if (cell_int(turn, 0) <= RUN_RUNNING)
		change_cell_busy(&j->job.err);
	return cell_int(turn, 3) ? leaf : cell_int(turn, 1);
}

static enum work_next change_append(struct work *w, struct conversation_write *j)
{
	int64_t            end = change_end(w, j);
	struct excerpt_row row;
	struct param      *a;

	if (j->job.err.code != ERR_OK)
		return WORK_DONE;
	if (j->message_count > 0) {
		change_add_messages(w, j, end);
		a = work_param(w);
		param_int(a, j->conversation.key);
		param_int(a, j->messages[j->message_count - 1].id.key);
		param_int(a, w->op);
		excerpt_row(&row, j->messages, j->message_count);
		param_int(a, (int64_t)j->message_count);
		param_maybe(a, row.opening);
		param_maybe(a, row.excerpt);
		work_ask(w, sql_move_tip);
		j->now.revision++;
	}
	return conversation_made(w, j);
}

static enum work_next change_remove(struct work *w, struct conversation_write *j, unsigned stage)
{
	struct excerpt_row row;
	struct param      *a;

	if (stage == 1) {
		a = work_param(w);
		param_int(a, j->message.key);
		param_secret(a, j->message.secret);
		param_int(a, j->conversation.key);
		work_ask(w, sql_empty);
		return WORK_AGAIN;
	}
	if (stage > 2)
		return WORK_DONE;
	if (work_rows(w, 0) == 0) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "this conversation has no such item");
		return WORK_DONE;
	}
	change_keyed(w, sql_uncache, j->message.key);
	change_keyed(w, sql_drop_doc, j->message.key);
	excerpt_row(&row, &(struct store_message){ j->message, cell_str(work_row(w, 0, 0), 0) }, 1);
	a = work_param(w);
	param_int(a, j->conversation.key);
	param_int(a, w->op);
	param_maybe(a, row.opening);
	param_maybe(a, row.excerpt);
	work_ask(w, sql_forget_row);
	j->now.revision++;
	return WORK_LAST;
}

static enum work_next change_drop(struct work *w, struct conversation_write *j)
{
	int64_t key = j->conversation.key;

	if (cell_int(work_row(w, CHANGE_BUSY, 0), 0)) {
		change_cell_busy(&j->job.err);
		return WORK_DONE;
	}
	change_keyed(w, sql_drop_messages, key);
	change_keyed(w, sql_drop_loose, key);
	change_keyed(w, sql_drop_logs, key);
	change_keyed(w, sql_drop_keys, key);
	change_keyed(w, sql_forget_keys, key);
	change_keyed(w, sql_drop_runs, key);
	change_keyed(w, sql_drop_labels, key);
	change_keyed(w, sql_drop, key);
	change_keyed(w, ceiling_cell_drop, key);
	/* The index may have waited for the rows above, or they for it. */
	change_keyed(w, sql_drop_search, key);
	return WORK_LAST;
}

/* --- stages --- */

static enum work_next change_look(struct work *w, struct conversation_write *j)
{
	struct id     id = change_source(j);
	struct param *a;

	answer_made_ask(w, j->owner, &j->made);
	a = work_param(w);
	param_int(a, id.key);
	param_secret(a, id.secret);
	param_int(a, j->owner);
	work_ask(w, sql_find);
	change_keyed(w, sql_turn, id.key);
	change_keyed(w, sql_busy, id.key);
	return WORK_AGAIN;
}

/* change_check: false: nothing is to be done (any more). */
static bool change_check(struct work *w, struct conversation_write *j)
{
	struct err *e = &j->job.err;
	bool        found = work_rows(w, CHANGE_FOUND) > 0;
	struct row  r = work_row(w, CHANGE_FOUND, 0);

	if (!answer_made_replay(w, CHANGE_KEY, &j->made, e))
		return false;
	if (j->change == CONVERSATION_CREATE && !found)
		return true;
	if (!found && j->change == CONVERSATION_DELETE && w->tries > 0)
		return false; /* it is deleted since the first try */
	if (!found) {
		err_set(e, ERR_NOT_FOUND, "", "there is no such conversation");
		return false;
	}
	if (!conversation_cell_keep(r, &j->arena, &j->now, e))
		return false;
	if (cell_int(r, FOUND_OP) == w->op) /* stored since the first try */
		return false;
	if (j->change == CONVERSATION_CREATE) {
		err_set(e, ERR_INTERNAL, "", "the gateway could not store this request");
		return false;
	}
	return change_cell_allows(j);
}

enum work_next conversation_change(struct work *w, struct conversation_write *j, unsigned stage)
{
	if (stage == 0)
		return change_look(w, j);
	if (stage == 1 && !change_check(w, j))
		return WORK_DONE;
	switch (j->change) {
	case CONVERSATION_LABEL_MESSAGE: return conversation_label(w, j, stage);
	case CONVERSATION_REMOVE_MESSAGE: return change_remove(w, j, stage);
	case CONVERSATION_FORK: return conversation_fork(w, j, stage);
	case CONVERSATION_CREATE: return stage == 1 ? change_create(w, j) : WORK_DONE;
	case CONVERSATION_UPDATE:
	case CONVERSATION_TITLE: return stage == 1 ? change_update(w, j) : WORK_DONE;
	case CONVERSATION_APPEND: return stage == 1 ? change_append(w, j) : WORK_DONE;
	case CONVERSATION_DELETE: return stage == 1 ? change_drop(w, j) : WORK_DONE;
	case CONVERSATION_CHANGE__COUNT: break;
	}
	return WORK_DONE;
}

static enum work_next write_conversation(struct work *w, struct conversation_write *j)
{
	return conversation_change(w, j, w->stage);
}

OP(conversation_write, WORK_WRITE, write_conversation);
