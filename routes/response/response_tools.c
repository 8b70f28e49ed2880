/* Makes tools of a chat from the tools of a response. */
#include "routes/response/internal.h"

#include "base/limits.h"
#include "json/scan.h"
#include "routes/kit/check.h"

#include <stdio.h>

/* A custom tool's parameters for a provider; shape/response takes its answer apart. */
static const char custom_parameters[] =
	",\"parameters\":{\"type\":\"object\",\"properties\":{\"input\":{\"type\":\"string\"}},"
	"\"required\":[\"input\"],\"additionalProperties\":false}";

/* A tool of the request and where it stands. */
struct tool_at {
	json_at  tool;
	json_at  space; /* its namespace, or absent */
	uint32_t top;   /* index in the list, or of the item that brings it along */
	uint32_t at;    /* index in the namespace, or in the item's list */
	bool     first; /* first tool of its namespace */
	bool     more;  /* an item brings it along */
	char     path[96];
};

static enum errc tools_full(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "no memory for the tools");
}

static bool is_function(const struct json_doc *d, json_at tool)
{
	return json_get_is(d, tool, "type", "function");
}

static bool is_ours(const struct json_doc *d, json_at tool)
{
	return is_function(d, tool) || json_get_is(d, tool, "type", "custom");
}

/* space_of: the name of a namespace; empty: there is none. */
static struct str space_of(const struct json_doc *d, json_at space)
{
	return space != JSON_ABSENT ? json_get_inner(d, space, "name") : STR_NONE;
}

static bool tools_is_space(const struct json_doc *d, json_at tool)
{
	return json_get_is(d, tool, "type", "namespace");
}

/* --- a walk over all tools --- */

struct tool_name {
	json_at tool;
	json_at space;
};

struct walk {
	const struct response_tools *t;
	enum errc (*fn)(struct walk *w, const struct tool_at *at, struct err *e);
	struct buf       *out;
	struct tool_name *given; /* read_tool: what was printed */
	size_t            count;
	struct tool_name  found; /* find_choice */
};

static enum errc tools_check_object(const struct walk *w, json_at tool, const char *path,
				    struct err *e)
{
	return json_kind(w->t->d, tool) == JSON_OBJECT
		       ? ERR_OK
		       : err_set(e, ERR_INVALID_TYPE, path, "must be an object");
}

static enum errc tools_check_name(const struct json_doc *d, json_at tool, const char *path,
				  struct err *e)
{
	json_at name = json_get_some(d, tool, "name");
	char    at[160];

	check_path(at, "%s.name", path);
	if (name == JSON_ABSENT)
		return err_set(e, ERR_MISSING_PARAMETER, at, "is required");
	if (json_kind(d, name) != JSON_STRING || json_inner(d, name).n == 0)
		return err_set(e, ERR_INVALID_TYPE, at, "must be a string with some text");
	return ERR_OK;
}

static enum errc tools_walk_space(struct walk *w, struct tool_at *at, struct err *e)
{
	const struct json_doc *d = w->t->d;
	json_at                list = json_get_some(d, at->tool, "tools");
	char                   path[160];
	struct tool_at         x = *at;
	uint32_t               n = 0;
	enum errc              rc = tools_check_name(d, at->tool, at->path, e);

	check_path(path, "%s.tools", at->path);
	if (rc == ERR_OK && list != JSON_ABSENT && json_kind(d, list) != JSON_ARRAY)
		rc = err_set(e, ERR_INVALID_TYPE, path, "must be an array of tools");
	if (rc != ERR_OK || list == JSON_ABSENT)
		return rc;
	x.space = at->tool;
	for (json_at i = json_first(d, list); rc == ERR_OK && i != json_end(d, list);
	     i = json_next(d, i), n++) {
		x.tool = i;
		x.first = n == 0;
		if (!at->more)
			x.at = n;
		check_path(path, "%s.tools[%u]", at->path, n);
		str_copy(x.path, sizeof x.path, str_of(path));
		rc = tools_check_object(w, i, x.path, e);
		if (rc == ERR_OK)
			rc = w->fn(w, &x, e);
	}
	return rc;
}

static enum errc tools_walk_list(struct walk *w, json_at list,
				 const struct response_tools_more *more, struct err *e)
{
	const struct json_doc *d = w->t->d;
	enum errc              rc = ERR_OK;
	uint32_t               n = 0;

	for (json_at i = json_first(d, list); rc == ERR_OK && i != json_end(d, list);
	     i = json_next(d, i), n++) {
		struct tool_at x = { .tool = i, .space = JSON_ABSENT, .top = n, .more = more };

		if (more) {
			x.top = more->item;
			x.at = n;
			snprintf(x.path, sizeof x.path, "input[%u].tools[%u]", more->item, n);
		} else {
			snprintf(x.path, sizeof x.path, "tools[%u]", n);
		}
		rc = tools_check_object(w, i, x.path, e);
		if (rc == ERR_OK)
			rc = tools_is_space(d, i) ? tools_walk_space(w, &x, e) : w->fn(w, &x, e);
	}
	return rc;
}

