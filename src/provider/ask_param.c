/* Finds the members of a request by their names, and prints them at their places in the provider's
 * request. */
#include "provider/ask_param.h"

#include "json/member.h"
#include "json/scan.h"
#include "lmc/warnings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum errc ask_too_large(struct err *e)
{
	if (buf_starved())
		return err_no_memory(e);
	return err_set(e, ERR_REQUEST_TOO_LARGE, NULL, "the request to the provider is too large");
}

bool ask_put_string(struct buf *out, const char *before, struct str escaped)
{
	return buf_text(out, before) && buf_text(out, "\"") && buf_str(out, escaped) &&
	       buf_text(out, "\"");
}

/* count_blank: the bytes of white space that the text begins with; 0: it begins with something else. */
static size_t count_blank(struct str s)
{
	/* Unicode's White_Space, but for ASCII's own in the first row. */
	static const char *const escapes[] = { " ",       "\\n",     "\\r",     "\\t",
					       "\\f",     "\\u000b", "\\u0020", "\\u0009",
					       "\\u000a", "\\u000d", "\\u000c", "\\u0085",
					       "\\u00a0", "\\u1680", "\\u200",  "\\u2028",
					       "\\u2029", "\\u202f", "\\u205f", "\\u3000" };
	static const char *const utf8[] = { "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80",
					    "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf",
					    "\xe2\x81\x9f", "\xe3\x80\x80" };

	if (s.p[0] > ' ' && s.p[0] != '\\') /* ASCII, as most texts begin */
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(escapes); i++) {
		size_t n = strlen(escapes[i]);

		if (s.n < n || strncasecmp(s.p, escapes[i], n) != 0)
			continue;
		if (n != 5) /* "\u200" stands for \u2000 to \u200a */
			return n;
		return s.n > 5 && strchr("0123456789aA", s.p[5]) ? 6 : 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(utf8); i++)
		if (str_starts(s, str_of(utf8[i])))
			return strlen(utf8[i]);
	return s.n >= 3 && memcmp(s.p, "\xe2\x80", 2) == 0 && (unsigned char)s.p[2] <= 0x8a ? 3 : 0;
}

bool ask_is_blank(struct str escaped)
{
	while (escaped.n > 0) {
		size_t n = count_blank(escaped);

		if (n == 0)
			return false;
		escaped = (struct str){ escaped.p + n, escaped.n - n };
	}
	return true;
}

struct str ask_shown(struct str escaped)
{
	size_t shown = 0;

	for (size_t i = 0; i < escaped.n;) {
		struct str rest = { escaped.p + i, escaped.n - i };
		size_t     n = count_blank(rest);

		if (n == 0) {
			n = rest.p[0] == '\\' ? 2 : 1;
			shown = i + n;
		}
		i += n;
	}
	return (struct str){ escaped.p, shown };
}

bool ask_put_comma(bool *first, struct buf *out)
{
	bool comma = !*first;

	*first = false;
	return !comma || buf_text(out, ",");
}

/* The members of OpenAI's request (2026-08) that may be in the members of a prompt. */
static const char *const known[] = {
	"audio",
	"frequency_penalty",
	"function_call",
	"functions",
	"logit_bias",
	"logprobs",
	"modalities",
	"moderation",
	"n",
	"parallel_tool_calls",
	"prediction",
	"presence_penalty",
	"prompt_cache_key",
	"prompt_cache_options",
	"prompt_cache_retention",
	"reasoning_effort",
	"response_format",
	"safety_identifier",
	"seed",
	"service_tier",
	"stop",
	"temperature",
	"tool_choice",
	"tools",
	"top_logprobs",
	"top_p",
	"user",
	"verbosity",
	"web_search_options",
};

enum { NUMBER_TEXT = 64 }; /* bytes; longer numbers are not clamped */

bool ask_is_sampling(const struct json_doc *d, json_at key)
{
	return json_is(d, key, "temperature") || json_is(d, key, "top_p") ||
	       json_is(d, key, "top_k");
}

struct str ask_param_value(const struct prompt *p, const char *key)
{
	for (size_t i = 0; i < p->member_count; i++)
		if (json_member_is(p->members[i], str_of(key)))
			return json_member_value(p->members[i]);
	return STR_NONE;
}

static const struct ask_param *ask_param_row_of(const struct ask_param *table, struct str member)
{
	for (; table->key; table++)
		if (json_member_is(member, str_of(table->key)))
			return table;
	return NULL;
}

static bool is_known(struct str member)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (json_member_is(member, str_of(known[i])))
			return true;
	return false;
}

/* ask_param_held: the value, clamped to the row's bounds. A value that is no number is not changed;
 * the provider refuses it. */
