-- What became of the attempts of a run: a JSON array of arrays (src/msg/attempt_log.h).  NULL: the run is
-- older, or was cut off by a kill before anything was noted.
ALTER TABLE run ADD COLUMN attempt_log TEXT;
-- From now on bill_key stays when a run ends: it says whose run it was.
