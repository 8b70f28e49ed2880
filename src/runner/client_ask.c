/* Reads and checks the members of a client's frame. */
#include "runner/internal.h"

#include "base/limits.h"
#include "json/field.h"

#include <stdlib.h>

enum { ASK_SCRATCH = 16 * KIB };

struct ask_members {
	int64_t    version, time_ms;
	struct str exec, session, owner, language, path;
};

#define AT(m) offsetof(struct ask_members, m)
static const struct field ask_fields[] = {
	{ "version", FIELD_INT, false, 1, 1000, AT(version), NULL },
	{ "exec", FIELD_STRING, false, 1, ASK_NAME, AT(exec), NULL },
	{ "session", FIELD_STRING, true, 1, ASK_NAME, AT(session), NULL },
	{ "owner", FIELD_STRING, false, 0, ASK_NAME, AT(owner), NULL },
	{ "language", FIELD_STRING, false, 1, 31, AT(language), NULL },
	{ "path", FIELD_STRING, false, 0, LIMIT_RUNNER_PATH, AT(path), NULL },
	{ "time_ms", FIELD_INT, false, 1, 86400000, AT(time_ms), NULL },
};
#undef AT
static const struct field_set ask_set = FIELD_SET("execution", ask_fields);

static enum errc ask_name(const char *path, struct str name, char ret[ASK_NAME + 1], struct err *e)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-'))
			return err_set(e, ERR_INVALID_VALUE, path,
				       "has more than letters, digits, _ and -");
	}
	str_copy(ret, ASK_NAME + 1, name);
	return ERR_OK;
}

static enum errc ask_missing(const char *path, struct err *e)
{
	return err_set(e, ERR_MISSING_PARAMETER, path, "is missing");
}

static enum errc ask_check(const struct ask_members *m, bool execute, struct ask *ret,
			   struct err *e)
{
	struct ask a = { .time_us = m->time_ms * 1000 };
	enum errc  rc = ask_name("session", m->session, a.session, e);

	if (rc == ERR_OK)
		rc = ask_name("exec", m->exec, a.exec, e);
	if (rc == ERR_OK)
		rc = ask_name("owner", m->owner, a.owner, e);
	if (rc != ERR_OK)
		return rc;
	if (execute && m->version != ASK_VERSION)
		return err_set(e, ERR_INVALID_VALUE, "version",
			       "has to be %d: runner and gateway are of different versions",
			       ASK_VERSION);
	if (execute && m->exec.n == 0)
		return ask_missing("exec", e);
	if (execute && m->language.n == 0)
		return ask_missing("language", e);
	str_copy(a.language, sizeof a.language, m->language);
	str_copy(a.path, sizeof a.path, m->path);
	*ret = a;
	return ERR_OK;
}

enum errc ask_read(struct str json, bool execute, struct ask *ret, struct err *e)
{
	struct json_doc    doc = { .tok = NULL };
	struct arena       scratch;
	struct ask_members m = { .version = 0 };

	arena_init(&scratch, ASK_SCRATCH);
	enum errc rc = json_scan(&doc, json.p, json.n, &json_limits_request, e);
	if (rc == ERR_OK && json_kind(&doc, 0) != JSON_OBJECT)
		rc = err_set(e, ERR_INVALID_TYPE, NULL, "an object is wanted");
	if (rc == ERR_OK)
		rc = fields_read(&ask_set, &doc, 0, "", &scratch, &m, e);
	if (rc == ERR_OK)
		rc = ask_check(&m, execute, ret, e);
	arena_finish(&scratch);
	json_doc_finish(&doc);
	return rc;
}
