/* The prompt of an attempt as its target takes it: words of the client or their translation, no members that the
 * model refuses, and the member that makes its provider keep the beginning. */
#include "run/internal.h"

#include "json/member.h"
#include "run/computer.h"

#include <stdio.h>
#include <string.h>

/* is_marked: whether a piece of the request has Anthropic's mark. */
static bool is_marked(struct str piece)
{
	static const char mark[] = "\"cache_control\"";

	return piece.n > 0 && memmem(piece.p, piece.n, mark, sizeof mark - 1);
}

/* marks_cache: whether the client has said itself what is to be kept, in words that reach the target: another API's
 * are left out on the way. */
static bool marks_cache(const struct prompt *p, unsigned takes)
{
	bool keyed = takes & PROVIDER_CACHE_KEY;
	bool marked = takes & (PROVIDER_CACHE | PROVIDER_CACHE_ALL);

	for (size_t i = 0; marked && i < p->message_count; i++)
		if (is_marked(p->messages[i]))
			return true;
	for (size_t i = 0; i < p->member_count; i++)
		if ((keyed && json_member_is(p->members[i], STR("prompt_cache_key"))) ||
		    (marked && is_marked(p->members[i])))
			return true;
	return false;
}

/* cache_member: the member by which this target's provider keeps what the prompt begins with, for the next
 * call of the session; empty: none. */
static struct str cache_member(const struct run *r, struct arena *memory)
{
	const struct attempt *a = &r->attempt;
	struct prompt        *p = &r->rq->what.prompt;
	char                  text[64];

	if (!r->given.route || !registry_caches(r->given.route) || p->embed || p->text > 0 ||
	    prompt_is_native(p, a->target.takes) || marks_cache(p, a->target.takes))
		return STR_NONE;
	if (a->target.takes & PROVIDER_CACHE_ALL)
		return STR("\"cache_control\":{\"type\":\"ephemeral\"}");
	if (!(a->target.takes & PROVIDER_CACHE_KEY) || !a->by.session)
		return STR_NONE;
	snprintf(text, sizeof text, "\"prompt_cache_key\":\"parley-%016llx\"",
		 (unsigned long long)a->by.session);
	return arena_str(memory, str_of(text));
}

void fit_cache(struct run *r)
{
	struct prompt *p = &r->rq->what.prompt;
	struct arena  *memory = &r->rq->input->arena;
	struct str     member = cache_member(r, memory);
	struct str    *list;

	if (member.n == 0 || !(list = arena_alloc(memory, (p->member_count + 1) * sizeof *list)))
		return;
	if (p->member_count > 0)
		memcpy(list, p->members, p->member_count * sizeof *list);
	list[p->member_count++] = member;
	p->members = list;
}

/* leave_sampling: some models refuse the members that choose among tokens, and clients send them to
 * all. */
static enum errc leave_sampling(struct run *r, struct err *e)
{
	static const char *const keys[] = { "temperature", "top_p", "top_k" };
	struct attempt          *a = &r->attempt;
	struct prompt           *p = &r->rq->what.prompt;

	p->members = a->members;
	p->member_count = a->member_count;
	p->reasons = a->target.takes & PROVIDER_REASONS;
	p->unsampled = r->given.route && !p->embed && !(a->target.takes & PROVIDER_SAMPLING);
	if (!p->unsampled || a->member_count == 0)
		return ERR_OK;

	struct str *list = arena_alloc(&r->rq->input->arena, a->member_count * sizeof *list);
	size_t      n = 0;
	if (!list)
		return err_no_memory(e);
	for (size_t i = 0; i < a->member_count; i++) {
		struct str  m = a->members[i];
		const char *left = NULL;

		for (size_t k = 0; k < ARRAY_LEN(keys); k++)
			if (json_member_is(m, str_of(keys[k])))
				left = keys[k];
		if (!left)
			list[n++] = m;
		else if (!a->resumed)
			warnings_add(&r->warnings, 0, "parameter_dropped",
				     "the parameter \"%s\" was not sent: this model refuses it",
				     left);
	}
	p->members = list;
	p->member_count = n;
	return ERR_OK;
}

/* translate_prompt: the warnings of a translation of the client's words hold for the targets that are sent
 * the translation. */
static enum errc translate_prompt(struct run *r, struct err *e)
{
	const struct call_request *rq = r->rq;

	if (!rq->what.prompt.native || prompt_is_native(&rq->what.prompt, r->provider->takes))
		return ERR_OK;
	return warnings_join(&r->warnings, rq->what.warnings, rq->what.warning_count)
		       ? ERR_OK
		       : err_no_memory(e);
}

enum errc fit_prompt(struct run *r, struct err *e)
{
	const struct attempt *a = &r->attempt;

	/* The warnings of the previous target's dialect do not hold for this target. */
	struct warnings *w = run_warnings(r);
	/* Once a client has a part of the answer, what it was warned of stays. */
	if (!a->resumed) {
		w->json.len = a->warnings_len;
		w->count = a->warnings_count;
	}
	if (run_stages_asks(r, e) != ERR_OK || (!a->resumed && translate_prompt(r, e) != ERR_OK) ||
	    leave_sampling(r, e) != ERR_OK)
		return e->code;
	if (r->rq->what.prompt.bare && !a->resumed)
		warnings_add(
			&r->warnings, 0, "parameter_dropped",
			"the reasoning of earlier answers was not sent: this provider refuses what "
			"another one signed");
	return ERR_OK;
}
