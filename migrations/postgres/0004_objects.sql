-- Contents of files in a bucket (src/store/postgres/objects.h).

-- 0: the database has the content; otherwise the number of its object.
ALTER TABLE content ADD COLUMN place bigint NOT NULL DEFAULT 0;

-- Objects that no content has: those that are being written, and those that are to be removed.
CREATE TABLE content_object (
	number bigint PRIMARY KEY, -- random; no other object ever gets the same one
	sha256 bytea NOT NULL,
	gone   bigint NOT NULL, -- 1: somebody may be removing the object, and no content may take it
	after  timestamptz NOT NULL -- when the object is removed, or that is tried again
);
CREATE INDEX content_object_after ON content_object (after);
