-- The runs that ended in one transaction share a row of the queue: kind 5, whose id is their number.
-- Their ids in decimal, separated by blanks; NULL for all other kinds.  Measured, instructions of the
-- writer for a turn, 23 turns in a transaction: 6,600 with a row for each run, 900 so.
ALTER TABLE search_queue ADD COLUMN runs TEXT;
