/* cells: what several operations read of a table: the columns, and what becomes of a row. */
#pragma once

#include "msg/family.h"
#include "store/api_key.h"
#include "store/completion.h"
#include "store/conversation.h"
#include "store/events.h"
#include "store/file.h"
#include "store/run.h"
#include "store/sql/query.h"

/* conversation_cell: finds conversations. */
/* The columns of the conversations c. */
#define CONVERSATION_CELL \
	"SELECT c.id, c.secret, c.created_ms, c.rev, c.title, c.metadata, c.leaf, c.tip "

enum { CONVERSATION_CELL_LEAF = 6, CONVERSATION_CELL_TIP, CONVERSATION_CELL_END };

/* conversation_cell_ask: finds a conversation; rows: none or one of CONVERSATION_CELL. */
void conversation_cell_ask(struct query *q, struct id id, int64_t owner);
/* conversation_cell_keep: reads a row into *ret, with texts in a; false: e says why not. */
bool conversation_cell_keep(struct row r, struct arena *a, struct store_conversation *ret,
			    struct err *e) MUST_USE;

/* run_cell: reads rows of runs. */
#define RUN_CELL_COLUMNS                                                                     \
	"SELECT r.status, r.conversation, c.secret, r.continues, k.secret, r.model, "        \
	"r.provider, r.finish_reason, r.error, r.usage_estimated, r.usage_in, r.usage_out, " \
	"r.usage_cached_read, r.usage_cached_write, r.usage_reasoning, r.created_ms, "       \
	"r.first_token_ms, r.completed_ms, r.attempts, r.id, r.secret, r.native_reason, "    \
	"r.cost_nano "
#define RUN_CELL RUN_CELL_COLUMNS "FROM run r "
#define RUN_CELL_JOINS \
	"LEFT JOIN conversation c ON c.id = r.conversation LEFT JOIN run k ON k.id = r.continues "

enum { RUN_CELL_ID = 19, RUN_CELL_SECRET, RUN_CELL_NATIVE, RUN_CELL_COST, RUN_CELL_END };

/* run_cell_read: fills all members of *ret but its job from a row of RUN_CELL; texts are in a.  An error is
 * in e. */
void run_cell_read(struct row r, struct arena *a, struct run_read *ret, struct err *e);
/* run_cell_status: a stored status; false: it is none, and e says so. */
bool run_cell_status(int64_t status, enum run_status *ret, struct err *e);

/* run_missing: what is said of a run that the database does not have: it may live, unstored, in another gateway. */
/* run_missing_find: finds the gateway that may have it; run_missing_params: its parameters.  run_missing_judge: fills e,
 * by whether there is one. */
extern const struct sql run_missing_find;
void                    run_missing_params(struct param *a, struct id run, int64_t gateway);
void                    run_missing_judge(bool elsewhere, const char *what, struct err *e);

/* completion_cell: reads stored completions from rows; shared by the operations that read or change them. */
/* The condition that run r is a stored completion, in the words of the partial indexes.  In the texts below,
 * m is its answer and c its conversation. */
#define COMPLETION_CELL_IS "r.shape = '" SHAPE_OPENAI "' AND r.status = 2 "
#define COMPLETION_CELL                                                                             \
	"SELECT r.id, r.secret, r.created_ms, r.model, r.finish_reason, r.request_id, r.settings, " \
	"m.body, c.metadata, r.usage_estimated, r.usage_in, r.usage_out, r.usage_cached_read, "     \
	"r.usage_cached_write, r.usage_reasoning, c.id, c.secret, c.tip "
#define COMPLETION_CELL_JOINS(E)                                       \
	E##_JOIN "message m ON m.id = r.id AND m.run = r.id " E##_JOIN \
		"conversation c ON c.id = r.conversation "
/* Finds a completion, by its id, secret and owner, and whether its conversation has other runs. */
#define COMPLETION_CELL_FIND(E)                                                   \
	COMPLETION_CELL                                                           \
	", CAST(CAST(EXISTS (SELECT 1 FROM run o WHERE o.conversation = c.id "    \
	"AND o.id <> r.id) AS int) AS bigint) FROM run r " COMPLETION_CELL_JOINS( \
		E) "WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3 AND " COMPLETION_CELL_IS

/* Columns after those that completion_cell_keep reads. */
enum {
	COMPLETION_CELL_CONVERSATION = 15,
	COMPLETION_CELL_CONVERSATION_SECRET,
	COMPLETION_CELL_TIP,
	COMPLETION_CELL_END
};

/* completion_cell_params: the parameters of COMPLETION_CELL_FIND. */
void completion_cell_params(struct param *a, struct id run, int64_t owner);
void completion_cell_missing(struct err *e);
void completion_cell_too_large(struct err *e, const struct arena *a);
/* completion_cell_bytes: the most bytes that completion_cell_keep takes of the arena for this row. */
size_t completion_cell_bytes(struct row r);
/* completion_cell_keep: reads the row into *ret, with texts in a; false: e says why not. */
bool completion_cell_keep(struct row r, struct arena *a, struct store_completion *ret,
			  struct err *e) MUST_USE;

/* file_cell: reads rows of files. */
/* The columns of the files f. */
#define FILE_CELL \
	"SELECT f.id, f.secret, f.created_ms, f.bytes, f.sha256, f.name, f.type, f.purpose "

/* file_cell_keep: reads a row into *ret, with texts in a; false: e says why not. */
bool file_cell_keep(struct row r, struct arena *a, struct store_file *ret, struct err *e) MUST_USE;
/* file_cell_room: makes *ret an array in a, for `count` files; false: e says why not. */
bool file_cell_room(struct arena *a, size_t count, struct store_file **ret, struct err *e) MUST_USE;

