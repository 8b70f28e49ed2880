/* routes/service/models: GET /v1/models and /v1/models/{id}. */
#pragma once

struct request;

void models_list(struct request *r, void *app);
void models_get(struct request *r, void *app);
