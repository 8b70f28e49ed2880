-- Who did what to which object: changes of API keys, sessions, deletions, approvals.  Never a secret, never
-- content.  A row is written in the transaction of its act.
CREATE TABLE audit (
	id      INTEGER NOT NULL, -- of the time of the act; processes may make the same one
	secret  INTEGER NOT NULL,
	at_ms   INTEGER NOT NULL,
	actor   TEXT NOT NULL,    -- key_…, config:N, nobody (a gateway without keys) or program
	session TEXT,             -- the actor's, if a token stood for the key
	address TEXT,             -- the client's; NULL: not known
	action  TEXT NOT NULL,    -- key.create, conversation.delete, …
	object  TEXT,             -- the id of what was acted on
	request TEXT,             -- the request's id, which its line in the log has too
	PRIMARY KEY (id, secret)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_actor ON audit (actor, id);
CREATE INDEX audit_object ON audit (object, id);
