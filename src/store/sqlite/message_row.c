/* Reads a row of the table of messages. */
#include "store/sqlite/turn_end.h"

static const char sql_add[] =
	"INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) "
	"VALUES (?,?,?,?,?,?,?,?)";

int message_row_add(struct conn *c, struct message_place at, struct id id, struct str body)
{
	struct db_bind b = conn_bind(c, sql_add);

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, at.owner);
	db_bind_int(&b, at.conversation);
	db_bind_int(&b, at.prev);
	db_bind_int(&b, at.run);
	db_bind_int(&b, at.created_ms);
	db_bind_text(&b, body);
	return db_bind_run(&b);
}
