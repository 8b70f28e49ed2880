/* See vet.h: where a request has texts that a model reads, or that are stored. */
#include "run/vet.h"

#include "guard/texts.h"
#include "json/member.h"
#include "run/guard.h"
#include "run/own_texts.h"
#include "shape/gemini_texts.h"
#include "store/conversation.h"

/* vet_settings: what a response repeats of its request, and is stored. */
static enum errc vet_settings(struct vet *v, struct str settings, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;

	if (!str_starts(settings, STR("{")))
		return ERR_OK;
	rc = json_scan(&d, settings.p, settings.n, &json_limits_stored, e);
	if (rc == ERR_OK)
		rc = vet_add_object(v, OF_SETTINGS, &d, texts_find_asked(&d), e);
	json_doc_finish(&d);
	return rc;
}

/* has_numbers: whether a prompt or an input has numbers: tokens, which no hook can read. */
static bool has_numbers(struct str member, struct str value)
{
	bool word = false, found = false;

	if (!json_member_is(member, STR("prompt")) && !json_member_is(member, STR("input")))
		return false;
	for (size_t i = 0; i < value.n && !found; i++) {
		if (value.p[i] == '\\' && word)
			i++;
		else if (value.p[i] == '"')
			word = !word;
		else
			found = !word && value.p[i] >= '0' && value.p[i] <= '9';
	}
	return found;
}

static enum errc vet_member(struct vet *v, enum source_of of, size_t index, struct str member,
			    struct str value, struct err *e)
{
	v->numbers |= has_numbers(member, value);
	return value.n > 0 && !vet_is_unread(member) ? vet_add(v, of, index, value, e) : ERR_OK;
}

static enum errc vet_members(struct vet *v, const struct prompt *p, struct err *e)
{
	enum errc rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < p->member_count; i++) {
		struct str value = json_member_value(p->members[i]);

		if (json_member_is(p->members[i], STR("tools")) && v->tools.len == 0 &&
		    !buf_str(&v->tools, value))
			rc = err_no_memory(e);
		else
			rc = vet_member(v, OF_MEMBER, i, p->members[i], value, e);
	}
	for (size_t i = 0; rc == ERR_OK && i < ARRAY_LEN(p->forward); i++)
		if (p->forward[i].n > 0)
			rc = vet_member(v, OF_FORWARD, i, p->forward[i],
					json_member_value(p->forward[i]), e);
	return rc;
}

static bool sees_all(const struct run_guard *g)
{
	for (uint32_t left = g->asked; left; left &= left - 1)
		if (g->hooks->list[stage_lowest(left)].all)
			return true;
	return false;
}

static enum errc vet_branch(struct vet *v, const struct run *r, struct err *e)
{
	const struct branch_read *b = run_branch(r);
	enum errc                 rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && b && i < b->message_count; i++)
		rc = vet_add(v, OF_BRANCH, i, b->messages[i].body, e);
	return rc;
}

static enum errc vet_instruction(struct vet *v, const struct run *r, bool all, struct err *e)
{
	struct str text = r->rq->what.instruction;

	if (text.n == 0 ||
	    !(all || (r->rq->what.instruction_set && !r->rq->what.instruction_default)))
		return ERR_OK;
	if (!buf_json_string(&v->instruction, text))
		return err_no_memory(e);
	return vet_add(v, OF_INSTRUCTION, 0, buf_view(&v->instruction), e);
}

/* vet_reason: why the user did not allow code, which the model is told. */
static enum errc vet_reason(struct vet *v, const struct run *r, struct err *e)
{
	const struct call_computing *q = r->rq->manner.computing;

	if (!r->computer || !q || q->reason.n == 0)
		return ERR_OK;
	if (!buf_json_string(&v->reason, q->reason))
		return err_no_memory(e);
	return vet_add(v, OF_REASON, 0, buf_view(&v->reason), e);
}

/* vet_gather_own: the client's own words, if a provider may be sent them.  Data that may be a text is shown, and sent, as the
 * translation has it. */
static enum errc vet_gather_own(struct run *r, struct vet *v, struct err *e)
{
	const struct prompt_native *native = r->rq->what.prompt.native;

	if (vet_goes_native(r) && gemini_hides(native->doc))
		return vet_unpass(r, "the request has data that a hook can't read as it is", e);
	return native ? vet_add_object(v, OF_NATIVE, native->doc,
				       vet_goes_native(r) ? own_texts_find(native->doc, 0)
							  : texts_find_asked(native->doc),
				       e)
		      : ERR_OK;
}

enum errc vet_gather(struct run *r, struct err *e)
{
	struct run_guard             *g = guard_of(r);
	struct vet                   *v = g->vet;
	const struct call_what       *what = &r->rq->what;
	bool                          all = sees_all(g);
	size_t                        made_count;
	const struct transcript_made *made = attach_made(r, &made_count);
	const struct branch_read     *branch = run_branch(r);
	size_t                        old = branch ? branch->message_count : 0;
	enum errc                     rc = vet_instruction(v, r, all, e);

	if (rc == ERR_OK)
		rc = vet_reason(v, r, e);
	if (rc == ERR_OK && all)
		rc = vet_branch(v, r, e);
	if (rc == ERR_OK)
		rc = vet_gather_own(r, v, e);
	for (size_t i = 0; rc == ERR_OK && i < what->message_count; i++)
		rc = vet_add(v, OF_MESSAGE, i, what->messages[i], e);
	for (size_t i = 0; rc == ERR_OK && i < made_count; i++)
		if (all || made[i].message >= old)
			rc = vet_add(v, OF_MADE, i, made[i].text, e);
	if (rc == ERR_OK)
		rc = vet_members(v, &what->prompt, e);
	if (rc == ERR_OK && r->rq->thread.metadata.n > 0)
		rc = vet_add(v, OF_METADATA, 0, r->rq->thread.metadata, e);
	if (rc == ERR_OK)
		rc = vet_settings(v, r->rq->manner.settings, e);
	if (rc == ERR_OK && v->hidden)
		rc = err_set(e, ERR_CONTENT_BLOCKED, "", "%s", texts_hidden);
	if (rc == ERR_OK && v->numbers)
		rc = err_set(
			e, ERR_CONTENT_BLOCKED, "",
			"hooks check the texts of this gateway's calls, and numbers of tokens are "
			"none: send texts");
	return rc;
}