static struct str ask_param_held(const struct prompt *p, const struct ask_param *row,
				 struct str value, char scratch[NUMBER_TEXT])
{
	char  *end;
	double n;

	if (row->least >= row->most || value.n >= NUMBER_TEXT)
		return value;
	str_copy(scratch, NUMBER_TEXT, value);
	n = strtod(scratch, &end);
	if (*end != '\0' || (n >= row->least && n <= row->most))
		return value;
	n = n < row->least ? row->least : row->most;
	warnings_add(p->warnings, 0, "parameter_clamped",
		     "%s: this provider takes %g to %g; %g was sent", row->key, row->least,
		     row->most, n);
	snprintf(scratch, NUMBER_TEXT, "%g", n);
	return str_of(scratch);
}

enum errc ask_param_put(const struct prompt *p, const struct ask_param *table, unsigned group,
			bool *first, struct buf *out, struct err *e)
{
	for (size_t i = 0; i < p->member_count; i++) {
		const struct ask_param *row = ask_param_row_of(table, p->members[i]);
		struct str              value = json_member_value(p->members[i]);
		char                    scratch[NUMBER_TEXT];

		if (!row || row->rule != ASK_SENT || row->group != group || value.n == 0)
			continue;
		if (!ask_put_comma(first, out) || !buf_text(out, "\"") ||
		    !buf_text(out, row->as ? row->as : row->key) || !buf_text(out, "\":") ||
		    !buf_str(out, ask_param_held(p, row, value, scratch)))
			return ask_too_large(e);
	}
	return ERR_OK;
}

enum errc ask_param_rest(const struct prompt *p, const struct ask_param *table, const char *dialect,
			 struct buf *out, struct err *e)
{
	for (size_t i = 0; i < p->member_count; i++) {
		struct str              member = p->members[i];
		const struct ask_param *row = ask_param_row_of(table, member);
		char                    key[64];

		if ((row && row->rule != ASK_REFUSED) || json_member_value(member).n == 0)
			continue;
		str_copy(key, sizeof key, json_member_key(member));
		if (row)
			return err_set(e, ERR_UNSUPPORTED_PARAMETER, key,
				       "a provider of dialect %s has no such parameter", dialect);
		if (is_known(member))
			warnings_add(
				p->warnings, 0, "parameter_dropped",
				"%s was not sent: a provider of dialect %s has no such parameter",
				key, dialect);
		else if (!buf_text(out, ",") || !buf_str(out, member))
			return ask_too_large(e);
	}
	return ERR_OK;
}

/* --- stop sequences --- */

/* The sequences that are sent so far. */
struct stops {
	const struct prompt *prompt;
	size_t               most;
	bool                 words;
	size_t               sent, cut;
};

static bool is_stop_sent(struct stops *s, const struct json_doc *d, json_at i)
{
	bool       text = json_kind(d, i) == JSON_STRING; /* i may be the root */
	struct str inner = text ? json_inner(d, i) : STR_NONE;

	if (text && (inner.n == 0 || (s->words && ask_is_blank(inner)))) {
		warnings_add(
			s->prompt->warnings, 0, "parameter_dropped",
			"a stop sequence of white space was not sent: this provider takes none");
		return false;
	}
	if (s->most > 0 && s->sent == s->most) {
		s->cut++;
		return false;
	}
	s->sent++;
	return true;
}

bool ask_put_stops(const struct prompt *p, const char *before, size_t most, bool words, bool *first,
		   struct buf *out)
{
	struct str      raw = ask_param_value(p, "stop");
	struct stops    s = { .prompt = p, .most = most, .words = words };
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = true;

	if (raw.n == 0)
		return true;
	if (json_scan(&d, raw.p, raw.n, &json_limits_upstream, &e) != ERR_OK) {
		json_doc_finish(&d);
		return false;
	}
	bool    list = json_kind(&d, 0) == JSON_ARRAY;
	json_at end = list ? json_end(&d, 0) : 1;
	for (json_at i = list ? json_first(&d, 0) : 0; ok && i < end; i = json_next(&d, i))
		if (is_stop_sent(&s, &d, i))
			ok = (s.sent > 1 ? buf_text(out, ",")
					 : ask_put_comma(first, out) && buf_text(out, before) &&
						   buf_text(out, "[")) &&
			     buf_str(out, json_raw(&d, i));
	json_doc_finish(&d);
	if (s.cut > 0)
		warnings_add(p->warnings, 0, "parameter_clamped",
			     "only the first %zu of stop were sent: this provider takes no more",
			     most);
	return ok && (s.sent == 0 || buf_text(out, "]"));
}

