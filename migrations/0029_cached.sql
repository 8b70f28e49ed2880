-- Answers that equal requests of the same owner are given again.
CREATE TABLE cached (
	id         INTEGER PRIMARY KEY, -- the run's that was given the answer, also where the run is not stored
	secret     INTEGER NOT NULL,
	owner      INTEGER NOT NULL,
	key        TEXT NOT NULL, -- the API key's id
	digest     BLOB NOT NULL, -- SHA-256 of everything that the answer depends on
	began_ms   INTEGER NOT NULL, -- when the call began, so that no older answer replaces a newer one
	created_ms INTEGER NOT NULL,
	expires_ms INTEGER NOT NULL,
	stream     INTEGER NOT NULL, -- 1: the events are those of a stream
	apart      INTEGER NOT NULL, -- 1: only calls of the same kind (stream or plain) get the whole of it
	nano       INTEGER NOT NULL, -- what the answer has cost
	size       INTEGER NOT NULL,
	body       BLOB NOT NULL -- the events, as in the event log
) STRICT;

CREATE UNIQUE INDEX cached_digest ON cached (owner, digest);
CREATE INDEX cached_expiry ON cached (expires_ms);
CREATE INDEX cached_key ON cached (key);

-- What was removed at one blow: answers whose calls began by then are given to nobody, though their rows go a few at
-- a time.
CREATE TABLE cached_clear (
	name TEXT PRIMARY KEY, -- an API key's id, or 'o' and an owner
	at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The sum of `size`, which nobody could wait for: it is that of all rows here.
CREATE TABLE cached_size (
	bytes INTEGER NOT NULL
) STRICT;

INSERT INTO cached_size (bytes) VALUES (0);

CREATE TRIGGER cached_add AFTER INSERT ON cached BEGIN
	UPDATE cached_size SET bytes = bytes + new.size;
END;
CREATE TRIGGER cached_change AFTER UPDATE OF size ON cached BEGIN
	UPDATE cached_size SET bytes = bytes + new.size - old.size;
END;
CREATE TRIGGER cached_remove AFTER DELETE ON cached BEGIN
	UPDATE cached_size SET bytes = bytes - old.size;
END;

-- What a deleted run said is nowhere left.
CREATE TRIGGER cached_run AFTER DELETE ON run BEGIN
	DELETE FROM cached WHERE id = old.id;
END;
