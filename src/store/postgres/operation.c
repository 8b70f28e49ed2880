/* The table of operations. */
#include "store/postgres/operation.h"

#define OP_ALONE(X)                                           \
	X(RUN_READ, run_read)                                 \
	X(TREE_READ, tree_read)                               \
	X(BRANCH_READ, branch_read)                           \
	X(CONVERSATION_READ, conversation_read)               \
	X(EVENTS_READ, events_read)                           \
	X(IDEM_READ, idem_read)                               \
	X(ITEMS_READ, items_read)                             \
	X(ITEM_READ, item_read)                               \
	X(MESSAGES_FIND, messages_find)                       \
	X(RUNS_READ, runs_read)                               \
	X(CONVERSATIONS_READ, conversations_read)             \
	X(CONVERSATION_WRITE, conversation_write)             \
	X(API_KEY_WRITE, api_key_write)                       \
	X(SIGN_OUT, sign_out)                                 \
	X(API_KEYS_READ, api_keys_read)                       \
	X(BUDGET_RESERVE, budget_reserve)                     \
	X(USAGE_READ, usage_read)                             \
	X(COMPLETION_READ, completion_read)                   \
	X(COMPLETIONS_READ, completions_read)                 \
	X(COMPLETION_MESSAGES_READ, completion_messages_read) \
	X(COMPLETION_WRITE, completion_write)                 \
	X(RUN_WITHDRAW, run_withdraw)                         \
	X(RESPONSE_DELETE, response_delete)                   \
	X(FILE_ADD, file_add)                                 \
	X(FILE_DELETE, file_delete)                           \
	X(FILES_FIND, files_find)                             \
	X(FILES_READ, files_read)                             \
	X(ARCHIVE_READ, archive_read)                         \
	X(ARCHIVE_WRITE, archive_write)                       \
	X(SEARCH_READ, search_read)

#define X(number, name) extern const struct operation pg_op_##name;
OP_ALONE(X)
#undef X

static const struct operation *const alone[JOB__COUNT] = {
#define X(number, name) [JOB_##number] = &pg_op_##name,
	OP_ALONE(X)
#undef X
};

static const bool gathered[JOB__COUNT] = {
#define X(number) [JOB_##number] = true,
	OP_GATHERED(X)
#undef X
};

const struct operation *operation_of(const struct job_kind *kind)
{
	return alone[kind->job];
}

bool operation_is_gathered(const struct job_kind *kind)
{
	return gathered[kind->job];
}
