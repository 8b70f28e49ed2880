/* routes/admin/session: /v1/session: a key is exchanged for a token that dies by itself, and a session
 * is ended. */
#pragma once

struct request;

void session_create_post(struct request *r, void *app); /* POST */
void session_delete(struct request *r, void *app);      /* DELETE */
