-- The ledger of calls (docs/internals/ledger.md).

-- Rows of calls, packed (src/store/ledger_block.h).  All calls of a block began in the same minute.
CREATE TABLE call_block (
	high bigint PRIMARY KEY, -- key of the newest call in it
	low  bigint NOT NULL,    -- and of the oldest one
	calls bigint NOT NULL,
	bits bigint NOT NULL,    -- a block that lacks a bit of a word has no call with it
	data bytea NOT NULL
);
-- Packed rows hardly get smaller.
ALTER TABLE call_block ALTER COLUMN data SET STORAGE EXTERNAL;
-- Looks for blocks read nothing but this.
CREATE INDEX call_block_bits ON call_block (high, low, bits);

-- What the calls that began in an hour have in common; the histograms are packed, too.
CREATE TABLE call_hour (
	hour        bigint NOT NULL, -- since 1970
	key         text COLLATE "C" NOT NULL,   -- the API key, as logs name it; '': none
	model       text COLLATE "C" NOT NULL,   -- the configured model; '': not known
	provider    text COLLATE "C" NOT NULL,
	gateway     bigint NOT NULL, -- who counts in this row
	calls       bigint NOT NULL,
	failed      bigint NOT NULL,
	cancelled   bigint NOT NULL,
	client_left bigint NOT NULL,
	refused     bigint NOT NULL,
	tokens_in   bigint NOT NULL,
	tokens_out  bigint NOT NULL,
	nano        bigint NOT NULL,
	durations   bytea NOT NULL,
	firsts      bytea NOT NULL,
	PRIMARY KEY (hour, key, model, provider, gateway)
);

-- How many bytes the blocks of an hour have, for retention.
CREATE TABLE call_size (
	hour  bigint PRIMARY KEY,
	bytes bigint NOT NULL
);

-- The last batch of each gateway, so that one that is sent again adds nothing.
CREATE TABLE call_batch (
	gateway bigint NOT NULL,
	seq     bigint NOT NULL,
	PRIMARY KEY (gateway, seq)
);
