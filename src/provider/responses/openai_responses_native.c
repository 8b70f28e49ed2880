/* A request of OpenAI's Responses API on its way to a provider that speaks this API: the client's own
 * bytes, member by member and item by item.  Only what has to differ is replaced:
 *
 *   the model's name;
 *   what is the gateway's business: conversations, stored responses, the background;
 *   items that the gateway alone knows: earlier messages, references to stored items, uploaded files;
 *   reasoning that only the gateway's own provider of that time has stored, which others refuse, and what
 *   it carries for providers of another dialect (shape/carry). */
#include "provider/responses/openai_responses.h"

#include "lmc/warnings.h"
#include "provider/ask_param.h"
#include "provider/provider.h"
#include "shape/carry.h"

#include <stdio.h>

#define ENCRYPTED "reasoning.encrypted_content"

/* The request while it is printed. */
struct native {
	const struct provider_options *o;
	const struct prompt           *p;
	const struct json_doc         *d;
	struct buf                    *out;
	struct err                    *e;
	bool                           kept; /* the provider stores the response */
};

static bool native_is_array(const struct json_doc *d, json_at i)
{
	return json_is_kind(d, i, JSON_ARRAY);
}

/* --- items --- */

/* native_is_readable: reasoning without its content, encrypted or not, is only the name of what a provider
 * has stored; asked to store nothing, it has nothing. */
static bool native_is_readable(const struct json_doc *d, json_at item)
{
	json_at content = json_get(d, item, "content");

	return !json_get_is(d, item, "type", "reasoning") ||
	       json_get_inner(d, item, "encrypted_content").n > 0 ||
	       (native_is_array(d, content) && d->tok[content].count > 0);
}

/* native_goes: whether the provider can do anything with an item. */
static bool native_goes(const struct native *x, const struct json_doc *d, json_at item)
{
	return !carry_is(json_get_inner(d, item, "encrypted_content")) &&
	       (x->kept || native_is_readable(d, item));
}

static enum errc native_put_raw(struct native *x, const struct json_doc *d, json_at item,
				bool *first)
{
	if (!native_goes(x, d, item))
		return ERR_OK;
	return ask_put_comma(first, x->out) && buf_str(x->out, json_raw(d, item))
		       ? ERR_OK
		       : ask_too_large(x->e);
}

static bool native_is_call(const struct json_doc *d, json_at item)
{
	return json_get_is(d, item, "type", "function_call") ||
	       json_get_is(d, item, "type", "custom_tool_call");
}

/* native_has_call: whether a message of a chat has a call of this id. */
static bool native_has_call(const struct json_doc *d, struct str id)
{
	json_at calls = json_get(d, 0, "tool_calls");

	if (native_is_array(d, calls))
		JSON_EACH (i, d, calls)
			if (str_eq(json_get_inner(d, i, "id"), id))
				return true;
	return false;
}

/* native_put_kept: the items that a message was made of; a request may name only some of its calls. */
static enum errc native_put_kept(struct native *x, struct str message, struct str items,
				 bool *first)
{
	struct json_doc of = { 0 };
	struct json_doc d = { 0 };
	struct buf      list;
	enum errc       rc = ERR_OK;

	buf_init(&list, items.n + 2);
	if (!buf_text(&list, "[") || !buf_str(&list, items) || !buf_text(&list, "]"))
		rc = err_no_memory(x->e);
	if (rc == ERR_OK)
		rc = json_scan(&d, list.data, list.len, &json_limits_stored, x->e);
	if (rc == ERR_OK)
		rc = json_scan(&of, message.p, message.n, &json_limits_stored, x->e);
	for (json_at i = json_first(&d, 0); rc == ERR_OK && i != json_end(&d, 0);
	     i = json_next(&d, i))
		if (!native_is_call(&d, i) ||
		    native_has_call(&of, json_get_inner(&d, i, "call_id")))
			rc = native_put_raw(x, &d, i, first);
	json_doc_finish(&d);
	json_doc_finish(&of);
	buf_finish(&list);
	return rc;
}

static enum errc native_put_asked(const struct provider_options *o, const struct ask *a,
				  struct buf *out, struct err *e)
{
	enum errc rc = ERR_OK;
	bool      first = out->data[out->len - 1] == '[';

	(void)o;
	for (size_t i = 0; rc == ERR_OK && i < a->count; i++)
		rc = openai_responses_put_message(&a->messages[i], &first, out, e);
	return rc;
}

/* native_put_made: messages of the prompt as items. */
static enum errc native_put_made(struct native *x, size_t from, size_t to, bool *first)
{
	struct prompt some = *x->p;
	size_t        start = x->out->len;
	size_t        n;
	enum errc     rc;

	some.native = NULL;
	some.messages += from;
	some.message_count = to - from;
	some.member_count = 0;
	rc = ask_print(x->o, &some, "openai-responses", native_put_asked, x->out, x->e);
	*first = *first && x->out->len == start;
	if (rc != ERR_OK && sscanf(x->e->path, "messages[%zu]", &n) == 1)
		snprintf(x->e->path, sizeof x->e->path, "messages[%zu]", n + from);
	return rc;
}

