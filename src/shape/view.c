/* Prints stored messages for a client, in three shapes. */

#include "base/arena.h"
#include "base/limits.h"
#include "shape/context.h"
#include "lmc/text.h"
#include "lmc/to_lmc.h"
#include "lmc/to_openai.h"
#include "shape/transcript.h"

#include <stdio.h>

const char *const view_formats[] = { "native", "openai", "lmc", NULL };

static enum errc view_print_list(const struct str *messages, size_t count, struct buf *out,
				 struct err *e)
{
	for (size_t i = 0; i < count; i++)
		if ((i > 0 && !buf_text(out, ",")) || !buf_str(out, messages[i]))
			return err_no_memory(e);
	return ERR_OK;
}

/* --- OpenAI --- */

static enum errc print_openai(const struct str *messages, size_t count, struct warnings *warnings,
			      struct arena *arena, struct buf *out, struct err *e)
{
	const struct transcript_options o = {
		.view = true, .answers_calls = true, .warnings = warnings, .arena = arena
	};
	struct str *list;
	size_t      n;
	enum errc   rc = transcript_render(messages, count, &o, &list, &n, e);

	return rc == ERR_OK ? view_print_list(list, n, out, e) : rc;
}

/* --- LMC --- */

/* print_own: prints a message object or an answer; files stand before the text, as a provider sees
 * them. */
static enum errc print_own(struct json_doc *d, struct str message, size_t index,
			   struct warnings *warnings, struct arena *arena, struct buf *out,
			   struct err *e)
{
	const struct to_lmc_options o = { .fences = true, .warnings = warnings };
	char                        path[48];
	struct context_named       *named;
	size_t                      count = 0;
	struct str                  raw;
	enum errc                   rc = context_uploads(message, arena, &named, &count, e);

	snprintf(path, sizeof path, "messages[%zu]", index);
	if (count > 0)
		warnings_add(warnings, index, "file_not_shown",
			     "the contents of uploaded files are not shown here");
	if (rc == ERR_OK)
		rc = context_render(message, CONTEXT_PROMPT, arena, &raw, e);
	if (rc == ERR_OK)
		rc = json_scan(d, raw.p, raw.n, &json_limits_stored, e);
	if (rc == ERR_OK)
		rc = to_lmc_answer(d, 0, path, index, &o, out, e);
	if (rc == ERR_OK || rc == ERR_OVERLOADED)
		return rc;
	/* OpenAI's routes store every message, and LMC can't express all of them. */
	warnings_add(warnings, index, "not_shown", "%s: %s", e->path, e->text);
	*e = (struct err){ .code = ERR_OK };
	return ERR_OK;
}

static enum errc print_lmc(const struct str *messages, size_t count, struct warnings *warnings,
			   struct arena *arena, struct buf *out, struct err *e)
{
	struct json_doc d = { 0 };
	enum errc       rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < count; i++) {
		struct str m = messages[i];

		rc = json_scan(&d, m.p, m.n, &json_limits_stored, e);
		if (rc != ERR_OK)
			break;
		json_at lmc = json_get(&d, 0, "lmc");
		if (json_get_some(&d, 0, "type") != JSON_ABSENT) {
			if ((out->len > 0 && !buf_text(out, ",")) || !buf_str(out, m))
				rc = err_no_memory(e);
		} else if (lmc != JSON_ABSENT && json_kind(&d, lmc) == JSON_ARRAY) {
			struct str list = json_raw(&d, lmc);

			if (d.tok[lmc].count > 0 && ((out->len > 0 && !buf_text(out, ",")) ||
						     !buf_add(out, list.p + 1, list.n - 2)))
				rc = err_no_memory(e);
		} else {
			rc = print_own(&d, m, i, warnings, arena, out, e);
		}
	}
	json_doc_finish(&d);
	return rc;
}

enum errc view_print(const struct str *messages, size_t count, enum view_format format,
		     struct warnings *warnings, struct buf *out, struct err *e)
{
	struct arena arena;
	enum errc    rc = ERR_OK;

