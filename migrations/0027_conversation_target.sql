-- The mark of the target (provider, key, upstream model) that has given the conversation's last good answer, for
-- models with several; its next turn is asked there.
ALTER TABLE conversation ADD COLUMN target INTEGER;
