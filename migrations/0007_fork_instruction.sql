-- The instruction that a fork's branch had where it was copied from: it holds where no turn of a branch
-- has set one.  NULL: none.
ALTER TABLE conversation ADD COLUMN instruction TEXT;
