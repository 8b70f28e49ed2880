/* Logged events gathered as a run would have gathered them. */
#include "run/assemble.h"

#include "json/scan.h"
#include "lmc/answer.h"
#include "msg/event_code.h"

/* A damaged end is what a crash may leave; all in front of it counts. */
static bool add_piece(struct answer *a, struct str data)
{
	struct event ev;
	uint64_t     seq;

	while (data.n > 0 && event_decode(&data, &ev, &seq))
		if (!answer_add(a, &ev))
			return false;
	return true;
}

/* Damage may have left a record whole in its form alone: no broken JSON gets into a conversation. */
static bool is_object(struct str made)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = json_scan(&d, made.p, made.n, &json_limits_stored, &e) == ERR_OK &&
		  json_kind(&d, 0) == JSON_OBJECT;

	json_doc_finish(&d);
	return ok;
}

bool assemble(const struct events_piece *pieces, size_t count, struct buf *out)
{
	struct answer a;
	size_t        start = out->len;
	bool          ok = true;

	answer_init(&a);
	for (size_t i = 0; ok && i < count; i++)
		ok = add_piece(&a, pieces[i].data);
	ok = ok && answer_any(&a) && answer_close(&a) && answer_print(&a, out) &&
	     is_object((struct str){ out->data + start, out->len - start });
	answer_finish(&a);
	if (!ok)
		out->len = start;
	return ok;
}
