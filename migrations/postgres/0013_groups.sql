-- Groups of API keys (../0030_groups.sql).
CREATE TABLE key_group (
	id                 text COLLATE "C" PRIMARY KEY,
	name               bytea NOT NULL,
	models             text,
	hooks              text,
	metadata           text,
	created_ms         bigint NOT NULL,
	requests           bigint NOT NULL,
	requests_window_us bigint NOT NULL,
	tokens             bigint NOT NULL,
	tokens_window_us   bigint NOT NULL,
	concurrent         bigint NOT NULL,
	max_body           bigint NOT NULL,
	budget_nano        bigint NOT NULL,
	budget_tokens      bigint NOT NULL,
	budget_window_us   bigint NOT NULL
);
CREATE INDEX key_group_created ON key_group (created_ms, id);

ALTER TABLE api_key ADD COLUMN key_group text COLLATE "C";
CREATE INDEX api_key_group ON api_key (key_group) WHERE key_group IS NOT NULL;

ALTER TABLE reservation ADD COLUMN budgets text COLLATE "C";
ALTER TABLE budget ADD COLUMN limit_nano bigint;
ALTER TABLE budget ADD COLUMN until_ms bigint;
CREATE INDEX budget_until ON budget (until_ms) WHERE until_ms IS NOT NULL;

CREATE TABLE usage_group (
	key_group  text COLLATE "C" NOT NULL,
	key        text COLLATE "C" NOT NULL,
	day        bigint NOT NULL,
	model      text COLLATE "C" NOT NULL,
	provider   text COLLATE "C" NOT NULL,
	calls      bigint NOT NULL,
	estimated  bigint NOT NULL,
	tokens_in  bigint NOT NULL,
	tokens_out bigint NOT NULL,
	cached     bigint NOT NULL,
	reasoning  bigint NOT NULL,
	nano       bigint NOT NULL,
	unpriced   bigint NOT NULL,
	PRIMARY KEY (key_group, key, day, model, provider)
);
CREATE INDEX usage_group_day ON usage_group (day);
