/* A tool has one name, or that of its namespace, two underscores and its own. */
#include "shape/response.h"

static bool find_tool(const struct json_doc *d, json_at list, struct str space, struct str name,
		      struct response_tool *ret)
{
	if (!json_is_kind(d, list, JSON_ARRAY))
		return false;
	JSON_EACH (t, d, list) {
		if (json_get_is(d, t, "type", "namespace") ||
		    !str_eq(json_get_inner(d, t, "name"), name))
			continue;
		*ret = (struct response_tool){ t, space, name };
		return true;
	}
	return false;
}

static bool find_in_spaces(const struct json_doc *d, json_at tools, struct str name,
			   struct response_tool *ret)
{
	JSON_EACH (t, d, tools) {
		struct str space = json_get_inner(d, t, "name");

		if (!json_get_is(d, t, "type", "namespace") || name.n <= space.n + 2 ||
		    !str_starts(name, space) || memcmp(name.p + space.n, "__", 2) != 0)
			continue;
		struct str rest = { name.p + space.n + 2, name.n - space.n - 2 };
		if (find_tool(d, json_get(d, t, "tools"), space, rest, ret))
			return true;
	}
	return false;
}

struct response_tool response_tool_of(const struct json_doc *d, json_at tools, struct str name)
{
	struct response_tool ret = { JSON_ABSENT, STR_NONE, name };

	if (tools != JSON_ABSENT && !find_tool(d, tools, STR_NONE, name, &ret))
		(void)find_in_spaces(d, tools, name, &ret);
	return ret;
}
