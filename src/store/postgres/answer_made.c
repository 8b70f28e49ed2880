/* Names of the answers of writes that create objects. */
#include "store/postgres/answer_names.h"

#include "store/postgres/postgres.h"
#include "store/sql/cells.h"

static const char sql_add[] =
	"INSERT INTO idempotency (id, secret, owner, gateway, key, fingerprint, created_ms, stored, "
	"outcome, http, body, subject, message_from, message_to) VALUES ($1, $2, $3, $4, $5, $6, $7, "
	"0, 2, 200, $8, $9, $10, $11)";

void answer_made_ask(struct work *w, int64_t owner, struct answer_made *m)
{
	struct param *a = work_param(w);

	m->replayed = false;
	param_int(a, owner);
	param_text(a, m->key.key);
	work_ask(w, answer_cell_find);
}

bool answer_made_replay(struct work *w, size_t n, struct answer_made *m, struct err *e)
{
	if (m->key.key.n == 0)
		return true;
	buf_clear(&m->answer); /* the transaction may be repeated */
	if (work_rows(w, n) == 0)
		return true;
	answer_cell_replay(work_row(w, n, 0), m, e);
	return false;
}

void answer_made_put(struct work *w, const struct answer_object *thing, struct answer_made *m,
		     struct err *e)
{
	struct id     id = id_new();
	struct param *a;

	if (m->key.key.n == 0)
		return;
	if (!m->print(thing->job, &m->answer)) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "", "the answer is too large to be stored");
		return;
	}
	a = work_param(w);
	param_int(a, id.key);
	param_secret(a, id.secret);
	param_int(a, thing->owner);
	param_int(a, w->db->gateway);
	param_text(a, m->key.key);
	param_bytes(a, m->key.digest);
	param_int(a, thing->now_ms);
	param_bytes_maybe(a, buf_view(&m->answer));
	param_int(a, thing->subject);
	param_int(a, thing->message_from);
	param_int(a, thing->message_to);
	work_ask(w, sql_add);
}
