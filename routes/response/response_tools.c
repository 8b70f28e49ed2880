/* Makes tools of a chat from the tools of a response. */
#include "routes/response/response_tools.h"

#include "base/limits.h"
#include "json/print.h"
#include "routes/kit/check.h"

/* What a custom tool is to a provider; its answer is taken apart by shape/response. */
static const char custom_parameters[] =
	",\"parameters\":{\"type\":\"object\",\"properties\":{\"input\":{\"type\":\"string\"}},"
	"\"required\":[\"input\"],\"additionalProperties\":false}";

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

/* --- checks --- */

static enum errc tools_refuse_type(const struct response_tools *t, json_at tool, size_t n,
				   struct err *e)
{
	struct str type = json_get_inner(t->d, tool, "type");
	char       path[160];

	check_path(path, "tools[%zu].type", n);
	if (type.n == 0)
		return err_set(e, ERR_MISSING_PARAMETER, path, "is required");
	return err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
		       "%.*s is a tool that OpenAI runs itself; function and custom are taken here",
		       (int)(type.n < 48 ? type.n : 48), type.p);
}

static enum errc response_check_tool(const struct response_tools *t, json_at tool, size_t n,
				     struct err *e)
{
	char    path[160];
	json_at name;

	check_path(path, "tools[%zu]", n);
	if (json_kind(t->d, tool) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	if (!is_ours(t->d, tool))
		return t->drops && json_get_inner(t->d, tool, "type").n > 0
			       ? ERR_OK
			       : tools_refuse_type(t, tool, n, e);
	name = json_get_some(t->d, tool, "name");
	check_path(path, "tools[%zu].name", n);
	if (name == JSON_ABSENT)
		return err_set(e, ERR_MISSING_PARAMETER, path, "is required");
	if (json_kind(t->d, name) != JSON_STRING || json_inner(t->d, name).n == 0)
		return err_set(e, ERR_INVALID_TYPE, path, "must be a string with some text");
	return ERR_OK;
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
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "tool_choice.type",
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

static bool is_allowed(const struct response_tools *t, json_at tool)
{
	json_at    allowed = allowed_of(t);
	struct str name = json_get_inner(t->d, tool, "name");

	if (allowed == JSON_ABSENT)
		return true;
	JSON_EACH (i, t->d, allowed)
		if (str_eq(json_get_inner(t->d, i, "name"), name))
			return true;
	return false;
}

bool response_tools_put_choice(const struct response_tools *t, struct buf *out)
{
	const struct json_doc *d = t->d;

	if (t->choice == JSON_ABSENT)
		return true;
	if (!buf_text(out, "\"tool_choice\":"))
		return false;
	if (json_kind(d, t->choice) == JSON_STRING)
		return buf_str(out, json_raw(d, t->choice));
	if (is_ours(d, t->choice))
		return buf_text(out, "{\"type\":\"function\",\"function\":{\"name\":\"") &&
		       buf_str(out, json_get_inner(d, t->choice, "name")) && buf_text(out, "\"}}");
	json_at mode = json_get_some(d, t->choice, "mode");
	return mode == JSON_ABSENT ? buf_text(out, "\"auto\"") : buf_str(out, json_raw(d, mode));
}

/* --- the tools --- */

static bool put_function(const struct json_doc *d, json_at tool, struct buf *out)
{
	bool first = true;

	if (!buf_text(out, "{\"type\":\"function\",\"function\":{"))
		return false;
	JSON_EACH_MEMBER (k, d, tool) {
		if (json_is(d, k, "type") || json_kind(d, json_value(k)) == JSON_NULL)
			continue;
		if ((!first && !buf_text(out, ",")) || !buf_str(out, json_member(d, k)))
			return false;
		first = false;
	}
	return buf_text(out, "}}");
}

static bool put_custom(const struct json_doc *d, json_at tool, struct buf *out)
{
	json_at about = json_get_some(d, tool, "description");

	return buf_text(out, "{\"type\":\"function\",\"function\":{\"name\":\"") &&
	       buf_str(out, json_get_inner(d, tool, "name")) && buf_text(out, "\"") &&
	       (about == JSON_ABSENT ||
		(buf_text(out, ",\"description\":") && buf_str(out, json_raw(d, about)))) &&
	       buf_text(out, custom_parameters) && buf_text(out, "}}");
}

static void tools_warn(const struct response_tools *t, json_at tool, size_t n)
{
	struct str type = json_get_inner(t->d, tool, "type");
	json_at    format = json_get_some(t->d, tool, "format");

	if (!is_ours(t->d, tool))
		warnings_add(t->warnings, n, "hosted_tool_dropped",
			     "a tool of type %.*s is not available here",
			     (int)(type.n < 48 ? type.n : 48), type.p);
	else if (!is_function(t->d, tool) && json_is_kind(t->d, format, JSON_OBJECT) &&
		 !json_get_is(t->d, format, "type", "text"))
		warnings_add(t->warnings, n, "tool_format_dropped",
			     "the grammar of a custom tool does not reach the provider");
}

static bool tools_moved(const struct response_tools *t, size_t from, size_t to)
{
	struct origin row = { ORIGIN_TOOL, .n = (uint32_t)from, .item = (uint32_t)to };

	return from == to || response_origins_add(t->origins, row);
}

enum errc response_tools_read(const struct response_tools *t, struct buf *ret, struct err *e)
{
	const struct json_doc *d = t->d;
	enum errc              rc = check_choice(t, e);
	size_t                 given = 0;
	size_t                 n = 0;
	bool                   ok = true;

	if (rc != ERR_OK || t->list == JSON_ABSENT)
		return rc;
	JSON_EACH (i, d, t->list) {
		rc = response_check_tool(t, i, n, e);
		if (rc != ERR_OK)
			return rc;
		tools_warn(t, i, n++);
		if (!is_ours(d, i) || !is_allowed(t, i))
			continue;
		ok = ok && tools_moved(t, given, n - 1) &&
		     buf_text(ret, given++ == 0 ? "\"tools\":[" : ",") &&
		     (is_function(d, i) ? put_function(d, i, ret) : put_custom(d, i, ret));
	}
	return ok && (given == 0 || buf_text(ret, "]")) ? ERR_OK : tools_full(e);
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

bool response_tools_show(const struct response_tools *t, struct buf *out)
{
	bool ok = buf_text(out, "[");
	bool first = true;

	if (t->list != JSON_ABSENT)
		JSON_EACH (i, t->d, t->list) {
			if (!is_ours(t->d, i))
				continue;
			ok = ok && (first || buf_text(out, ",")) && show_tool(t->d, i, out);
			first = false;
		}
	return ok && buf_text(out, "]");
}
