-- Sessions that were ended before their time; tokens of no other session are known.  A session is never
-- more than 12 hours old, so a row is of no use after ends_ms.
CREATE TABLE session_ended (
	id      INTEGER NOT NULL,
	secret  INTEGER NOT NULL, -- the other half of the session's id
	key     TEXT NOT NULL,    -- the one that the session stands for, as its tokens name it
	ends_ms INTEGER NOT NULL,
	PRIMARY KEY (id, secret)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_ended_key ON session_ended (key, ends_ms);
CREATE INDEX session_ended_ends ON session_ended (ends_ms);

CREATE TRIGGER session_ended_added AFTER INSERT ON session_ended BEGIN
	UPDATE api_key_change SET version = version + 1;
END;
