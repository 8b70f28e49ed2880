-- A budget for each value of a tag, of a key or of a group.  What was used of one is a row of `budget`, named each:HASH, which is
-- forgotten with its window.
ALTER TABLE api_key ADD COLUMN each_tag       TEXT NOT NULL DEFAULT '';
ALTER TABLE api_key ADD COLUMN each_nano      INTEGER NOT NULL DEFAULT 0; -- 0: there is none
ALTER TABLE api_key ADD COLUMN each_window_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE key_group ADD COLUMN each_tag       TEXT NOT NULL DEFAULT '';
ALTER TABLE key_group ADD COLUMN each_nano      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE key_group ADD COLUMN each_window_us INTEGER NOT NULL DEFAULT 0;

-- How long the conversations of the owners of its keys are kept, as api_key.keep_ms; 0: as the configuration says.
ALTER TABLE key_group ADD COLUMN keep_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX key_group_keep ON key_group (keep_ms) WHERE keep_ms > 0;
DROP INDEX api_key_group;
CREATE INDEX api_key_group ON api_key (key_group, owner) WHERE key_group IS NOT NULL;
