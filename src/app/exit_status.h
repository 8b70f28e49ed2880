/* exit_status: what a command ends with when its database can't be used, the same for all. */
#pragma once

#include "base/err.h"

/* exit_status_of_store: of an error STORAGE that opening, making or using the database gave. */
int exit_status_of_store(const struct err *e);
