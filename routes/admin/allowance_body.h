/* routes/admin/allowance_body: limits and budgets of keys, from JSON and to it. */
#pragma once

#include "base/allowance.h"
#include "json/input.h"

/* Each fills its part of *ret; `at` is an object.  Errors: those of fields_read, INVALID_VALUE. */
enum errc allowance_body_limits(struct input *in, json_at at, struct allowance *ret,
				struct err *e) MUST_USE;
enum errc allowance_body_budget(struct input *in, json_at at, struct allowance *ret,
				struct err *e) MUST_USE;
struct value;

/* allowance_body_limits_value, allowance_body_budget_value: as the admin routes tell them, owned; a JSON
 * null where there are none.  NULL: no memory. */
struct value *allowance_body_limits_value(const struct allowance *a) MUST_USE;
struct value *allowance_body_budget_value(const struct allowance *a) MUST_USE;
