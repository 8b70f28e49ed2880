-- The row that a list shows of a conversation is written with its turns, so that no list has to count.
ALTER TABLE conversation ADD COLUMN origin INTEGER NOT NULL DEFAULT 0; -- 0 a program made it, 1 the console
ALTER TABLE conversation ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN titled INTEGER NOT NULL DEFAULT 0; -- 0 its user gave it the title, 1 a model
-- The first words of a user in it: its title for as long as `title` is NULL.  They are not in the search
-- index as a title, because the message that they are from is in it.
ALTER TABLE conversation ADD COLUMN opening TEXT;
ALTER TABLE conversation ADD COLUMN excerpt TEXT; -- the beginning of the newest message
ALTER TABLE conversation ADD COLUMN model TEXT;   -- asked last
ALTER TABLE conversation ADD COLUMN messages INTEGER NOT NULL DEFAULT 0; -- of all branches
ALTER TABLE conversation ADD COLUMN cost_nano INTEGER; -- of its turns; NULL: none had a price
-- The key of the newest turn, or of what was added after it: the order of the console's own list.  NULL in the
-- conversations of programs, whose turns so change no index.
ALTER TABLE conversation ADD COLUMN recent INTEGER;

-- Both origins have the order of the ids within them; a list of both merges them.  So the index costs no more
-- than the one before, and a list of one origin passes over nothing.
DROP INDEX conversation_owner;
CREATE INDEX conversation_owner ON conversation (owner, origin);
CREATE INDEX conversation_recent ON conversation (owner, recent) WHERE recent IS NOT NULL;
CREATE INDEX conversation_pinned ON conversation (owner) WHERE pinned = 1;

-- Conversations from before.  Whether the console has made one, only the shape of its turns can tell.
CREATE TABLE conversation_before AS
SELECT conversation, count(*) AS messages, min(id) AS first FROM message WHERE run >= 0 GROUP BY conversation;
CREATE UNIQUE INDEX conversation_before_of ON conversation_before (conversation);
CREATE TABLE conversation_spent AS
SELECT conversation, sum(cost_nano) AS nano FROM run WHERE cost_nano IS NOT NULL GROUP BY conversation;
CREATE UNIQUE INDEX conversation_spent_of ON conversation_spent (conversation);

UPDATE conversation SET
	messages = ifnull((SELECT b.messages FROM conversation_before b WHERE b.conversation = conversation.id), 0),
	cost_nano = (SELECT s.nano FROM conversation_spent s WHERE s.conversation = conversation.id),
	model = (SELECT r.model FROM run r WHERE r.id = conversation.leaf),
	origin = EXISTS (SELECT 1 FROM run r WHERE r.id = conversation.leaf AND r.shape IN ('native', 'lmc')),
	opening = (SELECT CASE WHEN json_valid(m.body) AND json_type(m.body, '$.content') = 'text'
			AND json_extract(m.body, '$.role') = 'user' THEN
			nullif(trim(substr(replace(replace(replace(json_extract(m.body, '$.content'),
			char(10), ' '), char(13), ' '), char(9), ' '), 1, 60)), '') END
		FROM conversation_before b JOIN message m ON m.id = b.first
		WHERE b.conversation = conversation.id),
	excerpt = (SELECT CASE WHEN json_valid(m.body) AND json_type(m.body, '$.content') = 'text' THEN
			nullif(trim(substr(replace(replace(replace(json_extract(m.body, '$.content'),
			char(10), ' '), char(13), ' '), char(9), ' '), 1, 120)), '') END
		FROM message m WHERE m.id = iif(conversation.tip, conversation.tip, conversation.leaf));
UPDATE conversation SET recent = iif(tip, tip, iif(leaf, leaf, id)) WHERE origin = 1;

DROP TABLE conversation_before;
DROP TABLE conversation_spent;
