/* Rows of conversations. */
#include "store/sql/conversation_cell.h"

const char conversation_cell_find[] =
	CONVERSATION_CELL "FROM conversation c WHERE c.id = $1 AND c.secret = $2 AND c.owner = $3";

void conversation_cell_params(struct param *a, struct id id, int64_t owner)
{
	param_int(a, id.key);
	param_secret(a, id.secret);
	param_int(a, owner);
}

void conversation_cell_ask(struct query *q, struct id id, int64_t owner)
{
	conversation_cell_params(query_param(q), id, owner);
	query_ask(q, conversation_cell_find);
}

bool conversation_cell_keep(struct row r, struct arena *a, struct store_conversation *ret,
			    struct err *e)
{
	*ret = (struct store_conversation){
		.id = cell_id(cell_int(r, 0), r, 1),
		.created_ms = cell_int(r, 2),
		.revision = cell_int(r, 3),
	};
	if (!cell_keep(a, r, 4, &ret->title, e) || !cell_keep(a, r, 5, &ret->metadata, e))
		return false;
	if (ret->metadata.n == 0)
		ret->metadata = STR("{}");
	return true;
}