/* native_put_message: a message of the prompt, as the items that it was made of if these are known. */
static enum errc native_put_message(struct native *x, size_t i, bool *first)
{
	struct str items = x->p->items ? x->p->items[i] : STR_NONE;

	return items.n > 0 ? native_put_kept(x, x->p->messages[i], items, first)
			   : native_put_made(x, i, i + 1, first);
}

static enum errc native_put_own(struct native *x, bool *first)
{
	const struct prompt_native *n = x->p->native;
	uint32_t                    last = PROMPT_NO_MESSAGE;
	enum errc                   rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < n->item_count; i++) {
		const struct prompt_item *item = &n->items[i];

		if (!item->stored && !item->upload) {
			if (!native_goes(x, x->d, item->item))
				warnings_add(x->p->warnings, i, "reasoning_dropped",
					     "reasoning that this provider has neither stored nor "
					     "encrypted was not sent");
			rc = native_put_raw(x, x->d, item->item, first);
			continue;
		}
		if (item->message != last)
			rc = native_put_message(x, x->p->old + item->message, first);
		last = item->message;
	}
	return rc;
}

/* native_is_whole: whether the input can stay as it is. */
static bool native_is_whole(const struct native *x, size_t before)
{
	const struct prompt_native *n = x->p->native;

	if (x->p->old > before)
		return false;
	for (size_t i = 0; i < n->item_count; i++)
		if (n->items[i].stored || n->items[i].upload ||
		    !native_goes(x, x->d, n->items[i].item))
			return false;
	return true;
}

static enum errc native_put_input(struct native *x, json_at input)
{
	size_t    before = x->p->instruction.n > 0; /* the instruction has a member of its own */
	bool      first = true;
	enum errc rc = ERR_OK;

	if (!buf_text(x->out, "\"input\":"))
		return ask_too_large(x->e);
	if (input != JSON_ABSENT && native_is_whole(x, before))
		return buf_str(x->out, json_raw(x->d, input)) ? ERR_OK : ask_too_large(x->e);
	if (!buf_text(x->out, "["))
		return ask_too_large(x->e);
	for (size_t i = before; rc == ERR_OK && i < x->p->old; i++)
		rc = native_put_message(x, i, &first);
	if (rc == ERR_OK && json_is_kind(x->d, input, JSON_STRING)) {
		if (!ask_put_comma(&first, x->out) ||
		    !buf_text(x->out, "{\"role\":\"user\",\"content\":") ||
		    !buf_str(x->out, json_raw(x->d, input)) || !buf_text(x->out, "}"))
			return ask_too_large(x->e);
	} else if (rc == ERR_OK) {
		rc = native_put_own(x, &first);
	}
	return rc == ERR_OK && !buf_text(x->out, "]") ? ask_too_large(x->e) : rc;
}

/* --- members --- */

/* native_is_ours: what the gateway does itself, or decides. */
static bool native_is_ours(const struct native *x, json_at k)
{
	static const char *const ours[] = { "previous_response_id",
					    "conversation",
					    "background",
					    "background_options",
					    "store",
					    "metadata",
					    "stream",
					    "include" };

	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (json_is(x->d, k, ours[i]))
			return true;
	return json_is(x->d, k, "stream_options") && !x->p->stream;
}

/* native_counts: whether the member is one of those that a count of tokens takes beside model and input.  Source:
 * openai-python 3, types/responses/input_token_count_params.py. */
static bool native_counts(const struct native *x, json_at k)
{
	static const char *const counted[] = { "input",       "instructions", "parallel_tool_calls",
					       "personality", "reasoning",    "text",
					       "tool_choice", "tools",        "truncation" };

	for (size_t i = 0; i < ARRAY_LEN(counted); i++)
		if (json_is(x->d, k, counted[i]))
			return true;
	return false;
}

static enum errc native_put_members(struct native *x, bool *first)
{
	const struct json_doc *d = x->d;
	enum errc              rc = ERR_OK;

	for (json_at k = json_first(d, 0); rc == ERR_OK && k != json_end(d, 0);
	     k = json_next_member(d, k)) {
		bool input = json_is(d, k, "input");

		if (json_is(d, k, "background_options") && json_kind(d, json_value(k)) != JSON_NULL)
			warnings_add(x->p->warnings, 0, "parameter_dropped",
				     "background_options was not sent: the gateway keeps what "
				     "runs in the background");
		if (native_is_ours(x, k) || json_is(d, k, "model") ||
		    (x->p->native->count && !native_counts(x, k)) ||
		    (x->p->unsampled && ask_is_sampling(d, k)) ||
		    (input && json_kind(d, json_value(k)) == JSON_NULL))
			continue;
		if (!ask_put_comma(first, x->out))
			return ask_too_large(x->e);
		if (input)
			rc = native_put_input(x, json_value(k));
		else if (!buf_str(x->out, json_member(d, k)))
			rc = ask_too_large(x->e);
	}
	if (rc != ERR_OK || json_get_some(d, 0, "input") != JSON_ABSENT)
		return rc;
	return ask_put_comma(first, x->out) ? native_put_input(x, JSON_ABSENT)
					    : ask_too_large(x->e);
}

