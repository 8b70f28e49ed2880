-- Conversations without turns: made, filled, labelled, listed and cut back by their clients.

-- The newest message that no turn brought; it lies behind the newest turn.  0: the turn is newest.
ALTER TABLE conversation ADD COLUMN tip INTEGER NOT NULL DEFAULT 0;

-- Goes up with every change, a turn's beginning included.
ALTER TABLE conversation ADD COLUMN rev INTEGER NOT NULL DEFAULT 1;

-- A message that no turn brought has run 0.  The one change that a message knows is that its content
-- goes: then body is '' and run is what it was, with all bits turned over (so -1 for 0).  The row
-- stays, as others hang on it; whoever walks a branch passes over it.
--
-- All other messages of a conversation are found by its runs: an index of all would cost each turn.
CREATE INDEX message_loose ON message (conversation) WHERE run BETWEEN -1 AND 0;

-- Lists of one owner.  Measured, microseconds of CPU for a new conversation, 128 in a transaction,
-- 200,000 of them: 3.0 without it, 3.7 with it.
CREATE INDEX conversation_owner ON conversation (owner);

-- Each pair of the metadata, to be found by.  Measured as above: two pairs cost 12.5 more.
CREATE TABLE conversation_label (
	owner        INTEGER NOT NULL,
	key          TEXT NOT NULL,
	value        TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	PRIMARY KEY (owner, key, value, conversation)
) STRICT, WITHOUT ROWID;

INSERT INTO conversation_label (owner, key, value, conversation)
SELECT c.owner, m.key, m.value, c.id FROM conversation c, json_each(c.metadata) m
WHERE c.metadata IS NOT NULL AND m.type = 'text';
