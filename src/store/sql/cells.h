/* cells: what several operations read of a table: the columns, and what becomes of a row. */
#pragma once

#include "msg/family.h"
#include "store/api_key.h"
#include "store/audit.h"
#include "store/common/key_row.h"
#include "store/completion.h"
#include "store/conversation.h"
#include "store/events.h"
#include "store/file.h"
#include "store/key_group.h"
#include "store/run.h"
#include "store/sql/query.h"

/* conversation_cell: finds conversations. */
/* The columns of the conversations c. */
#define CONVERSATION_CELL                                                                      \
	"SELECT c.id, c.secret, c.created_ms, c.rev, c.title, c.metadata, c.leaf, c.tip, "     \
	"c.opening, c.titled, c.origin, c.pinned, c.keep_ms, "                                 \
	"coalesce((SELECT coalesce(b.limit_nano, 0) || ' ' || CASE WHEN b.limit_nano IS NULL " \
	"AND c.cost_nano > b.spent_nano THEN c.cost_nano ELSE b.spent_nano END || ' ' || "     \
	"b.reserved_nano FROM budget b WHERE b.key = 'conv:' || c.id), "                       \
	"'0 ' || coalesce(c.cost_nano, 0) || ' 0') "
/* The same with the columns of a list, for conversation_cell_line. */
#define CONVERSATION_CELL_LINE CONVERSATION_CELL ", c.excerpt, c.model, c.messages, c.cost_nano "

enum {
	CONVERSATION_CELL_LEAF = 6,
	CONVERSATION_CELL_TIP,
	CONVERSATION_CELL_OPENING,
	CONVERSATION_CELL_TITLED,
	CONVERSATION_CELL_ORIGIN,
	CONVERSATION_CELL_PINNED,
	CONVERSATION_CELL_KEEP,
	CONVERSATION_CELL_CEILING, /* its limit, 0: none, and what is spent and reserved of it, or would be */
	CONVERSATION_CELL_END
};

/* conversation_cell_ask: finds a conversation; rows: none or one of CONVERSATION_CELL. */
void conversation_cell_ask(struct query *q, struct id id, int64_t owner);
/* conversation_cell_keep: reads a row into *ret, with texts in a; false: e says why not. */
bool conversation_cell_keep(struct row r, struct arena *a, struct store_conversation *ret,
			    struct err *e) MUST_USE;
