/* routes/service/openapi: the API's own description, without references outside itself; embedded at build
 * time from openapi.bundled.yaml and openapi.json. */
#pragma once

#include <stddef.h>

extern const char   openapi_yaml[];
extern const size_t openapi_yaml_len;
extern const char   openapi_json[];
extern const size_t openapi_json_len;