/* --- members that the client and the dialect both have --- */

void ask_param_unsent(const struct prompt *p, const char *key, const char *instead)
{
	warnings_add(p->warnings, 0, "parameter_dropped", "%s was not sent: %s says the same thing",
		     key, instead);
}

/* same_name: also where one is max_tokens and the other maxTokens. */
static bool same_name(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.n && a.p[i] == '_')
			i++;
		while (k < b.n && b.p[k] == '_')
			k++;
		if (i == a.n || k == b.n)
			return i == a.n && k == b.n;
		if (tolower((unsigned char)a.p[i++]) != tolower((unsigned char)b.p[k++]))
			return false;
	}
}

static bool has_member(const struct json_doc *of, const struct json_doc *d, json_at key)
{
	JSON_EACH_MEMBER (k, of, 0)
		if (json_is_str(d, key, json_inner(of, k)) ||
		    same_name(json_inner(of, k), json_inner(d, key)))
			return true;
	return false;
}

/* put_both: appends an object with the members of a, and those of b that a lacks. */
static bool put_both(const struct prompt *p, const char *name, const struct json_doc *a,
		     const struct json_doc *b, struct buf *out)
{
	struct str all = json_raw(a, 0);
	bool       first = a->tok[0].count == 0;

	if (!buf_add(out, all.p, all.n - 1))
		return false;
	JSON_EACH_MEMBER (k, b, 0) {
		struct str key = json_inner(b, k);

		if (has_member(a, b, k))
			warnings_add(
				p->warnings, 0, "parameter_dropped",
				"one of two values of %s.%.*s was not sent: two members of the "
				"request say it",
				name, key.n < 60 ? (int)key.n : 60, key.p);
		else if (!ask_put_comma(&first, out) || !buf_str(out, json_member(b, k)))
			return false;
	}
	return buf_text(out, "}");
}

enum errc ask_param_merge(const struct prompt *p, const char *key, struct str ours, bool own_first,
			  struct buf *out, struct err *e)
{
	struct str      value = ask_param_value(p, key);
	struct json_doc given = { 0 };
	struct json_doc made = { 0 };

	if (value.n == 0 && ours.n == 0)
		return ERR_OK;
	value = value.n > 0 ? value : STR("{}");
	ours = ours.n > 0 ? ours : STR("{}");
	enum errc rc = json_scan(&made, ours.p, ours.n, &json_limits_upstream, e);
	if (rc == ERR_OK &&
	    (json_scan(&given, value.p, value.n, &json_limits_upstream, e) != ERR_OK ||
	     json_kind(&given, 0) != JSON_OBJECT))
		rc = err_set(e, ERR_INVALID_TYPE, key, "must be an object");
	if (rc == ERR_OK &&
	    !(buf_text(out, ",\"") && buf_text(out, key) && buf_text(out, "\":") &&
	      put_both(p, key, own_first ? &given : &made, own_first ? &made : &given, out)))
		rc = ask_too_large(e);
	json_doc_finish(&made);
	json_doc_finish(&given);
	return rc;
}

enum errc ask_param_alone(const struct prompt *p, const char *key, bool made, struct buf *out,
			  struct err *e)
{
	struct str value = ask_param_value(p, key);

	if (value.n == 0)
		return ERR_OK;
	if (made)
		return err_set(e, ERR_INVALID_VALUE, key,
			       "another member of the request says the same thing to this "
			       "provider; send one of them");
	return buf_text(out, ",\"") && buf_text(out, key) && buf_text(out, "\":") &&
			       buf_str(out, value)
		       ? ERR_OK
		       : ask_too_large(e);
}

/* --- allowed: Finds the tools that a choice names. */

/* A request's choice and its tools, scanned. */
struct allowed {
	struct json_doc choice;
	struct json_doc tools;
	json_at         names; /* the list of the choice */
	const char     *mode;  /* the choice that is left */
};

static enum errc allowed_refuse(enum errc code, const char *path, const char *what, struct err *e)
{
	return err_set(e, code, path, "%s", what);
}

static enum errc read_choice(struct allowed *x, struct err *e)
{
	const struct json_doc *d = &x->choice;
	json_at                allowed = json_get(d, 0, "allowed_tools");
	json_at                mode = json_get_some(d, allowed, "mode");

