-- Why an answer ended, in its provider's own word; finish_reason is what it is in OpenAI's.  Escaped as
-- that is.  NULL: not told.
ALTER TABLE run ADD COLUMN native_reason TEXT;
