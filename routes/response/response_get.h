/* routes/response/response_get: GET and DELETE /v1/responses/{id}. */
#pragma once

struct request;

void response_get(struct request *r, void *app);
void response_get_delete(struct request *r, void *app);
