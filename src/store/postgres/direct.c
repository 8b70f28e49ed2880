/* Statements for callers that may block. */
#include "store/postgres/link.h"

#include "base/clock.h"

enum { DIRECT_US = 60 * 1000 * 1000 };

/* libpq gives no code for a refused connection, only the server's or its own words. */
static enum err_fault fault_of_text(const char *text)
{
	static const struct {
		const char    *part;
		enum err_fault fault;
	} parts[] = {
		{ "does not exist", FAULT_MISSING }, { "authentication", FAULT_MISSING },
		{ "password", FAULT_MISSING },       { "pg_hba", FAULT_MISSING },
		{ "not permitted", FAULT_MISSING },  { "permission denied", FAULT_MISSING },
		{ "certificate", FAULT_MISSING },    { "SSL", FAULT_MISSING },
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (strstr(text, parts[i].part))
			return parts[i].fault;
	return FAULT_BUSY;
}

static enum err_fault direct_fault_of(const struct fault *f)
{
	if (strcmp(f->state, "0A000") == 0)
		return FAULT_DATA; /* too old */
	if (strcmp(f->state, "53100") == 0)
		return FAULT_DISK;
	if (f->kind == FAULT_PG_DATA ||
	    (f->state[0] && f->kind == FAULT_PG_SERVER && strcmp(f->state, "42501") != 0))
		return FAULT_DATA;
	return fault_of_text(f->text);
}

enum errc direct_fail(const struct link *l, const char *doing, struct err *e)
{
	err_set(e, ERR_STORAGE, "", "can't %s the database %s: %s", doing,
		link_target_name(l->target), l->fault.text);
	return err_blame(e, direct_fault_of(&l->fault));
}

/* direct_try: a pooler of single statements refuses a transaction that goes on after an answer. */
static enum errc direct_try(struct link *l, struct err *e)
{
	static const char *const steps[] = { "BEGIN", "COMMIT" };
	bool                     ok = true;

	for (size_t i = 0; ok && i < ARRAY_LEN(steps); i++) {
		link_control(l, steps[i]);
		link_send(l, clock_mono_us(), DIRECT_US);
		ok = link_await(l);
	}
	if (ok)
		return ERR_OK;
	direct_fail(l, "use", e);
	return strstr(l->fault.text, "statement pooling") ? err_blame(e, FAULT_NO_PLACE) : e->code;
}

enum errc direct_connect(struct link *l, const struct link_target *target, int64_t lock_ms,
			 struct err *e)
{
	link_init(l, target,
		  &(struct link_how){
			  .once = true, .lock_ms = lock_ms, .statement_ms = LINK_STATEMENT_MS });
	link_connect(l, clock_mono_us());
	if (!link_await(l))
		return direct_fail(l, "connect to", e);
	return l->pooled ? direct_try(l, e) : ERR_OK;
}

enum errc direct_ask(struct link *l, const char *sql, const char *doing, struct err *e)
{
	link_clear(l);
	link_ask(l, sql);
	link_send(l, clock_mono_us(), DIRECT_US);
	return link_await(l) ? ERR_OK : direct_fail(l, doing, e);
}

int direct_rows(const struct link *l)
{
	return pq.PQntuples(l->results[0]);
}

struct row direct_row(const struct link *l, int at)
{
	return pq_row(l->results[0], at);
}
