-- A run that is deleted takes the answer of its key along, not the key: a late second try is told that
-- its answer was deleted, and asks no provider again.  A call that is not bound yet leaves nothing.
DROP TRIGGER idempotency_run;

CREATE TRIGGER idempotency_run AFTER DELETE ON run BEGIN
	DELETE FROM idempotency WHERE id = old.id AND http = 0;
	UPDATE idempotency SET http = 410, body = NULL WHERE id = old.id;
END;
