/* routes/conversation/conversations: GET /v1/conversations/{id}, its items and one of them. */
#pragma once

struct request;

void conversations_get(struct request *r, void *app);
void conversations_items(struct request *r, void *app);
/* conversations_input_items: GET /v1/responses/{id}/input_items: the same list, of the messages that
 * one response brought. */
void conversations_input_items(struct request *r, void *app);
void conversations_item(struct request *r, void *app);
