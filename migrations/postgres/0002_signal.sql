-- Runs that another gateway than theirs wants to be cancelled.  A row goes when the run's gateway has read it,
-- or with that gateway's end.
CREATE TABLE signal (
	gateway bigint NOT NULL, -- that of the run
	run     bigint NOT NULL,
	PRIMARY KEY (gateway, run)
) WITH (fillfactor = 50);
