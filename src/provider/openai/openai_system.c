/* Finds system messages, and joins their texts. */
#include "provider/openai/openai.h"

#include "base/limits.h"
#include "json/scan.h"
#include "lmc/warnings.h"
#include "provider/ask_param.h"

#include <stdio.h>
#include <stdlib.h>

/* is_other: a quick look at the first bytes; false: the message must be read. */
static bool is_other(struct str message)
{
	static const struct str heads[] = {
		{ "{\"role\":\"user\"", 14 },      { "{\"role\": \"user\"", 15 },
		{ "{\"role\":\"assistant\"", 19 }, { "{\"role\": \"assistant\"", 20 },
		{ "{\"role\":\"tool\"", 14 },      { "{\"role\": \"tool\"", 15 },
	};

	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		if (str_starts(message, heads[i]))
			return true;
	return false;
}

static bool is_plain(struct str message)
{
	return str_starts(message, STR("{\"role\":\"system\""));
}

/* is_usual: whether it takes no reading to see that nothing is to be done. */
static bool is_usual(const struct prompt *p)
{
	for (size_t i = 0; i < p->message_count; i++)
		if (!is_other(p->messages[i]) && (i > 0 || !is_plain(p->messages[i])))
			return false;
	return true;
}

static enum errc add_text(struct openai_system *s, struct str text, struct err *e)
{
	if (text.n == 0)
		return ERR_OK;
	return (s->text.len == 0 || buf_text(&s->text, "\\n\\n")) && buf_str(&s->text, text)
		       ? ERR_OK
		       : ask_too_large(e);
}

static enum errc openai_system_refuse(size_t message, size_t part, struct err *e)
{
	char path[96];

	snprintf(path, sizeof path, "messages[%zu].content[%zu]", message, part);
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
		       "a system message of this provider takes text alone");
}

static enum errc add_message(struct openai_system *s, const struct json_doc *d, size_t message,
			     struct err *e)
{
	json_at   content = json_get(d, 0, "content");
	enum errc rc = ERR_OK;
	size_t    n = 0;

	if (!json_is_kind(d, content, JSON_ARRAY))
		return add_text(s, json_inner_of(d, content), e);
	for (json_at i = json_first(d, content); rc == ERR_OK && i != json_end(d, content);
	     i = json_next(d, i), n++)
		rc = json_get_is(d, i, "type", "text")
			     ? add_text(s, json_get_inner(d, i, "text"), e)
			     : openai_system_refuse(message, n, e);
	return rc;
}

/* openai_system_mark: finds the messages.  *ret_move: there is one that can't stay. */
static enum errc openai_system_mark(struct openai_system *s, const struct prompt *p,
				    struct json_doc *d, bool *ret_move, struct err *e)
{
	*ret_move = false;
	for (size_t i = 0; i < p->message_count; i++) {
		struct str m = p->messages[i];

		if (is_other(m))
			continue;
		if (json_scan(d, m.p, m.n, &json_limits_stored, e) != ERR_OK)
			return e->code;
		bool developer = json_get_is(d, 0, "role", "developer");
		s->are[i] = developer || json_get_is(d, 0, "role", "system");
		*ret_move = *ret_move || developer || (s->are[i] && i > 0);
	}
	return ERR_OK;
}

static enum errc join_systems(struct openai_system *s, const struct prompt *p, struct json_doc *d,
			      struct err *e)
{
	bool others = false;

	for (size_t i = 0; i < p->message_count; i++) {
		others = others || !s->are[i];
		if (!s->are[i])
			continue;
		if (others)
			warnings_add(p->warnings, i, "system_moved",
				     "a system message among the others was put before them, as "
				     "this provider takes none there");
		if (json_scan(d, p->messages[i].p, p->messages[i].n, &json_limits_stored, e) !=
			    ERR_OK ||
		    add_message(s, d, i, e) != ERR_OK)
			return e->code;
	}
	return ERR_OK;
}

enum errc openai_system_read(struct openai_system *ret, const struct prompt *p, struct err *e)
{
	struct json_doc d = { 0 };
	bool            move = false;
	enum errc       rc;

	*ret = (struct openai_system){ 0 };
	if (is_usual(p))
		return ERR_OK;
	ret->are = calloc(p->message_count, sizeof *ret->are);
	if (!ret->are)
		return err_no_memory(e);
	buf_init(&ret->text, LIMIT_UPSTREAM_ASK);
	rc = openai_system_mark(ret, p, &d, &move, e);
	if (rc == ERR_OK && move)
		rc = join_systems(ret, p, &d, e);
	json_doc_finish(&d);
	if (rc != ERR_OK || !move)
		openai_system_finish(ret);
	return rc;
}

bool openai_system_put(const struct openai_system *s, bool *first, struct buf *out)
{
	return s->text.len == 0 ||
	       (ask_put_comma(first, out) &&
		ask_put_string(out, "{\"role\":\"system\",\"content\":", buf_view(&s->text)) &&
		buf_text(out, "}"));
}

void openai_system_finish(struct openai_system *s)
{
	free(s->are);
	buf_finish(&s->text);
	*s = (struct openai_system){ 0 };
}
