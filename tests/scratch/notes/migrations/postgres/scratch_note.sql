CREATE TABLE scratch_note (
	owner bigint NOT NULL,
	name  text NOT NULL,
	text  text NOT NULL,
	PRIMARY KEY (owner, name)
);
