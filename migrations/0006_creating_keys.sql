-- Keys of the POSTs that make something without a run: a conversation, its items, a file.  Such a row
-- is written in the transaction that makes it: stored is 0, id is the row's own, http is never 0.

-- What was made or added to: the id of a conversation or of a file, of which no two are the same.
-- 0: the key is a run's.
ALTER TABLE idempotency ADD COLUMN subject INTEGER NOT NULL DEFAULT 0;
-- The first and the last of the messages that the answer tells; 0: none.
ALTER TABLE idempotency ADD COLUMN message_from INTEGER NOT NULL DEFAULT 0;
ALTER TABLE idempotency ADD COLUMN message_to INTEGER NOT NULL DEFAULT 0;

CREATE INDEX idempotency_subject ON idempotency (subject) WHERE subject > 0;

-- What was deleted is told nowhere; the key stays known, so that a late second try makes nothing anew.
CREATE TRIGGER idempotency_conversation AFTER DELETE ON conversation BEGIN
	UPDATE idempotency SET http = 410, body = NULL WHERE subject = old.id AND subject > 0;
END;
CREATE TRIGGER idempotency_file AFTER DELETE ON file BEGIN
	UPDATE idempotency SET http = 410, body = NULL WHERE subject = old.id AND subject > 0;
END;
