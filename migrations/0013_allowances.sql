-- What a key may use.  0: no limit.  Times are of windows, in microseconds; a budget without one counts
-- for ever.  Money is in nano units.
ALTER TABLE api_key ADD COLUMN requests           INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN requests_window_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN tokens             INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN tokens_window_us   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN concurrent         INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN max_body           INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN budget_nano        INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN budget_tokens      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN budget_window_us   INTEGER NOT NULL DEFAULT 0;
