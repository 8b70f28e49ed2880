/* POST /v1/messages. */
#pragma once

struct request;
void messages_create_post(struct request *r, void *app);
