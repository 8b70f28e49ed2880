/* money: amounts in billionths of a currency, read from and printed as decimal numbers, without
 * floating point. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define MONEY_ONE ((int64_t)1000000000)
/* The highest amount.  It keeps all sums and products of amounts far below what 64 bits hold. */
#define MONEY_MOST ((int64_t)1000000000 * MONEY_ONE / 10)
enum { MONEY_TEXT = 24 };

/* money_read: reads "12" or "0.075": digits, with up to nine of them after a point.  False: the
 * text has another form, or is above MONEY_MOST. */
bool money_read(struct str text, int64_t *ret) MUST_USE;
/* money_read_most: money_read with another maximum. */
bool money_read_most(struct str text, int64_t most, int64_t *ret) MUST_USE;
/* money_number: reads a number as JSON has it, with an exponent or without, times 10 to the power of `tens`, to
 * the nearest billionth.  False: it is negative, above MONEY_MOST, or longer than any price. */
bool money_number(struct str text, int tens, int64_t *ret) MUST_USE;
/* money_print: prints without zeros at the end: "0.075", "12". */
const char *money_print(int64_t nano, char ret[MONEY_TEXT]);
/* money_add: a + b, but at most MONEY_MOST; both are from 0 to MONEY_MOST. */
int64_t money_add(int64_t a, int64_t b);

/* --- decimal: numbers as text, without printf. */

enum { DECIMAL_MAX = 24 };

/* decimal_int: v in decimal, written to the end of `at`, which the result borrows. */
struct str decimal_int(int64_t v, char at[DECIMAL_MAX]);
/* decimal_thousandths: the same for thousandths, with three digits after a point. */
struct str decimal_thousandths(int64_t v, char at[DECIMAL_MAX]);
