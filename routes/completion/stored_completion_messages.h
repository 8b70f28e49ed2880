/* routes/completion/stored_completion_messages: GET /v1/chat/completions/{id}/messages. */
#pragma once

struct request;

void stored_completion_messages_list(struct request *r, void *app);
