-- Uploaded files.  Their content lies beside the database, in DATABASE.files/, named by its digest;
-- rows of the same content share it, and it goes with the last of them.

CREATE TABLE file (
	id         INTEGER PRIMARY KEY,
	secret     INTEGER NOT NULL,
	owner      INTEGER NOT NULL,
	created_ms INTEGER NOT NULL,
	bytes      INTEGER NOT NULL,
	sha256     BLOB NOT NULL,
	name       TEXT NOT NULL, -- a label, never a path
	type       TEXT NOT NULL, -- media type, as the client said
	purpose    TEXT NOT NULL
) STRICT;

CREATE INDEX file_owner ON file (owner, id);
CREATE INDEX file_sha256 ON file (sha256);
