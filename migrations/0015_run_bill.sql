-- What a run is asked for, while it goes on: so that whoever finds it without an end, after a crash, can
-- estimate what it has cost and book that where it belongs.  All NULL once it has ended.
ALTER TABLE run ADD COLUMN bill_key TEXT;      -- as logs name it; empty: without a key
ALTER TABLE run ADD COLUMN bill_model TEXT;    -- the configured name, with its star
ALTER TABLE run ADD COLUMN bill_in INTEGER;    -- the prompt in bytes, media in tokens
ALTER TABLE run ADD COLUMN bill_price_in INTEGER;  -- for a million tokens; NULL: there is no price
ALTER TABLE run ADD COLUMN bill_price_out INTEGER;
