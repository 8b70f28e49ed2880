/* routes/conversation/conversation_change: what changes a conversation without a run. */
#pragma once

struct request;

void conversation_change_create(struct request *r, void *app); /* POST /v1/conversations */
void conversation_change_update(struct request *r, void *app); /* POST /v1/conversations/{id} */
void conversation_change_delete(struct request *r, void *app); /* DELETE /v1/conversations/{id} */
void conversation_change_fork(struct request *r, void *app);   /* POST …/{id}/fork */
void conversation_change_append(struct request *r, void *app); /* POST …/{id}/items */
void conversation_change_remove(struct request *r, void *app); /* DELETE …/{id}/items/{item} */
