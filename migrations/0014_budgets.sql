-- What keys have spent of their budgets, what calls that go on may cost them, and what was used.  Money is
-- in thousand-millionths of the prices' currency.  A key is named as logs name it (key_…, config:1).
CREATE TABLE budget (
	key             TEXT PRIMARY KEY,
	began_ms        INTEGER NOT NULL, -- of the window
	spent_nano      INTEGER NOT NULL,
	reserved_nano   INTEGER NOT NULL, -- the sum of its reservations
	spent_tokens    INTEGER NOT NULL,
	reserved_tokens INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A call that goes on: the most that it may cost.
CREATE TABLE reservation (
	run        INTEGER PRIMARY KEY,
	key        TEXT NOT NULL,
	model      TEXT NOT NULL,
	provider   TEXT NOT NULL,
	nano       INTEGER NOT NULL,
	tokens     INTEGER NOT NULL,
	tokens_in  INTEGER NOT NULL, -- of those
	made_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX reservation_made ON reservation (made_ms);

CREATE TABLE usage_day (
	key          TEXT NOT NULL,    -- empty: without a key
	day          INTEGER NOT NULL, -- days since 1970, UTC
	model        TEXT NOT NULL,
	provider     TEXT NOT NULL,
	calls        INTEGER NOT NULL,
	estimated    INTEGER NOT NULL, -- calls whose tokens nobody told
	tokens_in    INTEGER NOT NULL,
	tokens_out   INTEGER NOT NULL,
	cached       INTEGER NOT NULL, -- of tokens_in
	reasoning    INTEGER NOT NULL, -- of tokens_out
	nano         INTEGER NOT NULL,
	unpriced     INTEGER NOT NULL, -- calls of models without a price
	PRIMARY KEY (key, day, model, provider)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_day_day ON usage_day (day);

-- NULL: not known.
ALTER TABLE run ADD COLUMN cost_nano INTEGER;