	arena_init(&arena, LIMIT_TRANSLATION);
	switch (format) {
	case VIEW_NATIVE: rc = view_print_list(messages, count, out, e); break;
	case VIEW_OPENAI: rc = print_openai(messages, count, warnings, &arena, out, e); break;
	case VIEW_LMC: rc = print_lmc(messages, count, warnings, &arena, out, e); break;
	case VIEW__COUNT: break;
	}
	arena_finish(&arena);
	return rc;
}

/* --- pages --- */

static bool role_is(const struct json_doc *d, const char *role)
{
	json_at i = json_get_some(d, 0, "role");

	return i != JSON_ABSENT && json_is(d, i, role);
}

/* True for calls and for messages that may belong to one. */
static bool is_of_calls(struct json_doc *d, struct str message, bool *ret_may_call)
{
	struct err e;

	*ret_may_call = false;
	if (json_scan(d, message.p, message.n, &json_limits_stored, &e) != ERR_OK)
		return false;
	bool by = role_is(d, "assistant");
	*ret_may_call = !by || json_get_some(d, 0, "tool_calls") != JSON_ABSENT ||
			json_get_some(d, 0, "type") != JSON_ABSENT ||
			json_get_some(d, 0, "lmc") != JSON_ABSENT;
	return by || role_is(d, "tool") || role_is(d, "function") || role_is(d, "computer");
}

size_t view_cut(const struct str *messages, size_t count, enum view_format format)
{
	struct json_doc d = { 0 };
	size_t          n = count;
	bool            may_call = format == VIEW_OPENAI;
	bool            more = may_call;

	/* The last message shows whether a group of calls may be open; the first one of the row is
	 * its start. */
	for (bool call; more && n > 0; n -= more) {
		more = is_of_calls(&d, messages[n - 1], &call);
		if (n == count)
			may_call = more && call;
		more = more && may_call;
	}
	json_doc_finish(&d);
	return may_call && n > 0 ? n : count;
}

size_t view_skip(const struct str *messages, size_t count, enum view_format format)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            result = format == VIEW_OPENAI;
	size_t          n = 0;

	while (n < count) {
		result =
			result &&
			json_scan(&d, messages[n].p, messages[n].n, &json_limits_stored, &e) ==
				ERR_OK &&
			(role_is(&d, "tool") || role_is(&d, "function") || role_is(&d, "computer"));
		if (!result)
			break;
		n++;
	}
	json_doc_finish(&d);
	return n < count ? n : 0;
}

/* --- one message --- */

static bool view_keep_first(void *arg, struct str message)
{
	struct buf *out = arg;

	return out->len > 0 || buf_str(out, message);
}

static bool print_translated(const struct json_doc *d, json_at message, struct buf *out)
{
	const struct to_openai_options o = {
		.fence = true, .vision = true, .arg = out, .made = view_keep_first
	};
	struct to_openai *t = to_openai_create(&o);
	struct err        e;

	if (!t)
		return false;
	enum errc rc = to_openai_lmc(t, d, message, "", 0, &e);
	if (rc == ERR_OK)
		rc = to_openai_end(t, &e);
	to_openai_destroy(t);
	return rc != ERR_OVERLOADED;
}

/* print_text: shows a message that is never translated. */
static bool print_text(const struct json_doc *d, json_at message, struct buf *out)
{
	json_at     content = json_get(d, message, "content");
	json_at     role = json_get(d, message, "role");
	const char *name =
		role != JSON_ABSENT && json_is(d, role, "assistant") ? "assistant" : "user";
	struct buf text;

	buf_init(&text, LIMIT_STORE_ROW);
	bool ok = (content == JSON_ABSENT || text_of(d, content, &text)) &&
		  buf_text(out, "{\"role\":\"") && buf_text(out, name) &&
		  buf_text(out, "\",\"content\":") && text_quote(out, buf_view(&text)) &&
		  buf_text(out, "}");
	buf_finish(&text);
	return ok;
}

bool view_single(const struct json_doc *d, json_at message, struct buf *out)
{
	struct buf made;

	buf_init(&made, LIMIT_TRANSLATION);
	bool ok = print_translated(d, message, &made);
	if (ok)
		ok = made.len > 0 ? buf_str(out, buf_view(&made)) : print_text(d, message, out);
	buf_finish(&made);
	return ok;
}
