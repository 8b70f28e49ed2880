/* Reads and checks config.computer. */
#include "routes/chat/chat.h"

#include "routes/kit/check.h"
#include "schema/schema.h"

#include <string.h>

#define PATH "config.computer"

static enum errc computer_no(struct err *e, const char *path, const char *text)
{
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, path, "%s", text);
}

/* check_caller: whether the gateway executes code at all, and for this caller. */
static enum errc check_caller(const struct gateway *g, const struct call_request *rq, struct err *e)
{
	if (!g->computer)
		return computer_no(
			e, PATH,
			"this gateway executes no code: its operator has not set `computer`");
	if (rq->caller.who == &identity_open)
		return computer_no(e, PATH, "a gateway without API keys executes no code");
	if (!(rq->caller.scopes & SCOPE_EXECUTE))
		return err_set(e, ERR_INSUFFICIENT_SCOPE, PATH,
			       "this API key may not do that; it needs the scope execute");
	return ERR_OK;
}

/* chat_computer_check_tools: a function of the client's of the same name could not be told from the computer's. */
static enum errc chat_computer_check_tools(const struct json_doc *d, json_at tools, struct err *e)
{
	size_t n = 0;

	if (tools == JSON_ABSENT)
		return ERR_OK;
	JSON_EACH (i, d, tools) {
		json_at function = json_get(d, i, "function");
		char    path[160];

		check_path(path, "config.tools[%zu]", n++);
		if (function != JSON_ABSENT && json_kind(d, function) == JSON_OBJECT &&
		    json_get_is(d, function, "name", "execute"))
			return computer_no(
				e, path,
				"the function execute is the computer's own; leave it out");
	}
	return ERR_OK;
}

static enum errc check_request(const struct gateway *g, const struct chat_request *c,
			       const struct chat_computer *k, const struct call_request *rq,
			       struct err *e)
{
	if (c->format != CHAT_FORMAT_LMC)
		return computer_no(e, PATH, "needs `format: lmc`");
	if (k->confirm == CHAT_COMPUTER_ASK && !c->store)
		return computer_no(e, PATH ".confirm",
				   "an approval goes on with a stored run; set `store`");
	if (k->confirm == CHAT_COMPUTER_NEVER && !g->computer_auto)
		return computer_no(
			e, PATH ".confirm",
			"this gateway asks before each execution: its operator has not set "
			"`computer_auto`");
	if (strcmp(rq->what.provider->ops->dialect, "lmc") == 0)
		return computer_no(e, PATH, "the provider of this model has a computer of its own");
	return ERR_OK;
}

static enum errc read_languages(struct input *in, json_at list, struct call_computing *ret,
				struct err *e)
{
	const struct json_doc *d = &in->doc;
	struct str            *names;
	size_t                 n = 0;

	if (list == JSON_ABSENT)
		return ERR_OK;
	names = arena_alloc(&in->arena, d->tok[list].count * sizeof *names);
	if (!names)
		return err_no_memory(e);
	JSON_EACH (i, d, list) {
		char path[160];

		check_path(path, PATH ".languages[%zu]", n);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (!json_text(d, i, &in->arena, &names[n]))
			return err_no_memory(e);
		n++;
	}
	ret->languages = names;
	ret->language_count = n;
	return ERR_OK;
}

static const enum context_files places[] = {
	[CHAT_COMPUTER_PROMPT] = CONTEXT_PROMPT,
	[CHAT_COMPUTER_WORKSPACE] = CONTEXT_WORKSPACE,
	[CHAT_COMPUTER_BOTH] = CONTEXT_BOTH,
};

enum errc chat_computer_read(struct input *in, const struct gateway *g,
			     const struct chat_request *c, const struct chat_config *config,
			     struct call_request *ret, struct err *e)
{
	struct chat_computer   k = chat_computer_init;
	struct call_computing *q = arena_alloc(&in->arena, sizeof *q);
	enum errc              rc = check_caller(g, ret, e);

	if (!q)
		return err_no_memory(e);
	if (rc == ERR_OK && config->computer != JSON_ABSENT)
		rc = fields_read(&chat_computer_fields, &in->doc, config->computer, PATH,
				 &in->arena, &k, e);
	if (rc == ERR_OK)
		rc = check_request(g, c, &k, ret, e);
	if (rc == ERR_OK)
		rc = chat_computer_check_tools(&in->doc, config->tools, e);
	if (ret->manner.computing)
		*q = *ret->manner.computing;
	q->files = places[k.files];
	q->ask = k.confirm == CHAT_COMPUTER_ASK;
	q->max_steps = k.max_steps;
	if (rc == ERR_OK)
		rc = read_languages(in, k.languages, q, e);
	if (rc != ERR_OK)
		return rc;
	ret->manner.computing = q;
	/* Fenced code is only code to be executed where the request says so. */
	if (c->lmc == JSON_ABSENT || json_get_some(&in->doc, c->lmc, "fences") == JSON_ABSENT)
		ret->manner.fences = ret->manner.fence;
	return ERR_OK;
}
