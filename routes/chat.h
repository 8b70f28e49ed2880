/* routes/chat: POST /v1/chat. */
#pragma once

struct request;

void chat_post(struct request *r, void *app);
