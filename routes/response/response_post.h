/* routes/response/response_post: POST /v1/responses. */
#pragma once

struct request;

void response_post(struct request *r, void *app);