static enum errc tools_walk_all(struct walk *w, struct err *e)
{
	const struct response_tools *t = w->t;
	enum errc rc = t->list != JSON_ABSENT ? tools_walk_list(w, t->list, NULL, e) : ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < t->more_count; i++)
		rc = tools_walk_list(w, t->more[i].list, &t->more[i], e);
	return rc;
}

/* --- checks --- */

static enum errc tools_refuse_type(const struct response_tools *t, const struct tool_at *at,
				   struct err *e)
{
	struct str type = json_get_inner(t->d, at->tool, "type");
	char       path[160];

	check_path(path, "%s.type", at->path);
	if (type.n == 0)
		return err_set(e, ERR_MISSING_PARAMETER, path, "is required");
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
		       "%.*s is a tool that OpenAI runs itself; function, custom and namespace are "
		       "taken here",
		       (int)(type.n < 48 ? type.n : 48), type.p);
}

static enum errc response_check_tool(const struct response_tools *t, const struct tool_at *at,
				     struct err *e)
{
	if (is_ours(t->d, at->tool))
		return tools_check_name(t->d, at->tool, at->path, e);
	return t->drops && json_get_inner(t->d, at->tool, "type").n > 0
		       ? ERR_OK
		       : tools_refuse_type(t, at, e);
}

/* --- the choice --- */

static const char *const tools_modes[] = { "auto", "none", "required" };

static bool is_mode(const struct json_doc *d, json_at i)
{
	for (size_t n = 0; n < ARRAY_LEN(tools_modes); n++)
		if (json_is(d, i, tools_modes[n]))
			return true;
	return false;
}

/* is_hosted_choice: the choice of a tool that OpenAI runs itself, which has a type alone. */
static bool is_hosted_choice(const struct response_tools *t)
{
	const struct json_doc *d = t->d;

	return json_is_kind(d, t->choice, JSON_OBJECT) && !is_ours(d, t->choice) &&
	       !json_get_is(d, t->choice, "type", "allowed_tools");
}

/* allowed_of: the tools that tool_choice allows; absent: all of them. */
static json_at allowed_of(const struct response_tools *t)
{
	if (!json_is_kind(t->d, t->choice, JSON_OBJECT) ||
	    !json_get_is(t->d, t->choice, "type", "allowed_tools"))
		return JSON_ABSENT;
	return json_get_some(t->d, t->choice, "tools");
}

static enum errc check_choice(const struct response_tools *t, struct err *e)
{
	const struct json_doc *d = t->d;
	json_at                c = t->choice;

	if (c == JSON_ABSENT || (json_kind(d, c) == JSON_STRING && is_mode(d, c)))
		return ERR_OK;
	if (json_kind(d, c) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_VALUE, "tool_choice",
			       "must be auto, none, required, or an object with a type");
	if (is_ours(d, c))
		return json_get_inner(d, c, "name").n > 0
			       ? ERR_OK
			       : err_set(e, ERR_MISSING_PARAMETER, "tool_choice.name",
					 "is required");
	if (!json_get_is(d, c, "type", "allowed_tools"))
		return t->drops && json_get_inner(d, c, "type").n > 0
			       ? ERR_OK
			       : err_set(e, ERR_UNSUPPORTED_PARAMETER, "tool_choice.type",
					 "must be one of: function, custom, allowed_tools");
	if (!json_is_kind(d, allowed_of(t), JSON_ARRAY))
		return err_set(e, ERR_INVALID_TYPE, "tool_choice.tools",
			       "must be an array of tools");
	json_at mode = json_get_some(d, c, "mode");
	return mode == JSON_ABSENT || is_mode(d, mode)
		       ? ERR_OK
		       : err_set(e, ERR_INVALID_VALUE, "tool_choice.mode",
				 "must be auto or required");
}

/* tools_is_named: whether an object that names a tool, or its whole namespace, means this one. */
static bool tools_is_named(const struct json_doc *d, json_at by, const struct tool_at *at)
{
	struct str name = json_get_inner(d, by, "name");
	struct str space = json_get_inner(d, by, "namespace");
	struct str own = space_of(d, at->space);

	if (tools_is_space(d, by))
		return own.n > 0 && str_eq(name, own);
	return str_eq(name, json_get_inner(d, at->tool, "name")) &&
	       (space.n == 0 || str_eq(space, own));
}

