/* routes/conversation/tree: GET /v1/conversations/{id}/tree. */
#pragma once

struct request;

void tree_get(struct request *r, void *app);
