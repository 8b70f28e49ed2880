/* routes/admin/admin_keys: API keys are listed, made, changed, revoked and rotated; on the admin listener. */
#pragma once

struct request;

void admin_keys_list(struct request *r, void *app);
void admin_keys_get(struct request *r, void *app);
void admin_keys_create(struct request *r, void *app);
void admin_keys_update(struct request *r, void *app);
void admin_keys_revoke(struct request *r, void *app);
void admin_keys_rotate(struct request *r, void *app);
