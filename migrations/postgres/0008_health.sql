-- Changes of the health of providers (../0026_health.sql), as any gateway has seen them.
CREATE TABLE provider_health (
	provider text COLLATE "C" NOT NULL,
	at_ms    bigint NOT NULL,
	state    text NOT NULL,
	PRIMARY KEY (provider, at_ms)
);
