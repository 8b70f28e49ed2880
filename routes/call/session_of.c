/* Reads the name of a call's session from its headers, then from its body. */
#include "routes/call/session_of.h"

#include "call/door.h"
#include "http/request.h"
#include "store/usage.h"
#include "msg/call_request.h"

#include <string.h>

/* Who sends them: opencode and Kilo; Claude Code; Codex and Roo; clients of LiteLLM and Helicone; Goose. */
static const char *const session_headers[] = {
	"x-parley-session", "x-session-id",         "x-claude-code-session-id", "session-id",
	"session_id",       "x-litellm-session-id", "helicone-session-id",      "agent-session-id",
};
static const char *const session_members[] = { "prompt_cache_key", "session_id" };

/* session_of_claude: Claude Code has its session in metadata.user_id: "user_…_session_ID", or an object
 * with session_id, printed as a string. */
static struct str session_of_claude(const struct json_doc *doc)
{
	static const char mark[] = "session_";
	struct str        user = json_get_inner(doc, json_get(doc, 0, "metadata"), "user_id");
	const char       *at = user.n > 0 ? memmem(user.p, user.n, mark, sizeof mark - 1) : NULL;

	if (!at)
		return STR_NONE;
	return (struct str){ at, user.n - (size_t)(at - user.p) };
}

static struct str session_name_of(const struct request *r, const struct json_doc *doc)
{
	for (size_t i = 0; i < ARRAY_LEN(session_headers); i++) {
		struct str name = request_header(r, session_headers[i]);

		if (name.n > 0)
			return name;
	}
	for (size_t i = 0; i < ARRAY_LEN(session_members); i++) {
		struct str name = json_get_inner(doc, 0, session_members[i]);

		if (name.n > 0)
			return name;
	}
	return session_of_claude(doc);
}

uint64_t session_named(const struct request *r, const struct call_request *rq)
{
	struct str name = session_name_of(r, &rq->input->doc);

	return name.n > 0 ? usage_session(rq->caller.owner, name) : 0;
}

uint64_t session_of(const struct request *r, const struct call_request *rq)
{
	if (!door_has_sessions(rq))
		return 0;
	return session_named(r, rq);
}
