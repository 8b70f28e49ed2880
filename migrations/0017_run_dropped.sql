-- What attempts that were given up have used, while their run goes on: a JSON array of tokens in, out,
-- cached and reasoning, and of what they cost (null: not known).  NULL: nothing, or the run has ended.
ALTER TABLE run ADD COLUMN bill_dropped TEXT;
