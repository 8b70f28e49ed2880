/* routes/conversation/conversation_import: POST /v1/conversations/import */
#pragma once

struct request;

void conversation_import_post(struct request *r, void *app);
