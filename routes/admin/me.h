/* routes/admin/me: GET /v1/me: what the asking key is and may do.  Clients that show a menu, or ask for a
 * model, need not try. */
#pragma once

struct request;

void me_get(struct request *r, void *app);
