/* routes/conversation/conversation_list: GET /v1/conversations. */
#pragma once

struct request;

void conversation_list_get(struct request *r, void *app);
