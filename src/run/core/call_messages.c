/* All messages that a call is made of, in the request's arena. */
#include "base/limits.h"
#include "run/internal.h"
#include "store/conversation.h"

static bool add_answer(struct run *r, struct str *list, size_t *count)
{
	struct buf out;

	if (!answer_any(&r->kept.answer))
		return true;
	buf_init(&out, 2 * LIMIT_ANSWER + LIMIT_ANSWER / 4);
	bool ok = answer_close(&r->kept.answer) && answer_print(&r->kept.answer, &out);
	if (ok)
		list[(*count)++] = arena_str(&r->rq->input->arena, buf_view(&out));
	buf_finish(&out);
	answer_reopen(&r->kept.answer);
	return ok && list[*count - 1].p;
}

enum errc call_messages(struct run *r, struct str **ret, size_t *ret_count, size_t *ret_old,
			struct err *e)
{
	const struct branch_read   *branch = run_branch(r);
	const struct store_message *old = branch ? branch->messages : NULL;
	size_t                      old_count = branch ? branch->message_count : 0;
	size_t                      count = old_count + r->rq->what.message_count;
	struct str *list = arena_alloc(&r->rq->input->arena, (count + 2) * sizeof *list);

	if (!list) {
		err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
		return ERR_OVERLOADED;
	}
	for (size_t i = 0; i < old_count; i++)
		list[i] = old[i].body;
	if (r->rq->what.message_count > 0)
		memcpy(list + old_count, r->rq->what.messages,
		       r->rq->what.message_count * sizeof *list);
	*ret = list;
	*ret_count = count;
	*ret_old = old_count;
	if (r->computer && !add_answer(r, list, ret_count))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	return ERR_OK;
}
