/* POST /v1/messages/count_tokens. */
#pragma once

struct request;
void messages_count_post(struct request *r, void *app);
