/* Changes of the tables of the event log. */
#include "store/postgres/partition.h"

#include "base/id.h"
#include "store/postgres/postgres.h"

#include <stdarg.h>
#include <stdio.h>

enum { SQL = 4096, PROVE_US = 65 * 1000 * 1000, WAIT_LATER_US = 5 * 1000 * 1000 };

/* Vacuum makes way for those who have waited for a second. */
static const char wait_for_vacuum[] = "SET LOCAL lock_timeout = '3s'";
/* All streams wait meanwhile, and the turns that end with them.  Where transactions take longer than that, later tries wait longer. */
static const char wait_first[] = "SET LOCAL lock_timeout = '50ms'";
static const char wait_later[] = "SET LOCAL lock_timeout = '200ms'";
static const char no_long_lock[] = "SET LOCAL statement_timeout = '2s'";
static const char long_check[] = "SET LOCAL statement_timeout = '60s'";
static const char lock_log[] = "LOCK TABLE ONLY event IN ACCESS EXCLUSIVE MODE";

PRINTF(2, 3) static void change_ask(struct work *w, const char *format, ...)
{
	char    sql[SQL];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(sql, sizeof sql, format, args);
	va_end(args);
	CHECK(n > 0 && n < SQL);
	link_control(w->link, sql);
}

/* change_lock: locks table t, and then the log.  Where a bound changes, rest is given and locked as well, because
 * the change moves what belongs there.  One of them may be NULL. */
static void change_lock(struct work *w, const struct log_table *rest, const struct log_table *t)
{
	bool both = rest && t && rest != t;

	CHECK(rest || t);
	link_control(w->link, wait_for_vacuum);
	change_ask(w, "LOCK TABLE %s%s%s IN SHARE UPDATE EXCLUSIVE MODE", rest ? rest->name : "",
		   both ? ", " : "", both || !rest ? t->name : "");
	link_control(w->link, w->db->log.pause_us > WAIT_LATER_US ? wait_later : wait_first);
	link_control(w->link, no_long_lock);
	link_control(w->link, lock_log);
}

void partition_next(struct work *w, const struct log_table *rest, const struct log_table *tail,
		    int64_t at)
{
	change_lock(w, rest, tail);
	if (tail) {
		change_ask(w, "ALTER TABLE event DETACH PARTITION %s", tail->name);
		change_ask(w,
			   "ALTER TABLE event ATTACH PARTITION %s FOR VALUES FROM (%lld) TO (%lld)",
			   tail->name, (long long)tail->from, (long long)at);
	}
	change_ask(
		w,
		"CREATE TABLE event_%lld PARTITION OF event FOR VALUES FROM (%lld) TO (MAXVALUE)",
		(long long)id_key_ms(at), (long long)at);
}

void partition_bind(struct work *w, const struct log_table *t, int64_t until)
{
	change_lock(w, NULL, t);
	change_ask(
		w,
		"ALTER TABLE %s ADD CONSTRAINT event_until_%lld CHECK (run >= %lld AND run < %lld) "
		"NOT VALID",
		t->name, (long long)until, (long long)t->from, (long long)until);
}

/* No turn waits for this lock. */
void partition_prove(struct work *w, const struct log_table *t)
{
	w->stage_us = PROVE_US;
	link_control(w->link, wait_for_vacuum);
	link_control(w->link, long_check);
	change_ask(w, "ALTER TABLE %s VALIDATE CONSTRAINT event_until_%lld", t->name,
		   (long long)t->until);
}

static void change_unbind(struct work *w, const struct log_table *t)
{
	change_ask(w, "ALTER TABLE %s DROP CONSTRAINT event_until_%lld", t->name,
		   (long long)t->until);
}

void partition_unbind(struct work *w, const struct log_table *t)
{
	change_lock(w, NULL, t);
	change_unbind(w, t);
}

/* remove_check: a run that was made long ago may have begun a moment ago. */
static void remove_check(struct work *w, const struct log_table *t, const char *also)
{
	change_ask(w,
		   "WITH live AS MATERIALIZED (SELECT id FROM run WHERE status < 2) SELECT 1 / "
		   "(NOT EXISTS (SELECT 1 FROM live WHERE id >= %lld AND id < %lld)%s)::int",
		   (long long)t->from, (long long)t->to, also);
}

/* remove_rest: runs that have lost their table are in rest, too, and may be later ones. */
static void remove_rest(struct work *w, const struct log_table *t)
{
	char later[SQL / 4];

	snprintf(later, sizeof later, " AND NOT EXISTS (SELECT 1 FROM %s WHERE run >= %lld)",
		 t->name, (long long)t->to);
	remove_check(w, t, later);
	change_ask(w, "TRUNCATE %s", t->name);
}

void partition_remove(struct work *w, const struct log_table *rest, const struct log_table *t)
{
	w->stage_us = PROVE_US; /* the answer comes when the server has deleted the files */
	change_lock(w, rest, t);
	/* A constraint would refuse what is still written of runs that lose their table. */
	if (rest && rest->until > 0)
		change_unbind(w, rest);
	if (t == rest) {
		remove_rest(w, rest);
	} else {
		remove_check(w, t, "");
		change_ask(w, "DROP TABLE %s", t->name);
	}
}
