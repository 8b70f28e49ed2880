/* Finds the tools that a choice names. */
#include "provider/allowed.h"

#include "base/limits.h"
#include "json/member.h"
#include "json/scan.h"
#include "provider/ask_param.h"

#include <string.h>

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
