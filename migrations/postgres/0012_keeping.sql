-- How long conversations and files are kept (../0030_keeping.sql).
ALTER TABLE conversation
	ADD COLUMN keep_ms bigint,
	ADD COLUMN due_ms  bigint;
CREATE INDEX conversation_due ON conversation (due_ms) WHERE due_ms IS NOT NULL;

ALTER TABLE api_key ADD COLUMN keep_ms bigint NOT NULL DEFAULT 0;
CREATE INDEX api_key_keep ON api_key (owner) WHERE keep_ms > 0;

ALTER TABLE file ADD COLUMN expires_ms bigint NOT NULL DEFAULT 0;
CREATE INDEX file_expiry ON file (expires_ms) WHERE expires_ms > 0;

CREATE TABLE swept (
	id     bigint PRIMARY KEY,
	secret bigint NOT NULL,
	owner  bigint NOT NULL,
	at_ms  bigint NOT NULL,
	rest   bigint NOT NULL
);
CREATE INDEX swept_rest ON swept (id) WHERE rest = 1;
CREATE INDEX swept_at ON swept (at_ms);
