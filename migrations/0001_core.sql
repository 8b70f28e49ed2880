-- Conversations, their messages and the runs that made the answers.
--
-- A row's id is the time-ordered half of its public id, so no look-up needs an index and new rows
-- go to the end of their table; secret is the random half, as a signed integer.  0 stands for "no
-- row" where one is referred to.  Times are milliseconds since 1970, UTC.  owner is 0 until keys
-- exist.  Messages are never changed: a branch is the chain of prev from a message to the root.

CREATE TABLE conversation (
	id         INTEGER PRIMARY KEY,
	secret     INTEGER NOT NULL,
	owner      INTEGER NOT NULL,
	created_ms INTEGER NOT NULL,
	leaf       INTEGER NOT NULL, -- the newest turn's run; 0: none yet
	title      TEXT,
	metadata   TEXT              -- JSON object
) STRICT;

-- An answer has the id and the secret of its run.
CREATE TABLE message (
	id           INTEGER PRIMARY KEY,
	secret       INTEGER NOT NULL,
	owner        INTEGER NOT NULL,
	conversation INTEGER NOT NULL,
	prev         INTEGER NOT NULL, -- the message before it on its branch
	run          INTEGER NOT NULL, -- the run that it came in with, or that made it
	created_ms   INTEGER NOT NULL,
	body         TEXT NOT NULL     -- JSON object, as the API takes and gives it
) STRICT;

CREATE TABLE run (
	id                 INTEGER PRIMARY KEY,
	secret             INTEGER NOT NULL,
	owner              INTEGER NOT NULL,
	conversation       INTEGER NOT NULL,
	parent             INTEGER NOT NULL, -- the message that the answer hangs on: the last one sent
	base               INTEGER NOT NULL, -- the message that the ones sent hang on
	-- 0 queued, 1 running, 2 completed, 3 incomplete, 4 failed, 5 cancelled
	status             INTEGER NOT NULL,
	created_ms         INTEGER NOT NULL,
	first_token_ms     INTEGER NOT NULL DEFAULT 0,
	completed_ms       INTEGER NOT NULL DEFAULT 0,
	attempts           INTEGER NOT NULL DEFAULT 0,
	continues          INTEGER NOT NULL DEFAULT 0, -- the run whose answer this one goes on with
	seq_reserved       INTEGER NOT NULL,           -- event numbers up to this one may have been sent
	last_seq           INTEGER NOT NULL DEFAULT 0, -- number of the last event, once ended
	usage_estimated    INTEGER, -- NULL: not known; 0: as the provider said; 1: counted here
	usage_in           INTEGER NOT NULL DEFAULT 0,
	usage_out          INTEGER NOT NULL DEFAULT 0,
	usage_cached_read  INTEGER NOT NULL DEFAULT 0,
	usage_cached_write INTEGER NOT NULL DEFAULT 0,
	usage_reasoning    INTEGER NOT NULL DEFAULT 0,
	model              TEXT,
	provider           TEXT,
	shape              TEXT, -- family of routes: native or openai
	finish_reason      TEXT,
	instruction        TEXT, -- NULL: the branch's older one holds; '' ends it
	metadata           TEXT, -- JSON object
	error              TEXT  -- JSON object
) STRICT;

-- What a crash left going is found at start without reading every run ever made.
CREATE INDEX run_live ON run (id) WHERE status < 2;

-- Written and emptied again to learn whether the disk takes writes once more.
CREATE TABLE probe (
	id   INTEGER PRIMARY KEY,
	data BLOB NOT NULL
) STRICT;