static bool native_lists(const struct json_doc *d, json_at include)
{
	if (native_is_array(d, include))
		JSON_EACH (i, d, include)
			if (json_is(d, i, ENCRYPTED))
				return true;
	return false;
}

/* native_put_include: a response that the gateway stores goes on later with its reasoning, which the provider
 * has not stored.  Models without reasoning refuse the value. */
static bool native_put_include(const struct native *x)
{
	json_at    include = json_get_some(x->d, 0, "include");
	json_at    reasoning = json_get_some(x->d, 0, "reasoning");
	struct str effort = ask_param_value(x->p, "reasoning_effort");
	bool thinks = (reasoning != JSON_ABSENT || effort.n > 0) && !str_is(effort, "\"none\"");
	bool adds = x->p->native->kept && !x->kept && thinks && !native_lists(x->d, include);
	struct str list = include != JSON_ABSENT ? json_raw(x->d, include) : STR("[]");

	if (include == JSON_ABSENT && !adds)
		return true;
	if (!adds || list.n < 2 || list.p[0] != '[')
		return buf_text(x->out, ",\"include\":") && buf_str(x->out, list);
	list.n--;
	return buf_text(x->out, ",\"include\":") && buf_str(x->out, list) &&
	       buf_text(x->out,
			include != JSON_ABSENT && x->d->tok[include].count > 0 ? "," : "") &&
	       buf_text(x->out, "\"" ENCRYPTED "\"]");
}

/* native_put_store: this API stores requests unless it is told not to. */
static bool native_put_store(const struct native *x)
{
	const struct prompt *p = x->p;

	return buf_text(x->out, x->kept ? ",\"store\":true" : ",\"store\":false") &&
	       (!x->o->forward_store || p->forward[1].n == 0 ||
		(buf_text(x->out, ",") && buf_str(x->out, p->forward[1])));
}

/* native_put_own_defaults: what the configuration says of a model and the client does not.  The client's own
 * members are among those of the prompt, too. */
static bool native_put_own_defaults(const struct native *x)
{
	static const struct {
		const char *key, *own, *before, *behind;
	} members[] = {
		{ "temperature", "temperature", ",\"temperature\":", "" },
		{ "top_p", "top_p", ",\"top_p\":", "" },
		{ "reasoning_effort", "reasoning", ",\"reasoning\":{\"effort\":", "}" },
	};
	const struct prompt *p = x->p;
	bool                 ok = true;

	for (size_t i = 0; ok && i < ARRAY_LEN(members); i++) {
		struct str value = ask_param_value(p, members[i].key);

		ok = value.n == 0 || json_get_some(x->d, 0, members[i].own) != JSON_ABSENT ||
		     (buf_text(x->out, members[i].before) && buf_str(x->out, value) &&
		      buf_text(x->out, members[i].behind));
	}
	if (ok && p->max_tokens.n > 0 && json_get_some(x->d, 0, "max_output_tokens") == JSON_ABSENT)
		ok = buf_text(x->out, ",\"max_output_tokens\":") && buf_str(x->out, p->max_tokens);
	return ok &&
	       (p->instruction.n == 0 || json_get_some(x->d, 0, "instructions") != JSON_ABSENT ||
		(buf_text(x->out, ",\"instructions\":") &&
		 buf_json_string(x->out, p->instruction)));
}

/* native_warn_of_own_defaults: tells what a model's defaults say and this API has no member for. */
static void native_warn_of_own_defaults(const struct native *x)
{
	static const char *const keys[] = { "seed", "stop", "presence_penalty", "frequency_penalty",
					    "response_format" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		bool made = json_get_some(x->d, 0, i == 4 ? "text" : keys[i]) != JSON_ABSENT;

		if (!made && ask_param_value(x->p, keys[i]).n > 0)
			warnings_add(x->p->warnings, 0, "parameter_dropped",
				     "%s of the model's defaults was not sent: OpenAI's Responses "
				     "API has no such member",
				     keys[i]);
	}
}

enum errc openai_responses_native(const struct provider_options *o, const struct prompt *p,
				  struct buf *out, struct err *e)
{
	struct native x = { .o = o, .p = p, .d = p->native->doc, .out = out, .e = e };
	json_at       store = json_get_some(x.d, 0, "store");
	bool          first = false;

	x.kept = o->forward_store && json_is_kind(x.d, store, JSON_TRUE);
	if (!buf_reserve(out, x.d->len + p->model.n + 64) || !buf_text(out, "{\"model\":") ||
	    !buf_json_string(out, p->model))
		return ask_too_large(e);
	enum errc rc = native_put_members(&x, &first);
	if (rc != ERR_OK)
		return rc;
	if (p->native->count)
		return buf_text(out, "}") ? ERR_OK : ask_too_large(e);
	native_warn_of_own_defaults(&x);
	return native_put_include(&x) && native_put_store(&x) &&
			       (!p->stream || buf_text(out, ",\"stream\":true")) &&
			       native_put_own_defaults(&x) && buf_text(out, "}")
		       ? ERR_OK
		       : ask_too_large(e);
}
