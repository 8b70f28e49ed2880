/* app_copy: parley copy: moves everything from one database to an empty one. */
#pragma once

struct config;

/* app_copy: c: names the bucket of either database.  Returns the exit status; has said what was copied, or what was wrong. */
int app_copy(const struct config *c, const char *from, const char *to);
