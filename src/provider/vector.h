/* provider/vector: converts vectors between JSON arrays of numbers and base64 of float32, little
 * endian. Internal to provider/. */
#pragma once

#include "base/buf.h"

enum vector {
	VECTOR_OK,
	VECTOR_BAD,  /* a number is beyond float32, or not finite */
	VECTOR_FULL, /* out is */
};

/* vector_is_base64: one float or more, in strict base64. */
bool vector_is_base64(struct str text);
/* vector_is_finite: all numbers of a JSON array, checked by a scanner, are finite as float32. */
bool vector_is_finite(struct str numbers);
/* vector_encode: a JSON array of numbers, checked by a scanner, as base64 without quotes. */
enum vector vector_encode(struct str numbers, struct buf *out) MUST_USE;
/* vector_decode: what vector_is_base64 took, as a JSON array. */
enum vector vector_decode(struct str base64, struct buf *out) MUST_USE;
/* vector_put: n floats as a JSON value of either form. */
enum vector vector_put(const float *v, size_t n, bool base64, struct buf *out) MUST_USE;
