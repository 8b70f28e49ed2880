/* Loads libpq, and reads its results. */
#include "store/postgres/link.h"

#include <dlfcn.h>
#include <endian.h>
#include <pthread.h>

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
