/* GET /v1/messages/{id}/events. */
#pragma once

struct request;
void message_events_get(struct request *r, void *app);
