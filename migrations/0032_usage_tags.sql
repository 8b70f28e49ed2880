-- Usage by the tags of calls: a row for the calls of a day, a key, its group and a model that have the same tags.  Tags are a JSON
-- array of pairs, sorted: ["customer=acme","feature=search"]; of a call without any, [].
CREATE TABLE usage_tag (
	day        INTEGER NOT NULL, -- days since 1970, UTC
	key        TEXT NOT NULL,    -- empty: without a key
	model      TEXT NOT NULL,
	key_group  TEXT NOT NULL,    -- as logs name it (grp_…), when the calls were made; empty: none
	tags       TEXT NOT NULL,
	calls      INTEGER NOT NULL,
	estimated  INTEGER NOT NULL, -- calls whose tokens nobody told
	tokens_in  INTEGER NOT NULL,
	tokens_out INTEGER NOT NULL,
	cached     INTEGER NOT NULL, -- of tokens_in
	reasoning  INTEGER NOT NULL, -- of tokens_out
	nano       INTEGER NOT NULL,
	unpriced   INTEGER NOT NULL, -- calls of models without a price
	PRIMARY KEY (day, key, model, key_group, tags)
) STRICT, WITHOUT ROWID;

-- The call's own; NULL: calls had no tags then.
ALTER TABLE run ADD COLUMN tags TEXT;
ALTER TABLE reservation ADD COLUMN tags TEXT;
