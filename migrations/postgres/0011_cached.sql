-- Answers that equal requests of the same owner are given again (../0029_cached.sql).
CREATE TABLE cached (
	id         bigint PRIMARY KEY,
	secret     bigint NOT NULL,
	owner      bigint NOT NULL,
	key        text COLLATE "C" NOT NULL,
	digest     bytea NOT NULL,
	began_ms   bigint NOT NULL,
	created_ms bigint NOT NULL,
	expires_ms bigint NOT NULL,
	stream     bigint NOT NULL,
	apart      bigint NOT NULL,
	nano       bigint NOT NULL,
	size       bigint NOT NULL,
	body       bytea NOT NULL
);

CREATE UNIQUE INDEX cached_digest ON cached (owner, digest);
CREATE INDEX cached_expiry ON cached (expires_ms);
CREATE INDEX cached_key ON cached (key);

CREATE TABLE cached_clear (
	name  text COLLATE "C" PRIMARY KEY,
	at_ms bigint NOT NULL
);

-- What was added and removed since somebody made one row of them: no two transactions wait for the same one.
CREATE TABLE cached_size (
	bytes bigint NOT NULL
);

CREATE FUNCTION cached_weigh() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO cached_size SELECT sum(size) FROM fresh HAVING count(*) > 0;
	ELSIF TG_OP = 'UPDATE' THEN
		INSERT INTO cached_size SELECT (SELECT sum(size) FROM fresh) - sum(size) FROM gone HAVING count(*) > 0;
	ELSE
		INSERT INTO cached_size SELECT -sum(size) FROM gone HAVING count(*) > 0;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER cached_add AFTER INSERT ON cached REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION cached_weigh();
CREATE TRIGGER cached_change AFTER UPDATE ON cached REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION cached_weigh();
CREATE TRIGGER cached_remove AFTER DELETE ON cached REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION cached_weigh();

CREATE FUNCTION cached_forget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM cached c USING gone WHERE c.id = gone.id;
	RETURN NULL;
END $$;
CREATE TRIGGER cached_run AFTER DELETE ON run REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION cached_forget();
