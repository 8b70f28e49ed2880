/* routes/conversation/messages: GET /v1/conversations/{id}/messages. */
#pragma once

struct request;

void messages_list(struct request *r, void *app);
