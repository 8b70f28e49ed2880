-- Keys of clients (Idempotency-Key), and the answers that calls with them got.
--
-- A key is written with its run, before the provider is asked; the end of the run either binds it to
-- its answer or, when the provider had given nothing, removes it.  A call that is stored nowhere has
-- its row from when the provider begins to answer, and at its end its answer in it.

CREATE TABLE idempotency (
	id          INTEGER PRIMARY KEY, -- its run's, also where the run is not stored
	secret      INTEGER NOT NULL,
	owner       INTEGER NOT NULL,
	key         TEXT NOT NULL,
	fingerprint BLOB NOT NULL,    -- SHA-256 of the request
	created_ms  INTEGER NOT NULL,
	stored      INTEGER NOT NULL, -- 1: there is a row in run
	outcome     INTEGER NOT NULL, -- as run.status
	http        INTEGER NOT NULL, -- status of the answer; 0: it is not there yet
	-- The answer's body.  NULL: with 200 the run's events are the answer, else it was lost: with 500
	-- the process ended before, with 503 it could not be stored.
	body        BLOB
) STRICT;

CREATE UNIQUE INDEX idempotency_key ON idempotency (owner, key);

-- In the order in which they expire; what goes on does not.
CREATE INDEX idempotency_age ON idempotency (created_ms) WHERE http > 0;

-- What a crash left going.
CREATE INDEX idempotency_open ON idempotency (stored) WHERE http = 0;

-- What a deleted run said is nowhere left.
CREATE TRIGGER idempotency_run AFTER DELETE ON run BEGIN
	DELETE FROM idempotency WHERE id = old.id;
END;
