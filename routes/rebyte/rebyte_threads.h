/* routes/rebyte/rebyte_threads: reads threads and their messages. */
#pragma once

struct request;

void rebyte_threads_get(struct request *r, void *app);      /* GET /api/sdk/threads/{id} */
void rebyte_threads_list(struct request *r, void *app);     /* GET /api/sdk/threads */
void rebyte_threads_message(struct request *r, void *app);  /* GET …/{id}/messages/{message} */
void rebyte_threads_messages(struct request *r, void *app); /* GET …/{id}/messages */
