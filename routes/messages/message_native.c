/* Headers that go to a provider, and files that can't. */
#include "routes/messages/internal.h"

#include "base/id.h"
#include "base/limits.h"

static enum errc check_value(struct str value, const char *name, struct err *e)
{
	bool ok = value.n <= LIMIT_PASSED_HEADER;

	for (size_t i = 0; i < value.n; i++)
		ok = ok && value.p[i] >= ' ' && value.p[i] <= '~';
	return ok ? ERR_OK
		  : err_set(e, ERR_INVALID_VALUE, name,
			    "the header must be at most %d bytes of ASCII", LIMIT_PASSED_HEADER);
}

enum errc message_native_check(const struct prompt_native *n, struct err *e)
{
	enum errc rc = check_value(n->version, "anthropic-version", e);

	return rc == ERR_OK ? check_value(n->beta, "anthropic-beta", e) : rc;
}

bool message_native_uploads(const struct json_doc *d)
{
	struct id id;

	for (json_at i = 0; i < d->count; i++)
		if (json_kind(d, i) == JSON_OBJECT && json_get_is(d, i, "type", "file") &&
		    file_id_parse(json_get_inner(d, i, "file_id"), false, &id))
			return true;
	return false;
}
