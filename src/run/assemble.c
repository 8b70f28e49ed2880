/* Logged events are gathered in the same way as a live run gathers its events. */
#include "run/assemble.h"

#include "base/log.h"
#include "json/scan.h"
#include "shape/answer.h"
#include "msg/event_code.h"
#include "store/events.h"

/* add_piece: adds events up to the first gap or damage: events after it would make a different
 * text.  False: memory is short, or the answer is over its limit. */
static bool add_piece(struct answer *a, struct str data, uint64_t *seq, bool *ordered,
		      bool *ret_whole)
{
	struct event ev;
	uint64_t     at;

	*ret_whole = true;
	while (data.n > 0) {
		*ret_whole = event_decode(&data, &ev, &at) && at <= *seq + 1;
		if (!*ret_whole)
			return true;
		*seq = at;
		if (ev.kind == EVENT_EXECUTE || ev.kind == EVENT_EXECUTED)
			*ordered = ev.kind == EVENT_EXECUTE;
		if (!answer_add(a, &ev))
			return false;
	}
	return true;
}

/* add_unknown: of an execution that was ordered, and whose end is not in the log, nobody knows
 * whether it ran to its end. */
static bool add_unknown(struct answer *a)
{
	static const char chunk[] =
		"{\"role\":\"computer\",\"type\":\"console\",\"format\":\"output\",\"content\":"
		"\"[the gateway stopped: whether this ran to its end is not known]\\n\"}";

	return answer_add(a, &(struct event){ .kind = EVENT_LMC,
					      .text = { chunk, sizeof chunk - 1 },
					      .from_lmc = true });
}

static void assemble_tell_damage(struct id run)
{
	struct log_line l;
	char            text[ID_MAX];

	id_text(run, ID_RUN, text);
	log_begin(&l, LOG_ERROR, "events_damaged");
	log_str(&l, "run", str_of(text));
	log_str(&l, "msg", STR("the answer was put together from what is in front of the damage"));
	log_end(&l);
}

/* is_object: checks the made message, because a conversation must not get broken JSON, whatever the
 * log has. */
static bool is_object(struct str made)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = json_scan(&d, made.p, made.n, &json_limits_stored, &e) == ERR_OK &&
		  json_kind(&d, 0) == JSON_OBJECT;

	json_doc_finish(&d);
	return ok;
}

bool assemble_answer(const struct events_piece *pieces, size_t count, struct buf *out)
{
	struct answer a;
	size_t        start = out->len;
	uint64_t      seq = count > 0 ? pieces[0].first - 1 : 0;
	bool          whole = true;
	bool          ordered = false;
	bool          ok = true;

	answer_init(&a);
	for (size_t i = 0; ok && whole && i < count; i++)
		ok = add_piece(&a, pieces[i].data, &seq, &ordered, &whole);
	if (!whole && !id_none(pieces[0].run)) /* a fuzzer's pieces have no run */
		assemble_tell_damage(pieces[0].run);
	if (ok && ordered)
		ok = add_unknown(&a);
	ok = ok && answer_any(&a) && answer_close(&a) && answer_print(&a, out) &&
	     is_object((struct str){ out->data + start, out->len - start });
	answer_finish(&a);
	if (!ok)
		out->len = start;
	return ok;
}
