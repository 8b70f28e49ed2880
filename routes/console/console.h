/* routes/console/console: the pages of the web console. */
#pragma once

#include <stdbool.h>

struct request;

/* console_built: whether this build has the console. */
bool console_built(void);

void console_root(struct request *r, void *app);  /* GET / */
void console_page(struct request *r, void *app);  /* GET /console, /console/ */
void console_asset(struct request *r, void *app); /* GET /console/a/{name} */
