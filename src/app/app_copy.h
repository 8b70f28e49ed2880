/* app_copy: parley copy: moves everything from one database to an empty one. */
#pragma once

/* app_copy: returns the exit status; has said what was copied, or what was wrong. */
int app_copy(const char *from, const char *to);
