-- The sums of call_hour by one name (../0028_ledger_sums.sql).
CREATE TABLE call_sum (
	kind        bigint NOT NULL,
	hour        bigint NOT NULL,
	name        text COLLATE "C" NOT NULL,
	gateway     bigint NOT NULL,
	calls       bigint NOT NULL,
	failed      bigint NOT NULL,
	cancelled   bigint NOT NULL,
	client_left bigint NOT NULL,
	refused     bigint NOT NULL,
	tokens_in   bigint NOT NULL,
	tokens_out  bigint NOT NULL,
	nano        bigint NOT NULL,
	durations   bytea NOT NULL,
	firsts      bytea NOT NULL,
	PRIMARY KEY (kind, hour, name, gateway)
);

-- Hours that an older version has written.
CREATE INDEX call_hour_all ON call_hour (hour) WHERE key = '*';

-- Retention looks for what is old.
CREATE INDEX provider_health_at ON provider_health (at_ms);
