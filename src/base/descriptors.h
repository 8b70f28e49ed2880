/* descriptors: the limit of this process's open descriptors. */
#pragma once

#include <stddef.h>

/* descriptors_raise: to the most that this process may have, which is returned. */
size_t descriptors_raise(void);
