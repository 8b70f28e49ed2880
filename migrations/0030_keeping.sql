-- How long conversations and files are kept.

-- How long after its last activity a conversation goes, if its client has said so; NULL: it has not.
ALTER TABLE conversation ADD COLUMN keep_ms INTEGER;
-- When it is looked at for that: its turns do not move the time, but a look that comes too early does.
ALTER TABLE conversation ADD COLUMN due_ms INTEGER;
CREATE INDEX conversation_due ON conversation (due_ms) WHERE due_ms IS NOT NULL;

-- The same for all conversations of the key's owner; 0: as the configuration says.
ALTER TABLE api_key ADD COLUMN keep_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX api_key_keep ON api_key (owner) WHERE keep_ms > 0;

ALTER TABLE file ADD COLUMN expires_ms INTEGER NOT NULL DEFAULT 0; -- 0: never
CREATE INDEX file_expiry ON file (expires_ms) WHERE expires_ms > 0;

-- Conversations that retention has removed, for as long as somebody may be told so.
CREATE TABLE swept (
	id     INTEGER PRIMARY KEY,
	secret INTEGER NOT NULL,
	owner  INTEGER NOT NULL,
	at_ms  INTEGER NOT NULL,
	rest   INTEGER NOT NULL -- 1: turns or messages of it are left, and go a few at a time
) STRICT;
CREATE INDEX swept_rest ON swept (id) WHERE rest = 1;
CREATE INDEX swept_at ON swept (at_ms);
