-- Usage by the tags of calls (../0032_usage_tags.sql).
CREATE TABLE usage_tag (
	day        bigint NOT NULL,
	key        text COLLATE "C" NOT NULL,
	model      text COLLATE "C" NOT NULL,
	key_group  text COLLATE "C" NOT NULL,
	tags       text COLLATE "C" NOT NULL,
	calls      bigint NOT NULL,
	estimated  bigint NOT NULL,
	tokens_in  bigint NOT NULL,
	tokens_out bigint NOT NULL,
	cached     bigint NOT NULL,
	reasoning  bigint NOT NULL,
	nano       bigint NOT NULL,
	unpriced   bigint NOT NULL
);
-- Tags of many values would be too long for an index.
CREATE UNIQUE INDEX usage_tag_row ON usage_tag (day, key, model, key_group, md5(tags));

ALTER TABLE run ADD COLUMN tags text;
ALTER TABLE reservation ADD COLUMN tags text;