	if (!json_is_kind(d, allowed, JSON_OBJECT))
		return allowed_refuse(ERR_INVALID_TYPE, "tool_choice.allowed_tools",
				      "must be an object", e);
	x->names = json_get(d, allowed, "tools");
	if (!json_is_kind(d, x->names, JSON_ARRAY))
		return allowed_refuse(ERR_INVALID_TYPE, "tool_choice.allowed_tools.tools",
				      "must be an array of tools", e);
	x->mode = mode != JSON_ABSENT && json_is(d, mode, "required") ? "required" : "auto";
	if (mode != JSON_ABSENT && !json_is(d, mode, x->mode))
		return allowed_refuse(ERR_INVALID_VALUE, "tool_choice.allowed_tools.mode",
				      "must be auto or required", e);
	return ERR_OK;
}

/* allowed_name: the name of a tool, whatever its type. */
static struct str allowed_name(const struct json_doc *d, json_at tool)
{
	json_at type = json_is_kind(d, tool, JSON_OBJECT) ? json_get(d, tool, "type") : JSON_ABSENT;
	json_at of = type != JSON_ABSENT && json_is(d, type, "custom")
			     ? json_get(d, tool, "custom")
			     : json_get(d, tool, "function");

	return json_is_kind(d, of, JSON_OBJECT) ? json_get_inner(d, of, "name") : STR_NONE;
}

static bool allowed_is(const struct allowed *x, json_at tool)
{
	struct str name = allowed_name(&x->tools, tool);

	JSON_EACH (i, &x->choice, x->names)
		if (str_eq(allowed_name(&x->choice, i), name))
			return true;
	return false;
}

/* allowed_put: *ret_count: how many there are. */
static bool allowed_put(const struct allowed *x, size_t *ret_count, struct buf *out)
{
	bool ok = buf_text(out, "\"tools\":[");

	*ret_count = 0;
	JSON_EACH (i, &x->tools, 0)
		if (allowed_is(x, i))
			ok = ok && ((*ret_count)++ == 0 || buf_text(out, ",")) &&
			     buf_str(out, json_raw(&x->tools, i));
	return ok && buf_text(out, "]");
}

/* allowed_replace: without tools, there is no choice among them. */
static enum errc allowed_replace(struct prompt *p, const struct allowed *x, struct str tools,
				 bool any, struct arena *a, struct err *e)
{
	struct str *list = arena_alloc(a, p->member_count * sizeof *list);
	size_t      n = 0;

	if (!list || !tools.p)
		return err_no_memory(e);
	for (size_t i = 0; i < p->member_count; i++) {
		struct str m = p->members[i];
		bool       choice = json_member_is(m, STR("tool_choice"));

		if (json_member_is(m, STR("tools")))
			m = tools;
		else if (choice)
			m = x->mode[0] == 'r' ? STR("\"tool_choice\":\"required\"")
					      : STR("\"tool_choice\":\"auto\"");
		else if (!any && json_member_is(m, STR("parallel_tool_calls")))
			continue;
		if (any || (!choice && m.p != tools.p))
			list[n++] = m;
	}
	p->members = list;
	p->member_count = n;
	return ERR_OK;
}

static enum errc allowed_filter(struct prompt *p, struct allowed *x, struct arena *a, struct err *e)
{
	struct str tools = ask_param_value(p, "tools");
	struct buf named;
	size_t     count = 0;
	enum errc  rc = read_choice(x, e);

	if (rc != ERR_OK || tools.n == 0)
		return rc;
	rc = json_scan(&x->tools, tools.p, tools.n, &json_limits_upstream, e);
	if (rc != ERR_OK || json_kind(&x->tools, 0) != JSON_ARRAY)
		return ERR_OK; /* the dialect tells what is wrong */
	buf_init(&named, tools.n + 32);
	if (!allowed_put(x, &count, &named))
		rc = ask_too_large(e);
	else if (count == 0 && x->mode[0] == 'r')
		rc = allowed_refuse(ERR_INVALID_VALUE, "tool_choice.allowed_tools.tools",
				    "none of them is a tool of the request", e);
	else
		rc = allowed_replace(p, x, arena_str(a, buf_view(&named)), count > 0, a, e);
	buf_finish(&named);
	return rc;
}

enum errc allowed_apply(struct prompt *p, struct arena *a, struct err *e)
{
	static const char word[] = "allowed_tools";
	struct str        choice = ask_param_value(p, "tool_choice");
	struct allowed    x = { 0 };
	enum errc         rc = ERR_OK;

	if (choice.n == 0 || !memmem(choice.p, choice.n, word, sizeof word - 1))
		return ERR_OK;
	if (json_scan(&x.choice, choice.p, choice.n, &json_limits_upstream, e) != ERR_OK)
		rc = e->code;
	else if (json_get_is(&x.choice, 0, "type", word))
		rc = allowed_filter(p, &x, a, e);
	json_doc_finish(&x.choice);
	json_doc_finish(&x.tools);
	return rc;
}
