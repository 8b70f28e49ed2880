-- Stored chat completions: calls of OpenAI's routes that ended well and whose answer is still there.
-- Each begins a conversation, and its metadata is that conversation's.

-- Of those calls alone.
ALTER TABLE run ADD COLUMN request_id TEXT;
ALTER TABLE run ADD COLUMN settings TEXT; -- JSON object: members of the request that are shown again

-- Lists of one owner, of those by a model, and of those with a label; in the order of their
-- conversations, which were made with them.  A completion comes in when it ends.  Measured,
-- microseconds of CPU for the row of a completion, begun and ended, 128 in a transaction, 200,000 of
-- them: 9.9 without, 10.7 with the first, 12.7 with both.
CREATE INDEX run_completion ON run (owner, conversation) WHERE shape = 'openai' AND status = 2;
CREATE INDEX run_completion_model ON run (owner, model, conversation)
WHERE shape = 'openai' AND status = 2;

-- A completion whose answer is removed is one no longer, and what a key was answered with goes, too.
CREATE TRIGGER completion_removed AFTER UPDATE OF body ON message WHEN new.body = '' BEGIN
	UPDATE run SET shape = NULL WHERE id = new.id AND shape = 'openai';
	UPDATE idempotency SET http = 410, body = NULL WHERE id = new.id;
END;