/* conversation_cell_line: the same for a row of CONVERSATION_CELL_LINE. */
bool conversation_cell_line(struct row r, struct arena *a, struct conversation_line *ret,
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
	"SELECT f.id, f.secret, f.created_ms, f.bytes, f.sha256, f.name, f.type, f.purpose, f.expires_ms "

/* file_cell_keep: reads a row into *ret, with texts in a; false: e says why not. */
bool file_cell_keep(struct row r, struct arena *a, struct store_file *ret, struct err *e) MUST_USE;
/* file_cell_room: makes *ret an array in a, for `count` files; false: e says why not. */
bool file_cell_room(struct arena *a, size_t count, struct store_file **ret, struct err *e) MUST_USE;

/* api_key_cell: reads rows of API keys. */
/* API_KEY_ALLOWANCE_OF: those of a table that has another name beside it. */
#define API_KEY_ALLOWANCE_OF(t)                                                       \
	t "requests, " t "requests_window_us, " t "tokens, " t "tokens_window_us, " t \
	  "concurrent, " t "max_body, " t "budget_nano, " t "budget_tokens, " t       \
	  "budget_window_us, " t "each_tag, " t "each_nano, " t "each_window_us"
#define API_KEY_ALLOWANCE API_KEY_ALLOWANCE_OF("")
enum { API_KEY_ALLOWANCE_END = 12 }; /* columns */
#define API_KEY_CELL                                                                         \
	"SELECT number, id, owner, name, scopes, models, metadata, created_ms, expires_ms, " \
	"revoked_ms, rotated_ms, old_until_ms, used_ms, " API_KEY_ALLOWANCE                  \
	", keep_ms, key_group FROM api_key "

/* api_key_cell_ask: asks for a key by its id; a write locks it.  api_key_cell_find: the row of the n-th statement;
 * false: e is NOT_FOUND at `path`, or there is no memory. */
void api_key_cell_ask(struct query *q, struct str id, bool lock);
bool api_key_cell_find(struct query *q, size_t n, const char *path, struct arena *a,
		       struct store_api_key *ret, struct err *e) MUST_USE;
/* api_key_cell_read: reads a row of API_KEY_CELL into *ret, with texts in a; false: e says why not. */
bool api_key_cell_read(struct row r, struct arena *a, struct store_api_key *ret, struct err *e);
struct allowance api_key_cell_allowance(struct row r, int first);
/* api_key_cell_set: the parameters of API_KEY_ALLOWANCE after a change; was: NULL: it is new. */
void api_key_cell_set(struct param *a, const struct allowance_set *to, const struct allowance *was);

/* API_KEY_RING: the columns of a row of the key ring, of the keys k and their groups g.  api_key_cell_ring: reads one.
 * KEY_GROUP_RING, key_group_cell_ring: the same of all groups, those without keys among them. */
#define KEY_GROUP_COLUMNS "g.id, g.models, g.hooks, " API_KEY_ALLOWANCE_OF("g.")
#define API_KEY_RING                                                                                \
	"SELECT k.number, k.id, k.owner, k.scopes, k.models, k.sha256, k.old_sha256, "              \
	"k.old_until_ms, k.expires_ms, k.used_ms, k.revoked_ms, k.metadata, " API_KEY_ALLOWANCE_OF( \
		"k.") ", " KEY_GROUP_COLUMNS                                                        \
		      " FROM api_key k LEFT JOIN key_group g ON g.id = k.key_group "
#define KEY_GROUP_RING "SELECT " KEY_GROUP_COLUMNS " FROM key_group g"
struct key_row api_key_cell_ring(struct row r);
struct key_row key_group_cell_ring(struct row r);

/* key_group_cell: reads rows of groups of keys. */
#define KEY_GROUP_CELL                                                                             \
	"SELECT g.id, g.name, g.models, g.hooks, g.metadata, g.created_ms, (SELECT count(*) FROM " \
	"api_key k WHERE k.key_group = g.id AND k.revoked_ms = 0), b.began_ms, b.spent_nano, "     \
	"b.reserved_nano, b.spent_tokens, b.reserved_tokens, " API_KEY_ALLOWANCE_OF(               \
		"g.") ", g.keep_ms FROM "                                                          \
		      "key_group g LEFT JOIN budget b ON b.key = 'grp_' || g.id "

/* key_group_cell_ask: asks for a group by its id.  key_group_cell_read: reads a row of KEY_GROUP_CELL into *ret, with
 * texts in a; false: e says why not. */
void key_group_cell_ask(struct query *q, struct str id);
bool key_group_cell_read(struct row r, struct arena *a, struct store_key_group *ret,
			 struct err *e) MUST_USE;

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

/* ceiling_cell_put: gives the conversation $1 the ceiling $3, or NULL: none, at the time $2.  Where
 * there was none, what its stored calls have cost counts as spent.  ceiling_cell_drop: forgets
 * what was counted for it.  ceiling_cell_old: removes up to $2 budgets that are over at $1, but none in which a call
 * is reserved: it would count against its successor. */
extern const char       ceiling_cell_put[], ceiling_cell_drop[];
extern const struct sql ceiling_cell_old;
/* ceiling_cell_next: the last of the next $3 names of budgets between $1 and $2, or NULL.  ceiling_cell_unbegun: removes
 * ceilings whose names are above $1, up to $2: of conversations that do not exist, as their first turn never began or
 * they were removed while a call went on. */
#define CEILING_CELL_FIRST BUDGET_OF_CONVERSATION
#define CEILING_CELL_OF    BUDGET_OF_CONVERSATION "%lld" /* its number is the key */
extern const char       ceiling_cell_next[];
extern const struct sql ceiling_cell_unbegun;

/* keep_cell_owner: the next owner above $1 whose keys, or their groups, keep for a time of their own, and the shortest
 * time. */
extern const char keep_cell_owner[];

/* change_cell_busy: refuses a change.  change_cell_allows: false: the conversation has another revision. */
void change_cell_busy(struct err *e);
bool change_cell_allows(struct conversation_write *j) MUST_USE;
/* change_cell_update: j->now after the change.  change_cell_forked: the title, metadata and
 * opening of a fork, whose source is j->now.  change_cell_made: the new conversation, with those of c. */
void                      change_cell_update(struct conversation_write *j);
struct store_conversation change_cell_forked(const struct conversation_write *j);
struct store_conversation change_cell_made(const struct conversation_write *j,
					   struct store_conversation        c);

/* audit_cell: the statement that writes an entry, in both engines, and its parameters. */
extern const char audit_cell_put[];
void              audit_cell_params(struct param *a, const struct audit_entry *x);
/* audit_cell_old: removes some entries whose keys are below $1. */
extern const struct sql audit_cell_old;
/* cache_cell_old: removes up to $2 answers that have expired by $1. */
extern const struct sql cache_cell_old;
/* cache_cell_marks: removes up to $2 marks of removals before $1 that no answer needs any more. */
extern const struct sql cache_cell_marks;
/* health_cell_old: removes $2 changes of the providers' health that are older than $1, at most. */
extern const char health_cell_old[];