static bool is_allowed(const struct response_tools *t, const struct tool_at *at)
{
	json_at allowed = allowed_of(t);

	if (allowed == JSON_ABSENT)
		return true;
	JSON_EACH (i, t->d, allowed)
		if (json_kind(t->d, i) == JSON_OBJECT && tools_is_named(t->d, i, at))
			return true;
	return false;
}

/* put_name: the name of a tool as the provider knows it, without quotes. */
static bool put_name(const struct json_doc *d, json_at tool, json_at space, struct buf *out)
{
	return (space == JSON_ABSENT || (buf_str(out, json_get_inner(d, space, "name")) &&
					 buf_text(out, RESPONSE_TOOLS_JOINT))) &&
	       buf_str(out, json_get_inner(d, tool, "name"));
}

static enum errc find_choice(struct walk *w, const struct tool_at *at, struct err *e)
{
	(void)e;
	if (w->found.tool == JSON_ABSENT && is_ours(w->t->d, at->tool) &&
	    tools_is_named(w->t->d, w->t->choice, at))
		w->found = (struct tool_name){ at->tool, at->space };
	return ERR_OK;
}

static bool put_one(const struct response_tools *t, struct buf *out)
{
	struct walk w = { .t = t, .fn = find_choice, .found = { JSON_ABSENT, JSON_ABSENT } };
	struct err  e;

	if (tools_walk_all(&w, &e) != ERR_OK || w.found.tool == JSON_ABSENT)
		w.found.tool = t->choice;
	return buf_text(out, "{\"type\":\"function\",\"function\":{\"name\":\"") &&
	       put_name(t->d, w.found.tool, w.found.space, out) && buf_text(out, "\"}}");
}

bool response_tools_put_choice(const struct response_tools *t, struct buf *out)
{
	const struct json_doc *d = t->d;

	if (t->choice == JSON_ABSENT || is_hosted_choice(t))
		return true;
	if (!buf_text(out, "\"tool_choice\":"))
		return false;
	if (json_kind(d, t->choice) == JSON_STRING)
		return buf_str(out, json_raw(d, t->choice));
	if (is_ours(d, t->choice))
		return put_one(t, out);
	json_at mode = json_get_some(d, t->choice, "mode");
	return mode == JSON_ABSENT ? buf_text(out, "\"auto\"") : buf_str(out, json_raw(d, mode));
}

/* --- the tools --- */

/* put_about: the description; the first tool of a namespace tells the namespace's, too. */
static bool put_about(const struct json_doc *d, const struct tool_at *at, struct buf *out)
{
	struct str about = json_get_inner(d, at->tool, "description");
	struct str all = at->first ? json_get_inner(d, at->space, "description") : STR_NONE;

	if (about.n + all.n == 0)
		return true;
	return buf_text(out, ",\"description\":\"") && buf_str(out, all) &&
	       buf_text(out, all.n > 0 && about.n > 0 ? "\\n\\n" : "") && buf_str(out, about) &&
	       buf_text(out, "\"");
}

/* put_function: the members that a chat's function has.  Others say how a provider of this API finds
 * and calls the function. */
static bool put_function(const struct json_doc *d, const struct tool_at *at, struct buf *out)
{
	static const char *const keys[] = { "parameters", "strict" };
	bool                     ok = true;

	for (size_t i = 0; ok && i < ARRAY_LEN(keys); i++) {
		json_at v = json_get_some(d, at->tool, keys[i]);

		ok = v == JSON_ABSENT ||
		     (buf_fmt(out, ",\"%s\":", keys[i]) && buf_str(out, json_raw(d, v)));
	}
	return ok;
}

static bool tools_put_tool(const struct json_doc *d, const struct tool_at *at, struct buf *out)
{
	return buf_text(out, "{\"type\":\"function\",\"function\":{\"name\":\"") &&
	       put_name(d, at->tool, at->space, out) && buf_text(out, "\"") &&
	       put_about(d, at, out) &&
	       (is_function(d, at->tool) ? put_function(d, at, out)
					 : buf_text(out, custom_parameters)) &&
	       buf_text(out, "}}");
}

