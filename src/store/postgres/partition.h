/* partition: the chore that makes the tables of the event log, and drops those that retention keeps no longer.
 *
 * A run's id is its time, so a table has the logs of all runs of a time.
 *
 *     event_rest      [from b1 on: event_1790000000000 | event_1790000005400 | ...] event_1790000086400
 *     older than b1   bounded on both sides                                          from its begin on, for ever
 *
 * The last table has no end, so there is a place for every new run, also while nobody looks after the tables for a
 * long time, or only gateways of an older version, which know nothing of them.  Any gateway cuts this table off: it
 * gets an end some seconds ahead, where the next one begins.  That is done as soon as the table has its share of
 * what may be kept: a sixteenth of events_keep, or of events_keep_size.  A large log has tables of a 32nd of the
 * bytes that it will have, or of 256 MiB if that is more, because turns feel it when the server deletes the file of a
 * dropped one.  There are only so many of these that the sixteenths of a log that grows faster still have room: the server
 * locks each table for each read and for each end of a stream.
 *
 * A new bound makes the server read the table that had no end, under a lock for which all streams wait, unless a
 * constraint proves what it would find.  So a table whose share is large gets its end early, while it is small,
 * by the rate at which it grows.  Where the server would have to read much nevertheless, as in event_rest
 * of a database that had no such tables before, a constraint is added that says that no run is later than in
 * a day; the server checks it without such a lock; and the next table begins there.  Until then the constraint refuses
 * nothing, and it is taken back if there is no next table half a day before its time.
 *
 * One gateway works at a time, which an advisory lock of its transaction sees to.  Each change locks the tables
 * against the server's vacuum first, which harms nobody else; then it waits for the log's own lock for a moment
 * only, holding nothing that a gateway may want; and then it does all that is left in one go, without a round
 * trip.  What did not get its lock is tried again later. */
#pragma once

#include "store/postgres/work.h"

/* Bytes of a table c (pg_class) of the log, as events_keep_size counts them: without indexes and maps. */
#define PARTITION_BYTES                           \
	"coalesce(pg_relation_size(c.oid), 0) + " \
	"coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)"

bool           partition_wanted(struct postgres *db);
enum work_next partition_step(struct work *w);
void           partition_over(struct work *w, const struct fault *f);

/* partition_late_ms: how much later than it is due a log is removed at the latest; until then, its table may be
 * dropped as a whole.  0: events_keep is so short that logs are removed one by one. */
int64_t partition_late_ms(int64_t keep_ms);
