-- What tickets for the events of runs are signed with: made once, and the same for all processes.
ALTER TABLE api_key_change ADD COLUMN ticket_secret BLOB NOT NULL DEFAULT x'';
UPDATE api_key_change SET ticket_secret = randomblob(32);
