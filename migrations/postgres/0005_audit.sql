-- Who did what to which object (../0023_audit.sql).
CREATE TABLE audit (
	id      bigint NOT NULL,
	secret  bigint NOT NULL,
	at_ms   bigint NOT NULL,
	actor   text COLLATE "C" NOT NULL,
	session text,
	address text,
	action  text COLLATE "C" NOT NULL,
	object  text COLLATE "C",
	request text,
	PRIMARY KEY (id, secret)
);
CREATE INDEX audit_actor ON audit (actor, id);
CREATE INDEX audit_object ON audit (object, id);
