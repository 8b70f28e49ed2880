-- The row that a list shows of a conversation; ../0025_conversation_rows.sql explains the columns.
ALTER TABLE conversation
	ADD COLUMN origin    bigint NOT NULL DEFAULT 0,
	ADD COLUMN pinned    bigint NOT NULL DEFAULT 0,
	ADD COLUMN titled    bigint NOT NULL DEFAULT 0,
	ADD COLUMN opening   text,
	ADD COLUMN excerpt   text,
	ADD COLUMN model     text,
	ADD COLUMN messages  bigint NOT NULL DEFAULT 0,
	ADD COLUMN cost_nano bigint,
	-- A turn of a program's conversation leaves it NULL, and so changes no column that an index has.
	ADD COLUMN recent    bigint;

DROP INDEX conversation_owner;
CREATE INDEX conversation_owner ON conversation (owner, origin, id);
CREATE INDEX conversation_recent ON conversation (owner, recent) WHERE recent IS NOT NULL;
CREATE INDEX conversation_pinned ON conversation (owner, id) WHERE pinned = 1;

-- Conversations from before.  A text with escapes is left out, because some of them (\u0000, half a
-- surrogate) are an error here.
WITH counted AS (SELECT conversation, count(*) AS messages, min(id) AS first FROM message WHERE run >= 0
	GROUP BY conversation),
spent AS (SELECT conversation, sum(cost_nano)::bigint AS nano FROM run WHERE cost_nano IS NOT NULL
	GROUP BY conversation)
UPDATE conversation c SET
	messages = coalesce(k.messages, 0),
	cost_nano = s.nano,
	model = r.model,
	origin = coalesce((r.shape IN ('native', 'lmc'))::int, 0),
	recent = CASE WHEN r.shape IN ('native', 'lmc')
		THEN CASE WHEN c.tip <> 0 THEN c.tip ELSE c.leaf END END,
	opening = (SELECT nullif(btrim(left(substring(f.body FROM
			'^\s*\{\s*"role"\s*:\s*"user"\s*,\s*"content"\s*:\s*"([^"\\]*)"'), 60)), '')
		FROM message f WHERE f.id = k.first),
	excerpt = (SELECT nullif(btrim(left(substring(n.body FROM
			'^\s*\{\s*"role"\s*:\s*"[a-z]+"\s*,\s*"content"\s*:\s*"([^"\\]*)"'), 120)), '')
		FROM message n WHERE n.id = CASE WHEN c.tip <> 0 THEN c.tip ELSE c.leaf END)
FROM conversation o
LEFT JOIN counted k ON k.conversation = o.id
LEFT JOIN spent s ON s.conversation = o.id
LEFT JOIN run r ON r.id = o.leaf
WHERE c.id = o.id;