/* api_key_cell: reads rows of API keys. */
#define API_KEY_ALLOWANCE                                                                \
	"requests, requests_window_us, tokens, tokens_window_us, concurrent, max_body, " \
	"budget_nano, budget_tokens, budget_window_us"
#define API_KEY_CELL                                                                         \
	"SELECT number, id, owner, name, scopes, models, metadata, created_ms, expires_ms, " \
	"revoked_ms, rotated_ms, old_until_ms, used_ms, " API_KEY_ALLOWANCE " FROM api_key "

/* api_key_cell_ask: asks for a key by its id; a write locks it.  api_key_cell_find: the row of the n-th statement;
 * false: e is NOT_FOUND at `path`, or there is no memory. */
void api_key_cell_ask(struct query *q, struct str id, bool lock);
bool api_key_cell_find(struct query *q, size_t n, const char *path, struct arena *a,
		       struct store_api_key *ret, struct err *e) MUST_USE;
/* api_key_cell_read: reads a row of API_KEY_CELL into *ret, with texts in a; false: e says why not. */
bool api_key_cell_read(struct row r, struct arena *a, struct store_api_key *ret, struct err *e);
struct allowance api_key_cell_allowance(struct row r, int first);

/* turn_cell: the messages that turns brought. */
/* The table a has the messages of turns: $1 are their keys (a run's; for a message that no run brought, its own or
 * ~ its own), $2 their conversation, $3 how many messages a run can have brought.  `at` is the turn's place in $1,
 * `step` counts from its answer (0) back to its first message, and `more` says that another one must come before
 * the message. */
#define TURN_CELL_PARTS(E)                                                                            \
	"WITH RECURSIVE w AS (SELECT " E##_PLACE                                                      \
		" AS at, r.base, CAST(1 AS bigint) AS step, m.id, m.prev FROM " E##_EACH("$1",        \
											 "bigint")    \
			E##_JOIN "run r ON r.id = k.value AND r.conversation = $2 " E##_JOIN          \
		"message m ON m.id = r.parent WHERE r.parent <> 0 AND r.parent <> r.base "            \
		"UNION ALL SELECT w.at, w.base, w.step + 1, m.id, m.prev FROM w " E##_JOIN            \
		"message m ON m.id = w.prev WHERE w.prev <> w.base AND w.step < $3), "                \
		"a AS (SELECT at, step, id, CAST(CAST(prev <> 0 AND prev <> base AS int) AS bigint) " \
		"AS more FROM w UNION ALL SELECT " E##_PLACE                                          \
		", 0, m.id, 0 FROM " E##_EACH("$1", "bigint") E##_JOIN                                \
		"message m ON m.id = CASE WHEN k.value < 0 THEN ~k.value ELSE k.value END "           \
		"AND m.conversation = $2), "
/* The columns of the rows of a with the message m and the message p that it follows. */
#define TURN_CELL \
	"SELECT a.at, a.step, a.more, m.id, m.secret, m.prev, p.secret, m.run, m.created_ms, m.body "

enum {
	TURN_CELL_AT,
	TURN_CELL_STEP,
	TURN_CELL_MORE,
	TURN_CELL_ID,
	TURN_CELL_SECRET,
	TURN_CELL_PARENT,
	TURN_CELL_PARENT_SECRET,
	TURN_CELL_RUN, /* below 0: its content was removed */
	TURN_CELL_CREATED_MS,
	TURN_CELL_BODY,
	TURN_CELL_END
};

/* turn_cell_begins: whether a turn that brought messages has its first one in this row; otherwise the
 * conversation is damaged. */
static inline bool turn_cell_begins(struct row r)
{
	return cell_int(r, TURN_CELL_STEP) > 0 && !cell_int(r, TURN_CELL_MORE);
}

/* events_cell: the state of a run, for readers of its events. */
#define EVENTS_CELL                                                                          \
	"SELECT r.status, r.conversation, c.secret, r.model, r.shape, r.error, "             \
	"r.finish_reason, r.usage_estimated, r.usage_in, r.usage_out, r.usage_cached_read, " \
	"r.usage_cached_write, r.usage_reasoning, r.created_ms, r.last_seq, r.settings, "    \
	"r.completed_ms "
#define EVENTS_CELL_FROM                                                                \
	"FROM run r LEFT JOIN conversation c ON c.id = r.conversation WHERE r.id = $1 " \
	"AND r.secret = $2 AND r.owner = $3"

enum { EVENTS_CELL_END = 17 };

/* events_cell_keep: false: e of the job says why not. */
bool events_cell_keep(struct row r, struct events_read *j) MUST_USE;

/* branch_cell_run: finds the conversation of the run with whose answer a branch ends ($4: the run's shape).
 * branch_cell_take: takes its row, or NULL, or refuses the job. */
extern const struct sql branch_cell_run;
void                    branch_cell_take(const struct row *r, struct branch_read *j);
/* branch_cell_too_long: refuses the job. */
void branch_cell_too_long(struct branch_read *j);

/* answer_cell_find: finds the name $2 of the owner $1.  answer_cell_replay: judges its row.
 * Errors: KEY_REUSED: the name stands for another request; GONE: the object was deleted; OVERLOADED. */
extern const char answer_cell_find[];
void              answer_cell_replay(struct row r, struct answer_made *m, struct err *e);

/* change_cell_busy: refuses a change.  change_cell_allows: false: the conversation has another revision. */
void change_cell_busy(struct err *e);
bool change_cell_allows(struct conversation_write *j) MUST_USE;
