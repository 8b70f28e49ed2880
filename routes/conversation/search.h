/* routes/conversation/search: full text over the messages of the caller. */
#pragma once

struct request;

void search_get(struct request *r, void *app); /* GET /v1/search?q= */
