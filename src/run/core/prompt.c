/* The prompt of a call: the instruction, the messages of the branch, the new messages. */
#include "base/limits.h"
#include "shape/reasoning.h"
#include "shape/transcript.h"
#include "run/computer.h"
#include "run/internal.h"
#include "store/conversation.h"

static enum errc put_instruction(struct run *r, struct str *ret, struct err *e)
{
	struct buf text;
	struct str made = STR_NONE;

	buf_init(&text, LIMIT_BODY_MAX);
	if (buf_text(&text, "{\"role\":\"system\",\"content\":") &&
	    buf_json_string(&text, r->rq->what.instruction) && buf_text(&text, "}"))
		made = arena_str(&r->rq->input->arena, buf_view(&text));
	buf_finish(&text);
	if (!made.p)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the instruction");
	*ret = made;
	return ERR_OK;
}

/* fit_outputs: a provider is sent the beginning and the end of a long output of the computer. */
static bool fit_outputs(struct run *r, struct str *list, size_t count)
{
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = terminal_fit(list[i], &r->rq->input->arena, &list[i]);
	return ok;
}

/* render_stored: replaces stored messages by the messages that a provider is sent. */
static enum errc render_stored(struct run *r, struct str **list, size_t *count, size_t old,
			       struct transcript_items *items, struct err *e)
{
	struct transcript_options o = {
		.fence = r->rq->manner.fence,
		.answers_calls = r->rq->what.answers_calls,
		.old = old,
		.warnings = run_warnings(r),
		.unrun = r->engine->o.computer != NULL,
		.files = run_files(r),
		.arena = &r->rq->input->arena,
		.items = items,
	};

	if (r->attach)
		o.made = attach_made(r, &o.made_count);
	r->rq->what.prompt.made = o.made;
	r->rq->what.prompt.made_count = o.made_count;
	if (!r->given.family->renders) {
		for (size_t i = 0; o.made && i < o.made_count; i++)
			(*list)[o.made[i].message] = o.made[i].text;
		return ERR_OK;
	}
	if (o.unrun && !fit_outputs(r, *list, *count))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	if (r->images)
		o.images = image_list(r, &o.image_count);
	enum errc rc = transcript_render(*list, *count, &o, list, count, e);
	for (size_t i = 0; rc == ERR_OK && i < *count; i++)
		if (!reasoning_unsaid((*list)[i], o.arena, &(*list)[i]))
			rc = err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	return rc;
}

/* The request to continue an answer that broke off.  Neither the user nor the model has written it,
 * so it is not stored. */
const struct str prompt_go_on = {
	.p = "{\"role\":\"user\",\"content\":\"Your last message broke off. Go on exactly where it "
	     "ended, without repeating any of it.\"}",
	.n = sizeof "{\"role\":\"user\",\"content\":\"Your last message broke off. Go on exactly "
		    "where it ended, without repeating any of it.\"}" -
	     1,
};

static bool has_role(struct str message, const char *role, const char *or_role)
{
	struct json_doc doc = { 0 };
	struct err      e;
	bool ok = json_scan(&doc, message.p, message.n, &json_limits_stored, &e) == ERR_OK &&
		  (json_get_is(&doc, 0, "role", role) || json_get_is(&doc, 0, "role", or_role));

	json_doc_finish(&doc);
	return ok;
}

/* says_system: whether a message is the client's own instruction. */
static bool says_system(const struct str *messages, size_t count)
{
	bool found = false;

	for (size_t i = 0; !found && i < count; i++)
		found = has_role(messages[i], "system", "developer");
	return found;
}

/* broke_off: the model has to go on with its own last message, and not after what the computer has
 * printed for it. */
static bool broke_off(const struct run *r, const struct str *messages, size_t count)
{
	if (id_none(r->rq->thread.continues))
		return false;
	return !r->computer ||
	       (!r->rq->manner.computing->waiting && !answer_any(&r->kept.answer) &&
		(count == 0 || has_role(messages[count - 1], "assistant", "assistant")));
}

bool prompt_ends_in_answer(const struct run *r)
{
	const struct prompt *p = &r->rq->what.prompt;

	return p->message_count > 0 &&
	       has_role(p->messages[p->message_count - 1], "assistant", "assistant");
}

/* leave_native: the client's own words go on only where its messages are those of the prompt, one by
 * one; LMC messages of the branch may have been joined. */
static bool leave_native(struct run *r)
{
	struct call_request *rq = r->rq;

	if (!prompt_is_native(&rq->what.prompt, PROVIDER_RESPONSES))
		return true;
	rq->what.prompt.native = NULL;
	return warnings_join(&r->warnings, rq->what.warnings, rq->what.warning_count);
}

/* build_prompt: the instruction, the messages of the branch, the new messages. */
static enum errc build_prompt(struct run *r, struct err *e)
{
	struct str             *messages = NULL;
	size_t                  count = 0;
	size_t                  old = 0;
	enum errc               rc = call_messages(r, &messages, &count, &old, e);
	bool                    native = prompt_is_native(&r->rq->what.prompt, PROVIDER_RESPONSES);
	struct transcript_items items = { .list = NULL };

	if (rc == ERR_OK && native) {
		items.list = arena_alloc(&r->rq->input->arena, (count + 2) * sizeof *items.list);
		if (!items.list)
			return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
		memset(items.list, 0, (count + 2) * sizeof *items.list);
	}
	if (rc == ERR_OK)
		rc = render_stored(r, &messages, &count, old, native ? &items : NULL, e);
	if (rc != ERR_OK)
		return rc;
	if (items.joined && !leave_native(r))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");

	struct str *list = arena_alloc(&r->rq->input->arena, (count + 2) * sizeof *list);
	size_t      n = 0;
	if (!list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	if (r->rq->what.instruction_default && says_system(messages, count))
		r->rq->what.instruction = STR_NONE;
	r->rq->what.prompt.instruction = r->rq->what.instruction;
	if (r->rq->what.instruction.n > 0)
		rc = put_instruction(r, &list[n++], e);
	if (count > 0)
		memcpy(list + n, messages, count * sizeof *list);
	n += count;
	if (broke_off(r, messages, count))
		list[n++] = prompt_go_on;
	if (items.any && r->rq->what.prompt.native && count > 0) {
		/* The instruction has none. */
		memmove(items.list + n - count, items.list, count * sizeof *items.list);
		if (n > count)
			items.list[0] = STR_NONE;
		r->rq->what.prompt.items = items.list;
	}
	r->rq->what.prompt.old = old + (n - count);
	r->rq->what.prompt.messages = list;
	r->rq->what.prompt.message_count = n;
	r->rq->what.prompt.warnings = run_warnings(r);
	return rc;
}

static enum errc prepare_prompt(struct run *r, struct err *e)
{
	if (build_prompt(r, e) != ERR_OK)
		return e->code;
	r->prepared = true;
	run_stages_prepared(r);
	return ERR_OK;
}

void call_prompt_again(struct run *r)
{
	r->prepared = false;
}

enum step_next call_prompt(struct run *r, struct err *e)
{
	return step_aside(r, prepare_prompt, e);
}
