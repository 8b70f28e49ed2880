-- Titles are found too: rows of the queue of the kinds 6 (a title that was set) and 7 (one that went),
-- whose id is the conversation's and whose text is the title as it was.  Conversations without a title,
-- as those of nearly all turns, make none.
CREATE TRIGGER search_title_added AFTER INSERT ON conversation
WHEN new.title IS NOT NULL BEGIN
	INSERT INTO search_queue (kind, id, text) VALUES (6, new.id, new.title);
END;
CREATE TRIGGER search_title_changed AFTER UPDATE OF title ON conversation
WHEN new.title IS NOT old.title BEGIN
	INSERT INTO search_queue (kind, id, text) SELECT 7, old.id, old.title WHERE old.title IS NOT NULL;
	INSERT INTO search_queue (kind, id, text) SELECT 6, new.id, new.title WHERE new.title IS NOT NULL;
END;
CREATE TRIGGER search_title_removed AFTER DELETE ON conversation
WHEN old.title IS NOT NULL BEGIN
	INSERT INTO search_queue (kind, id, text) VALUES (7, old.id, old.title);
END;
