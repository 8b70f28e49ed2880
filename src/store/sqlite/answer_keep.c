/* Keeps the answer of a call that is not stored. */
#include "store/sqlite/answer_row.h"
#include "store/answer.h"
#include "store/sqlite/op.h"
#include "store/sqlite/chores.h"

static int answer_keep_put(struct session *s, struct answer_keep *j)
{
	peer_own(s->peer, j->run);
	return answer_row_keep(s->conn, j);
}

OP(answer_keep, answer_keep_put);
