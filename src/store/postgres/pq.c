/* Loads libpq, and reads its results and errors. */
#include "base/limits.h"
#include "store/postgres/link.h"

#include <dlfcn.h>
#include <endian.h>
#include <pthread.h>
#include <stdio.h>

struct pq pq;

static const char     library[] = "libpq.so.5";
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char    *missing = library; /* name that could not be found; NULL: none */

static void load_library(void)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return;
	missing = NULL;
#define X(name)                                         \
	do {                                            \
		void *found = dlsym(handle, #name);     \
                                                        \
		if (!found)                             \
			missing = #name;                \
		memcpy(&pq.name, &found, sizeof found); \
	} while (0);
	PQ_FUNCTIONS(X)
#undef X
}

enum errc pq_load(struct err *e)
{
	(void)pthread_once(&once, load_library);
	if (!missing)
		return ERR_OK;
	err_set(e, ERR_STORAGE, "",
		"a PostgreSQL database needs the library %s (package libpq5), version 14 or later: "
		"%s was not found",
		library, missing);
	return err_blame(e, FAULT_NO_PLACE);
}

static bool pq_null(struct row r, int column)
{
	return pq.PQgetisnull(r.result, r.at, column) != 0;
}

static int64_t pq_number(struct row r, int column)
{
	uint64_t be;

	if (pq_null(r, column))
		return 0;
	CHECK(pq.PQgetlength(r.result, r.at, column) == sizeof be);
	memcpy(&be, pq.PQgetvalue(r.result, r.at, column), sizeof be);
	return (int64_t)be64toh(be);
}

static struct str pq_text(struct row r, int column)
{
	int n = pq.PQgetlength(r.result, r.at, column);

	return (struct str){ pq.PQgetvalue(r.result, r.at, column), n > 0 ? (size_t)n : 0 };
}

struct row pq_row(PGresult *r, int at)
{
	static const struct row_kind kind = { pq_null, pq_number, pq_text };

	return (struct row){ &kind, r, at };
}

static bool is_class(const char *state, const char *prefix)
{
	return strncmp(state, prefix, strlen(prefix)) == 0;
}

static enum fault_kind kind_of(const char *state)
{
	static const char *const again[] = { "40",    "55P03", "57P",   "08",
					     "53300", "57014", "26000", "42P05" };
	static const char *const data[] = { "22", "23", "54", "21" };

	for (size_t i = 0; i < ARRAY_LEN(again); i++)
		if (is_class(state, again[i]))
			return FAULT_PG_AGAIN;
	for (size_t i = 0; i < ARRAY_LEN(data); i++)
		if (is_class(state, data[i]))
			return FAULT_PG_DATA;
	return FAULT_PG_SERVER;
}

static const char *fault_reason_of(const char *state)
{
	static const struct {
		const char *state;
		const char *reason;
	} reasons[] = {
		{ "53100", "its disk is full" },
		{ "53200", "its server is out of memory" },
		{ "25006", "it may not write to its database" },
		{ "42501", "it may not write to its database" },
		{ "55P03", "its database is locked by another program" },
		{ "57014", "its database takes too long" },
	};

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (strcmp(state, reasons[i].state) == 0)
			return reasons[i].reason;
	return "its database could not be read or written";
}

/* fault_one_line: libpq ends its messages with a line break, and puts details on further lines. */
static void fault_one_line(char *to, size_t size, const char *text)
{
	size_t n = strcspn(text, "\n");

	str_copy(to, size, (struct str){ text, n });
}

bool fault_is_name(const struct fault *f)
{
	return strcmp(f->state, "26000") == 0 || strcmp(f->state, "42P05") == 0;
}

bool fault_is_deadlock(const struct fault *f)
{
	return strcmp(f->state, "40P01") == 0;
}

struct fault fault_of_result(const PGresult *r)
{
	const char  *state = pq.PQresultErrorField(r, PG_DIAG_SQLSTATE);
	const char  *text = pq.PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
	struct fault f = { .kind = FAULT_PG_LOST };

	if (!state) /* made by libpq, because the connection broke */
		return fault_lost("the connection was closed");
	str_copy(f.state, sizeof f.state, str_of(state));
	fault_one_line(f.text, sizeof f.text, text ? text : "an unknown error");
	f.kind = kind_of(f.state);
	f.reason = fault_reason_of(f.state);
	/* After 57P01 to 57P03 the server closes the connection. */
	if (is_class(f.state, "57P") || is_class(f.state, "08"))
		f.kind = FAULT_PG_LOST;
	return f;
}

struct fault fault_lost(const char *text)
{
	struct fault f = { .kind = FAULT_PG_LOST, .reason = "its database does not answer" };

	fault_one_line(f.text, sizeof f.text, text ? text : "the server did not answer in time");
	return f;
}

enum errc fault_refuse(const struct fault *f, struct err *e)
{
	if (f->kind == FAULT_PG_DATA && is_class(f->state, "54"))
		return err_set(e, ERR_REQUEST_TOO_LARGE, "",
			       "a message is too large to be stored (at most %u MiB)",
			       LIMIT_STORE_ROW / MIB - 1);
	if (f->kind == FAULT_PG_DATA)
		return err_set(e, ERR_INTERNAL, "", "the gateway could not store this request");
	err_set(e, ERR_STORAGE, "",
		"the gateway can't use its storage at the moment: %s; try again later", f->reason);
	e->retry_after_ms = 2000;
	return e->code;
}
