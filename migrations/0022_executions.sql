-- What ran on the computer for a run: a JSON array of objects (docs/computer.md).  NULL: nothing.
ALTER TABLE run ADD COLUMN executions TEXT;
