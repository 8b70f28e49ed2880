-- Groups of API keys.  What a group may use, all its keys use together.  The columns mean what they mean for a key.
CREATE TABLE key_group (
	id                 TEXT PRIMARY KEY, -- 8 signs, behind grp_
	name               TEXT NOT NULL,
	models             TEXT,             -- JSON array of names; NULL: all
	hooks              TEXT,             -- JSON array of names of hooks; NULL: none
	metadata           TEXT,             -- JSON object
	created_ms         INTEGER NOT NULL,
	requests           INTEGER NOT NULL,
	requests_window_us INTEGER NOT NULL,
	tokens             INTEGER NOT NULL,
	tokens_window_us   INTEGER NOT NULL,
	concurrent         INTEGER NOT NULL,
	max_body           INTEGER NOT NULL,
	budget_nano        INTEGER NOT NULL,
	budget_tokens      INTEGER NOT NULL,
	budget_window_us   INTEGER NOT NULL
) STRICT;
CREATE INDEX key_group_created ON key_group (created_ms, id);

ALTER TABLE api_key ADD COLUMN key_group TEXT; -- the id of its group; NULL: none
CREATE INDEX api_key_group ON api_key (key_group) WHERE key_group IS NOT NULL;

CREATE TRIGGER key_group_added AFTER INSERT ON key_group BEGIN
	UPDATE api_key_change SET version = version + 1;
END;
CREATE TRIGGER key_group_changed AFTER UPDATE ON key_group BEGIN
	UPDATE api_key_change SET version = version + 1;
END;
CREATE TRIGGER key_group_removed AFTER DELETE ON key_group BEGIN
	UPDATE api_key_change SET version = version + 1;
END;

-- A call counts in the budgets of its key, of the key's group, and so on.
ALTER TABLE reservation ADD COLUMN budgets TEXT; -- their names, with a space between; NULL: reservation.key alone

-- The budget of a conversation (conv:ID) or of a session is a ceiling, which is kept here.
ALTER TABLE budget ADD COLUMN limit_nano INTEGER; -- NULL: the limit stands with the key or the group
ALTER TABLE budget ADD COLUMN until_ms   INTEGER; -- when the row is forgotten; NULL: never
CREATE INDEX budget_until ON budget (until_ms) WHERE until_ms IS NOT NULL;

-- The part of usage_day that was used while the key was in a group.
CREATE TABLE usage_group (
	key_group    TEXT NOT NULL, -- as logs name it (grp_…)
	key          TEXT NOT NULL,
	day          INTEGER NOT NULL,
	model        TEXT NOT NULL,
	provider     TEXT NOT NULL,
	calls        INTEGER NOT NULL,
	estimated    INTEGER NOT NULL,
	tokens_in    INTEGER NOT NULL,
	tokens_out   INTEGER NOT NULL,
	cached       INTEGER NOT NULL,
	reasoning    INTEGER NOT NULL,
	nano         INTEGER NOT NULL,
	unpriced     INTEGER NOT NULL,
	PRIMARY KEY (key_group, key, day, model, provider)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_group_day ON usage_group (day);
