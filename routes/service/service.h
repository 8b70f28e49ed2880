/* routes/service/service: health and the API's own description. */
#pragma once

struct request;

void service_livez(struct request *r, void *app);
void service_readyz(struct request *r, void *app);
void service_openapi_yaml(struct request *r, void *app);
void service_openapi_json(struct request *r, void *app);
