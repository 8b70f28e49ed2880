/* Joins a stored message of the assistant with the calls that a request gives or names. */
#include "shape/response.h"

#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"

struct refer {
	struct json_doc stored;
	struct json_doc given;
	json_at         stored_calls; /* arrays, or absent */
	json_at         given_calls;
	struct buf      out;
};

static json_at refer_calls(const struct json_doc *d)
{
	json_at i = json_get(d, 0, "tool_calls");

	return json_is_kind(d, i, JSON_ARRAY) ? i : JSON_ABSENT;
}

/* nth_call: the n-th stored call, from 1; absent: there are fewer. */
static json_at nth_call(const struct refer *x, int64_t n)
{
	if (x->stored_calls != JSON_ABSENT)
		JSON_EACH (i, &x->stored, x->stored_calls)
			if (--n == 0)
				return i;
	return JSON_ABSENT;
}

static json_at call_with_id(const struct refer *x, struct str id)
{
	if (x->stored_calls != JSON_ABSENT && id.n > 0)
		JSON_EACH (i, &x->stored, x->stored_calls)
			if (str_eq(json_get_inner(&x->stored, i, "id"), id))
				return i;
	return JSON_ABSENT;
}

static enum errc refer_put_call(struct refer *x, json_at call, bool first, struct err *e)
{
	json_at named = json_get(&x->given, call, RESPONSE_REFER_CALL);
	json_at found = JSON_ABSENT;
	int64_t n = 0;

	if (named != JSON_ABSENT && json_int(&x->given, named, &n)) {
		found = nth_call(x, n);
		if (found == JSON_ABSENT)
			return err_set(e, ERR_NOT_FOUND, "", "there is no such call");
	} else {
		found = call_with_id(x, json_get_inner(&x->given, call, "id"));
	}
	struct str raw =
		found != JSON_ABSENT ? json_raw(&x->stored, found) : json_raw(&x->given, call);
	return (first || buf_text(&x->out, ",")) && buf_str(&x->out, raw) ? ERR_OK
									  : err_no_memory(e);
}

/* refer_put_rest: the members of the stored message but its calls; a message without calls has some
 * content. */
static bool refer_put_rest(struct refer *x)
{
	bool first = true;

	JSON_EACH_MEMBER (k, &x->stored, 0) {
		bool empty = json_is(&x->stored, k, "content") &&
			     json_kind(&x->stored, json_value(k)) == JSON_NULL &&
			     x->given_calls == JSON_ABSENT;

		if (json_is(&x->stored, k, "tool_calls"))
			continue;
		if ((!first && !buf_text(&x->out, ",")) ||
		    !(empty ? buf_text(&x->out, "\"content\":\"\"")
			    : buf_str(&x->out, json_member(&x->stored, k))))
			return false;
		first = false;
	}
	return true;
}

static enum errc refer_put(struct refer *x, struct err *e)
{
	enum errc rc = ERR_OK;
	bool      first = true;

	if (!buf_text(&x->out, "{") || !refer_put_rest(x))
		return err_no_memory(e);
	if (x->given_calls != JSON_ABSENT) {
		if (!buf_text(&x->out, ",\"tool_calls\":["))
			return err_no_memory(e);
		for (json_at i = json_first(&x->given, x->given_calls);
		     rc == ERR_OK && i != json_end(&x->given, x->given_calls);
		     i = json_next(&x->given, i), first = false)
			rc = refer_put_call(x, i, first, e);
		if (rc == ERR_OK && !buf_text(&x->out, "]"))
			return err_no_memory(e);
	}
	return rc == ERR_OK && !buf_text(&x->out, "}") ? err_no_memory(e) : rc;
}

static enum errc refer_made(struct refer *x, struct arena *arena, struct str *ret, struct err *e)
{
	enum errc rc = refer_put(x, e);

	if (rc != ERR_OK)
		return rc;
	struct str made = arena_str(arena, buf_view(&x->out));
	if (!made.p)
		return err_no_memory(e);
	*ret = made;
	return ERR_OK;
}

enum errc response_refer_join(struct str stored, struct str given, struct arena *arena,
			      struct str *ret, struct err *e)
{
	struct refer x = { 0 };
	enum errc    rc;

	buf_init(&x.out, LIMIT_STORE_ROW);
	rc = json_scan(&x.stored, stored.p, stored.n, &json_limits_stored, e);
	if (rc == ERR_OK)
		rc = json_scan(&x.given, given.p, given.n, &json_limits_stored, e);
	if (rc == ERR_OK) {
		bool ours = json_get_is(&x.stored, 0, "role", "assistant") &&
			    json_get_some(&x.stored, 0, "type") == JSON_ABSENT;

		x.stored_calls = refer_calls(&x.stored);
		x.given_calls = refer_calls(&x.given);
		if (ours) {
			rc = refer_made(&x, arena, ret, e);
		} else if (x.given_calls != JSON_ABSENT) {
			rc = err_set(e, ERR_INVALID_VALUE, "",
				     "calls may follow only an item of the assistant");
		} else {
			struct str copy = arena_str(arena, stored);

			rc = copy.p ? ERR_OK : err_no_memory(e);
			*ret = copy;
		}
	}
	json_doc_finish(&x.stored);
	json_doc_finish(&x.given);
	buf_finish(&x.out);
	return rc;
}

/* --- response_tool: A tool has one name, or that of its namespace, two underscores and its own. */

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