static void tools_warn(const struct response_tools *t, const struct tool_at *at)
{
	struct str type = json_get_inner(t->d, at->tool, "type");
	json_at    format = json_get_some(t->d, at->tool, "format");

	if (!is_ours(t->d, at->tool))
		warnings_add(t->warnings, at->top, "hosted_tool_dropped",
			     "a tool of type %.*s is not available here",
			     (int)(type.n < 48 ? type.n : 48), type.p);
	else if (!is_function(t->d, at->tool) && json_is_kind(t->d, format, JSON_OBJECT) &&
		 !json_get_is(t->d, format, "type", "text"))
		warnings_add(t->warnings, at->top, "tool_format_dropped",
			     "the grammar of a custom tool does not reach the provider");
}

static bool tools_moved(const struct walk *w, const struct tool_at *at)
{
	struct origin row = { ORIGIN_TOOL, .n = (uint32_t)w->count, .item = at->top, .at = at->at };

	row.key = at->more ? "input" : at->space != JSON_ABSENT ? "tools" : NULL;
	return (!row.key && row.n == row.item) || response_origins_add(w->t->origins, row);
}

/* is_again: whether an item brings along a tool that was given before: each turn of a long history
 * may do so, and providers refuse two tools of one name. */
static bool is_again(const struct walk *w, const struct tool_at *at)
{
	const struct json_doc *d = w->t->d;

	for (size_t i = 0; at->more && i < w->count; i++) {
		const struct tool_name *g = &w->given[i];

		if (str_eq(json_get_inner(d, g->tool, "name"),
			   json_get_inner(d, at->tool, "name")) &&
		    str_eq(space_of(d, g->space), space_of(d, at->space)))
			return true;
	}
	return false;
}

static enum errc read_tool(struct walk *w, const struct tool_at *at, struct err *e)
{
	const struct response_tools *t = w->t;
	enum errc                    rc = response_check_tool(t, at, e);

	if (rc != ERR_OK)
		return rc;
	tools_warn(t, at);
	if (!is_ours(t->d, at->tool) || !is_allowed(t, at) || is_again(w, at))
		return ERR_OK;
	if (w->count == LIMIT_TOOLS)
		return err_set(e, ERR_INVALID_VALUE, at->path,
			       "is one too many: at most %d are taken", LIMIT_TOOLS);
	if (!tools_moved(w, at) || !buf_text(w->out, w->count == 0 ? "\"tools\":[" : ",") ||
	    !tools_put_tool(t->d, at, w->out))
		return tools_full(e);
	w->given[w->count++] = (struct tool_name){ at->tool, at->space };
	return ERR_OK;
}

enum errc response_tools_read(const struct response_tools *t, struct buf *ret, struct err *e)
{
	struct tool_name given[LIMIT_TOOLS];
	struct walk      w = { .t = t, .fn = read_tool, .out = ret, .given = given };
	enum errc        rc = check_choice(t, e);

	if (rc == ERR_OK)
		rc = tools_walk_all(&w, e);
	if (rc == ERR_OK && is_hosted_choice(t))
		warnings_add(t->warnings, 0, "hosted_tool_dropped",
			     "the choice of a tool that is not available here was not sent");
	return rc == ERR_OK && w.count > 0 && !buf_text(ret, "]") ? tools_full(e) : rc;
}

/* --- what is shown --- */

static bool show_tool(const struct json_doc *d, json_at tool, struct buf *out)
{
	static const char *const shown[] = { "parameters", "strict" };
	bool                     ok = buf_text(out, "{");
	bool                     first = true;

	JSON_EACH_MEMBER (k, d, tool) {
		ok = ok && (first || buf_text(out, ",")) && json_print(d, k, out) &&
		     buf_text(out, ":") && json_print(d, json_value(k), out);
		first = false;
	}
	/* OpenAI's types require both members of a function. */
	for (size_t i = 0; ok && is_function(d, tool) && i < ARRAY_LEN(shown); i++)
		if (json_get(d, tool, shown[i]) == JSON_ABSENT)
			ok = buf_fmt(out, ",\"%s\":null", shown[i]);
	return ok && buf_text(out, "}");
}

static bool show_list(const struct response_tools *t, json_at list, bool *first, struct buf *out)
{
	bool ok = true;

	JSON_EACH (i, t->d, list) {
		if (!is_ours(t->d, i) && !tools_is_space(t->d, i) && !t->shows)
			continue;
		ok = ok && (*first || buf_text(out, ",")) && show_tool(t->d, i, out);
		*first = false;
	}
	return ok;
}

bool response_tools_show(const struct response_tools *t, struct buf *out)
{
	bool first = true;
	bool ok = buf_text(out, "[") &&
		  (t->list == JSON_ABSENT || show_list(t, t->list, &first, out));

	for (size_t i = 0; ok && i < t->more_count; i++)
		ok = show_list(t, t->more[i].list, &first, out);
	return ok && buf_text(out, "]");
}
