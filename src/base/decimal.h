/* decimal: numbers as text, without printf. */
#pragma once

#include "base/str.h"

#include <stdint.h>

enum { DECIMAL_MAX = 24 };

/* decimal_int: v in decimal, written to the end of `at`, which the result borrows. */
struct str decimal_int(int64_t v, char at[DECIMAL_MAX]);
/* decimal_thousandths: the same for thousandths, with three digits after a point. */
struct str decimal_thousandths(int64_t v, char at[DECIMAL_MAX]);
