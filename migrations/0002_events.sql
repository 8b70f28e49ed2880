-- The event log of runs: what a stream is said again from.
--
-- One row is a piece: a stretch of one run's events as bytes (src/msg/event_code.h).  Rows of all
-- runs follow each other in the order of writing.  An id is 1 + the bytes of data that were ever
-- logged in front of the row, so the log's size is known without reading it and new rows go to the
-- end of the table.
--
-- A piece is found by its part, which counts MiBs of the log, and its run: an index by run alone
-- costs a page for each piece when many long streams go on, as each has its own place in the index.
-- Within a part all of them share a few pages.  Measured, microseconds of CPU for a piece of 300
-- bytes, 128 in a transaction, 1000 streams of 300 pieces: no index 2.1, by part of 1 MiB 3.7, of
-- 2 MiB 4.2, of 8 MiB 5.2, by run 7.5, WITHOUT ROWID by run 22.

CREATE TABLE event (
	id    INTEGER PRIMARY KEY,
	part  INTEGER NOT NULL, -- 1 + (bytes in front of it >> 20)
	run   INTEGER NOT NULL,
	head  INTEGER NOT NULL, -- 1: the run's log begins here; retention takes it before the others
	first INTEGER NOT NULL, -- numbers of its first and last event
	last  INTEGER NOT NULL,
	data  BLOB NOT NULL
) STRICT;

CREATE INDEX event_part ON event (part, run, last);

-- One row: bytes ever logged (as of the last removal) and bytes removed since.
CREATE TABLE event_size (
	id      INTEGER PRIMARY KEY CHECK (id = 1),
	written INTEGER NOT NULL,
	removed INTEGER NOT NULL
) STRICT;

INSERT INTO event_size (id, written, removed) VALUES (1, 0, 0);

-- The parts of the log that a run's pieces lie in, both included.  NULL: from before there was one.
ALTER TABLE run ADD COLUMN events_from INTEGER;
ALTER TABLE run ADD COLUMN events_to INTEGER; -- once ended; 0: it has no events

CREATE INDEX run_conversation ON run (conversation);

-- Lists of runs that did not go well, among millions that did.
CREATE INDEX run_unusual ON run (status) WHERE status > 2;
