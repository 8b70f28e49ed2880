/* money: amounts in thousand-millionths of a currency, read from and written as decimals; no floats. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define MONEY_ONE ((int64_t)1000000000)
/* No sum or product of ours gets anywhere near what 64 bits hold. */
#define MONEY_MOST ((int64_t)1000000000 * MONEY_ONE / 10)
enum { MONEY_TEXT = 24 };

/* money_read: "12", "0.075"; up to nine digits behind the point, and nothing else but digits.  False:
 * it is none, or above MONEY_MOST. */
bool money_read(struct str text, int64_t *ret) MUST_USE;
/* money_read_most: the same with another maximum. */
bool money_read_most(struct str text, int64_t most, int64_t *ret) MUST_USE;
/* money_print: without zeros at the end: "0.075", "12". */
const char *money_print(int64_t nano, char ret[MONEY_TEXT]);
/* money_add: a + b, or MONEY_MOST; both from 0 to that. */
int64_t money_add(int64_t a, int64_t b);
