-- API keys.  Of a key's text only the SHA-256 is here.  Rows stay when a key is revoked: its id is not
-- given again, and a gateway that ever had a key is never open.
CREATE TABLE api_key (
	number       INTEGER PRIMARY KEY,
	id           TEXT NOT NULL UNIQUE, -- 8 signs, behind key_
	owner        INTEGER NOT NULL,     -- of all that is stored with it
	sha256       BLOB NOT NULL,
	old_sha256   BLOB,                 -- the one before a rotation, good for a while
	old_until_ms INTEGER NOT NULL DEFAULT 0,
	name         TEXT NOT NULL,
	scopes       INTEGER NOT NULL,     -- bits: 1 chat, 2 read, 4 files, 8 admin
	models       TEXT,                 -- JSON array of names; NULL: all
	metadata     TEXT,                 -- JSON object
	created_ms   INTEGER NOT NULL,
	expires_ms   INTEGER NOT NULL DEFAULT 0, -- 0: never
	revoked_ms   INTEGER NOT NULL DEFAULT 0, -- 0: it is not
	rotated_ms   INTEGER NOT NULL DEFAULT 0,
	used_ms      INTEGER NOT NULL DEFAULT 0  -- about when it was used last
) STRICT;

-- Goes up with every change that a serving process has to learn of, also of columns to come.
CREATE TABLE api_key_change (
	id      INTEGER PRIMARY KEY CHECK (id = 1),
	version INTEGER NOT NULL
) STRICT;
INSERT INTO api_key_change (id, version) VALUES (1, 0);

CREATE TRIGGER api_key_added AFTER INSERT ON api_key BEGIN
	UPDATE api_key_change SET version = version + 1;
END;
CREATE TRIGGER api_key_changed AFTER UPDATE ON api_key WHEN old.used_ms = new.used_ms BEGIN
	UPDATE api_key_change SET version = version + 1;
END;
CREATE TRIGGER api_key_removed AFTER DELETE ON api_key BEGIN
	UPDATE api_key_change SET version = version + 1;
END;
