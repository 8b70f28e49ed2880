/* file_content: removes contents (store/blob.h) that have no row.
 *
 * The writer's thread deletes a content's last row and then removes the content, so no new row can
 * come in between.  A new row whose content was removed after blob_place is refused. */
#pragma once

#include "store/blob.h"
#include "store/sqlite/session.h"

/* file_content_settle: to be called after the commit or the rollback; removes the content if it has
 * no row, and its mark. */
void file_content_settle(struct session *s, const struct blob_name *name);
/* file_content_sweep: at start; removes contents without a row that a crash has left. */
void file_content_sweep(struct session *s);
