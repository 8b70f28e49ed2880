/* routes/conversations: GET /v1/conversations/{id} and its items. */
#pragma once

struct request;

void conversations_get(struct request *r, void *app);
void conversations_items(struct request *r, void *app);
