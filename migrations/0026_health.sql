-- Changes of the health of providers, for 30 days.  The state holds until the provider's next row.
CREATE TABLE provider_health (
	provider TEXT NOT NULL, -- its name in the configuration
	at_ms    INTEGER NOT NULL,
	state    TEXT NOT NULL, -- fine, cooling, open or dead_key
	PRIMARY KEY (provider, at_ms)
) STRICT, WITHOUT ROWID;
