-- A budget for each value of a tag, and how long a group keeps (../0033_budget_each.sql).
ALTER TABLE api_key
	ADD COLUMN each_tag       text COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN each_nano      bigint NOT NULL DEFAULT 0,
	ADD COLUMN each_window_us bigint NOT NULL DEFAULT 0;
ALTER TABLE key_group
	ADD COLUMN each_tag       text COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN each_nano      bigint NOT NULL DEFAULT 0,
	ADD COLUMN each_window_us bigint NOT NULL DEFAULT 0,
	ADD COLUMN keep_ms        bigint NOT NULL DEFAULT 0;
CREATE INDEX key_group_keep ON key_group (keep_ms) WHERE keep_ms > 0;
DROP INDEX api_key_group;
CREATE INDEX api_key_group ON api_key (key_group, owner) WHERE key_group IS NOT NULL;
