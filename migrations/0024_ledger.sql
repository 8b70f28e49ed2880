-- The ledger of calls (docs/internals/ledger.md).

-- Rows of calls, packed (src/store/ledger_block.h).  All calls of a block began in the same minute.
CREATE TABLE call_block (
	high INTEGER PRIMARY KEY, -- key of the newest call in it
	low  INTEGER NOT NULL,    -- and of the oldest one
	calls INTEGER NOT NULL,
	bits INTEGER NOT NULL,    -- a block that lacks a bit of a word has no call with it
	data BLOB NOT NULL
);
-- Looks for blocks read nothing but this.
CREATE INDEX call_block_bits ON call_block (high, low, bits);

-- What the calls that began in an hour have in common; the histograms are packed, too.
CREATE TABLE call_hour (
	hour        INTEGER NOT NULL, -- since 1970
	key         TEXT NOT NULL,    -- the API key, as logs name it; '': none
	model       TEXT NOT NULL,    -- the configured model; '': not known
	provider    TEXT NOT NULL,
	gateway     INTEGER NOT NULL, -- who counts in this row; 0, as one process alone writes
	calls       INTEGER NOT NULL,
	failed      INTEGER NOT NULL,
	cancelled   INTEGER NOT NULL,
	client_left INTEGER NOT NULL,
	refused     INTEGER NOT NULL,
	tokens_in   INTEGER NOT NULL,
	tokens_out  INTEGER NOT NULL,
	nano        INTEGER NOT NULL,
	durations   BLOB NOT NULL,
	firsts      BLOB NOT NULL,
	PRIMARY KEY (hour, key, model, provider, gateway)
) WITHOUT ROWID;

-- How many bytes the blocks of an hour have, for retention.
CREATE TABLE call_size (
	hour  INTEGER PRIMARY KEY,
	bytes INTEGER NOT NULL
);
