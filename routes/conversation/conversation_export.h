/* routes/conversation/conversation_export: GET /v1/conversations/{id}/export */
#pragma once

struct request;

void conversation_export_get(struct request *r, void *app);
