/* file_content: what becomes of contents (store/blob.h) whose rows come and go.
 *
 * A content loses its last row and is removed on the writer's one thread, so no other row can come
 * between; a row whose content was removed since it was placed is refused. */
#pragma once

#include "store/blob.h"
#include "store/sqlite/session.h"

/* file_content_settle: after the commit or the rollback: removes a content that has no row. */
void file_content_settle(struct session *s, const struct blob_name *name);
/* file_content_sweep: at start, what a crash left. */
void file_content_sweep(struct session *s);
