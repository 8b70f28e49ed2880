/* row: a statement's row, for the functions of cell.h. */
#pragma once

#include "store/sql/cell.h"
#include "store/sqlite/kit/db.h"

/* row_of: the row that st is on. */
struct row row_of(sqlite3_stmt *st);
