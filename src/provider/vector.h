/* provider/vector: converts vectors between JSON arrays of numbers and base64 of float32, little
 * endian. Internal to provider/. */
#pragma once

#include "base/buf.h"

enum vector {
	VECTOR_OK,
	VECTOR_BAD,  /* a number is beyond float32, or not finite */
	VECTOR_FULL, /* out is full */
};

/* vector_is_base64: whether text is strict base64 of one float or more. */
bool vector_is_base64(struct str text);
/* vector_is_finite: whether all numbers are finite as float32. numbers: a JSON array of numbers
 * that a scanner has checked. */
bool vector_is_finite(struct str numbers);
/* vector_encode: appends such an array as base64, without quotes. */
enum vector vector_encode(struct str numbers, struct buf *out) MUST_USE;
/* vector_decode: appends a JSON array of numbers. base64: a text that vector_is_base64 accepts. */
enum vector vector_decode(struct str base64, struct buf *out) MUST_USE;
/* vector_put: appends n floats as a JSON value: a string of base64, or an array. */
enum vector vector_put(const float *v, size_t n, bool base64, struct buf *out) MUST_USE;
