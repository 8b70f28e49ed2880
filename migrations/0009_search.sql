-- Full-text search.  The index is a file of its own beside this one (DATABASE.search), filled by its
-- own thread behind the writes and made anew from the messages when it is missing or does not belong
-- here.  What it has to do stands here, written in the transaction that it speaks of.
--
-- Ids of messages are not in the order of commits, so "all above the last one" would lose some.  No
-- seq is used twice: the last row stays when the others are cleared.  Measured, microseconds of CPU for
-- a whole turn, 64 in a transaction: 19.6 without its row, 20.3 with it.  Clearing is done between
-- turns, 256 rows at a time, which takes some 300.
CREATE TABLE search_queue (
	seq  INTEGER PRIMARY KEY,
	kind INTEGER NOT NULL, -- 1 a run that ended, 2 a message, 3 a conversation, 4 a message that went
	id   INTEGER NOT NULL, -- the run, message or conversation
	-- Of what went, the text as it was indexed: an index without contents needs it to forget it.
	-- NULL: done.
	text TEXT
) STRICT;

-- One row: which database an index belongs to.
CREATE TABLE search_source (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	instance BLOB NOT NULL
) STRICT;

INSERT INTO search_source (id, instance) VALUES (1, randomblob(16));
