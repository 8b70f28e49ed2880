/* routes/rebyte/rebyte_change: creates and changes threads, and adds messages to them. */
#pragma once

struct request;

void rebyte_change_create(struct request *r, void *app);  /* POST /api/sdk/threads */
void rebyte_change_update(struct request *r, void *app);  /* POST /api/sdk/threads/{id} */
void rebyte_change_append(struct request *r, void *app);  /* POST …/{id}/messages */
void rebyte_change_message(struct request *r, void *app); /* POST …/{id}/messages/{message} */
