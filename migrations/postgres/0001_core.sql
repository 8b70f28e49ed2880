-- The tables of a database that many gateways share.  Names and columns are those of the SQLite engine
-- (../0001_core.sql and the files after it explain them); what differs is explained here.
--
-- Each id, secret and time is made by a gateway.  There are no sequences, triggers, foreign keys and
-- stored procedures: a statement says all that it does.  JSON is text, because jsonb changes numbers and
-- refuses \u0000; plain text that a client may fill with U+0000 is bytea.

-- A process that uses this database, from its start to its end; a restarted process is a new row.
CREATE TABLE gateway (
	id          bigint PRIMARY KEY,
	lane        bigint NOT NULL,      -- of its ids (src/base/id.h)
	lease_until timestamptz NOT NULL, -- after this, any other gateway may declare it dead
	dead        bigint NOT NULL DEFAULT 0, -- 1: it owns nothing any more, and writes of its runs are refused
	began       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX gateway_lane ON gateway (lane) WHERE dead = 0;

CREATE TABLE conversation (
	id          bigint PRIMARY KEY,
	secret      bigint NOT NULL,
	owner       bigint NOT NULL,
	created_ms  bigint NOT NULL,
	leaf        bigint NOT NULL,
	tip         bigint NOT NULL DEFAULT 0,
	rev         bigint NOT NULL DEFAULT 1,
	op          bigint NOT NULL DEFAULT 0, -- the last change outside of turns, so that a resent one is known
	title       bytea,
	metadata    text,
	instruction bytea
) WITH (fillfactor = 80);
CREATE INDEX conversation_owner ON conversation (owner, id);

CREATE TABLE conversation_label (
	owner        bigint NOT NULL,
	key          text COLLATE "C" NOT NULL,
	value        text COLLATE "C" NOT NULL,
	conversation bigint NOT NULL,
	PRIMARY KEY (owner, key, value, conversation)
);
CREATE INDEX conversation_label_of ON conversation_label (conversation);

CREATE TABLE message (
	id           bigint PRIMARY KEY,
	secret       bigint NOT NULL,
	owner        bigint NOT NULL,
	conversation bigint NOT NULL,
	prev         bigint NOT NULL,
	run          bigint NOT NULL,
	created_ms   bigint NOT NULL,
	body         text NOT NULL
);
CREATE INDEX message_loose ON message (conversation, id) WHERE run BETWEEN -1 AND 0;

CREATE TABLE run (
	id                 bigint PRIMARY KEY,
	secret             bigint NOT NULL,
	owner              bigint NOT NULL,
	gateway            bigint NOT NULL, -- whose run it is while it is live
	conversation       bigint NOT NULL,
	parent             bigint NOT NULL,
	base               bigint NOT NULL,
	status             bigint NOT NULL,
	created_ms         bigint NOT NULL,
	first_token_ms     bigint NOT NULL DEFAULT 0,
	completed_ms       bigint NOT NULL DEFAULT 0,
	attempts           bigint NOT NULL DEFAULT 0,
	attempt_log        text,
	executions         text,
	continues          bigint NOT NULL DEFAULT 0,
	seq_reserved       bigint NOT NULL,
	last_seq           bigint NOT NULL DEFAULT 0,
	events_to          bigint, -- once ended: number of the last logged event; 0: nothing was logged
	usage_estimated    bigint,
	usage_in           bigint NOT NULL DEFAULT 0,
	usage_out          bigint NOT NULL DEFAULT 0,
	usage_cached_read  bigint NOT NULL DEFAULT 0,
	usage_cached_write bigint NOT NULL DEFAULT 0,
	usage_reasoning    bigint NOT NULL DEFAULT 0,
	cost_nano          bigint,
	model              text,
	provider           text,
	shape              text,
	finish_reason      text,
	native_reason      text,
	instruction        bytea,
	metadata           text,
	error              text,
	request_id         text,
	settings           text,
	bill_key           text, -- stays when the run ends: it says whose run it was
	bill_model         text,
	bill_in            bigint,
	bill_price_in      bigint,
	bill_price_out     bigint,
	-- What attempts that were given up have used: {in, out, cached, reasoning, cost (NULL: not known),
	-- whether a provider is being asked, whether the tokens are estimated}.
	bill_dropped       bigint[]
) WITH (fillfactor = 70);
CREATE INDEX run_live ON run (gateway, id) WHERE status < 2;
CREATE INDEX run_conversation ON run (conversation, id);
CREATE INDEX run_unusual ON run (status, id) WHERE status > 2;
CREATE INDEX run_completion ON run (owner, conversation) WHERE shape = 'openai' AND status = 2;
CREATE INDEX run_completion_model ON run (owner, model, conversation)
WHERE shape = 'openai' AND status = 2;

-- A run's id is its time, so a partition has the logs of some days, and retention drops it.
CREATE TABLE event (
	run   bigint NOT NULL,
	first bigint NOT NULL,
	last  bigint NOT NULL,
	data  bytea NOT NULL,
	PRIMARY KEY (run, last)
) PARTITION BY RANGE (run);
CREATE TABLE event_rest PARTITION OF event DEFAULT;

CREATE TABLE idempotency (
	id           bigint PRIMARY KEY,
	secret       bigint NOT NULL,
	owner        bigint NOT NULL,
	gateway      bigint NOT NULL DEFAULT 0, -- whose call it is while http is 0
	key          text COLLATE "C" NOT NULL,
	fingerprint  bytea NOT NULL,
	created_ms   bigint NOT NULL,
	stored       bigint NOT NULL,
	outcome      bigint NOT NULL,
	http         bigint NOT NULL,
	body         bytea,
	subject      bigint NOT NULL DEFAULT 0,
	message_from bigint NOT NULL DEFAULT 0,
	message_to   bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX idempotency_key ON idempotency (owner, key);
CREATE INDEX idempotency_age ON idempotency (created_ms) WHERE http > 0;
CREATE INDEX idempotency_open ON idempotency (gateway) WHERE http = 0;
CREATE INDEX idempotency_subject ON idempotency (subject) WHERE subject > 0;

CREATE TABLE file (
	id         bigint PRIMARY KEY,
	secret     bigint NOT NULL,
	owner      bigint NOT NULL,
	created_ms bigint NOT NULL,
	bytes      bigint NOT NULL,
	sha256     bytea NOT NULL,
	name       bytea NOT NULL,
	type       bytea NOT NULL,
	purpose    bytea NOT NULL
);
CREATE INDEX file_owner ON file (owner, id);
CREATE INDEX file_sha256 ON file (sha256);

-- What files have in them.  A row is written in one transaction with all its parts.
CREATE TABLE content (
	sha256  bytea PRIMARY KEY,
	bytes   bigint NOT NULL,
	used    bigint NOT NULL DEFAULT 0, -- 0: no file has named it yet, and it goes after an hour
	touched timestamptz NOT NULL
);
CREATE INDEX content_unused ON content (touched) WHERE used = 0;
CREATE TABLE content_part (
	sha256 bytea NOT NULL,
	n      bigint NOT NULL,
	data   bytea NOT NULL,
	PRIMARY KEY (sha256, n)
);
-- Most files are compressed already.
ALTER TABLE content_part ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE api_key (
	number       bigint PRIMARY KEY,
	id           text COLLATE "C" NOT NULL UNIQUE,
	owner        bigint NOT NULL,
	sha256       bytea NOT NULL,
	old_sha256   bytea,
	old_until_ms bigint NOT NULL DEFAULT 0,
	name         bytea NOT NULL,
	scopes       bigint NOT NULL,
	models       text,
	metadata     text,
	created_ms   bigint NOT NULL,
	expires_ms   bigint NOT NULL DEFAULT 0,
	revoked_ms   bigint NOT NULL DEFAULT 0,
	rotated_ms   bigint NOT NULL DEFAULT 0,
	used_ms      bigint NOT NULL DEFAULT 0,
	requests           bigint NOT NULL DEFAULT 0,
	requests_window_us bigint NOT NULL DEFAULT 0,
	tokens             bigint NOT NULL DEFAULT 0,
	tokens_window_us   bigint NOT NULL DEFAULT 0,
	concurrent         bigint NOT NULL DEFAULT 0,
	max_body           bigint NOT NULL DEFAULT 0,
	budget_nano        bigint NOT NULL DEFAULT 0,
	budget_tokens      bigint NOT NULL DEFAULT 0,
	budget_window_us   bigint NOT NULL DEFAULT 0
);

-- One row.  Each statement that changes keys raises the version, by which gateways notice.
CREATE TABLE api_key_change (
	id            bigint PRIMARY KEY CHECK (id = 1),
	version       bigint NOT NULL,
	ticket_secret bytea NOT NULL
);
-- 32 bytes of the server's generator of UUIDs, which is a strong one; a digest spreads their fixed bits.
INSERT INTO api_key_change (id, version, ticket_secret) VALUES
	(1, 0, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- Sessions that were ended before their time.  A session is never more than 12 hours old, so a row is of no
-- use after ends_ms.
CREATE TABLE session_ended (
	id      bigint NOT NULL,
	secret  bigint NOT NULL,
	key     text COLLATE "C" NOT NULL,
	ends_ms bigint NOT NULL,
	PRIMARY KEY (id, secret)
);
CREATE INDEX session_ended_key ON session_ended (key, ends_ms);
CREATE INDEX session_ended_ends ON session_ended (ends_ms);

CREATE TABLE budget (
	key             text COLLATE "C" PRIMARY KEY,
	began_ms        bigint NOT NULL,
	spent_nano      bigint NOT NULL,
	reserved_nano   bigint NOT NULL,
	spent_tokens    bigint NOT NULL,
	reserved_tokens bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE reservation (
	run       bigint PRIMARY KEY,
	gateway   bigint NOT NULL, -- whose call it is
	key       text COLLATE "C" NOT NULL,
	model     text NOT NULL,
	provider  text NOT NULL,
	nano      bigint NOT NULL,
	tokens    bigint NOT NULL,
	tokens_in bigint NOT NULL,
	made_ms   bigint NOT NULL
);
CREATE INDEX reservation_made ON reservation (made_ms);
CREATE INDEX reservation_gateway ON reservation (gateway);

CREATE TABLE usage_day (
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
	PRIMARY KEY (key, day, model, provider)
);
CREATE INDEX usage_day_day ON usage_day (day);

-- The words of messages and of titles.  A row's words are those of src/store/words, and such of its owner, its
-- conversation and its role, which begin with a dot.
CREATE TABLE search (
	doc          bigint PRIMARY KEY, -- twice the key of the message, or of the conversation and 1: its title
	conversation bigint NOT NULL,
	bytes        bigint NOT NULL, -- of the text
	v            tsvector NOT NULL
);
CREATE INDEX search_conversation ON search (conversation);
CREATE INDEX search_v ON search USING gin (v);
-- What is to be indexed: kind 1: the messages of a run that has ended; 2: a message; 6: a title.  What is
-- removed goes from the index at once.
CREATE TABLE search_queue (
	seq  bigint PRIMARY KEY, -- an id of the time of the note
	kind bigint NOT NULL,
	id   bigint NOT NULL
);

-- Sums of usage that are booked already: sent again, they add nothing.
CREATE TABLE usage_batch (
	gateway bigint NOT NULL,
	seq     bigint NOT NULL,
	PRIMARY KEY (gateway, seq)
);
