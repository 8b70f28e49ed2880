/* routes/conversation/conversations: GET /v1/conversations/{id}, its items and one of them. */
#pragma once

struct request;

void conversations_get(struct request *r, void *app);
void conversations_items(struct request *r, void *app);
void conversations_item(struct request *r, void *app);
