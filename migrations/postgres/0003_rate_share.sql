-- What gateways have taken of limits.  The row of gateway 0 is the window itself; whoever takes something locks
-- it.  Only the rows of the window's beginning count; without a window (calls at once), those of living gateways.
CREATE TABLE rate_share (
	key       bigint NOT NULL, -- number of an API key; 0: all callers
	policy    bigint NOT NULL, -- 0: requests, 1: tokens, 2: calls at once
	gateway   bigint NOT NULL,
	began_ms  bigint NOT NULL, -- by the server's clock
	window_ms bigint NOT NULL, -- 0: no window
	taken     bigint NOT NULL,
	PRIMARY KEY (key, policy, gateway)
) WITH (fillfactor = 50);
