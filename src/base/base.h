/* The whole macro vocabulary of the project, and the one crash function that CHECK calls. */
#pragma once

#include <stddef.h>

#define MUST_USE     __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#define NORETURN     __attribute__((noreturn))
#define ARRAY_LEN(a) (sizeof(a) / sizeof *(a))

/* CHECK: logs the expression and aborts if it is false.  For Parley's own bugs, never for input. */
#define CHECK(cond) ((cond) ? (void)0 : check_failed(#cond, __FILE__, __LINE__))
NORETURN void check_failed(const char *expr, const char *file, int line);

/* TAKE(p): the value of the owned pointer p, which becomes NULL: ownership moves to the taker. */
#define TAKE(p)                             \
	__extension__({                     \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

/* OWNED(buf) b = ...;  calls buf_destroy(b) when the scope ends.  OWNABLE(buf) stands once after
 * the declaration of buf_destroy. */
#define OWNED(T) __attribute__((cleanup(T##_cleanup_))) struct T *
#define OWNABLE(T)                                         \
	static inline void T##_cleanup_(struct T **owned_) \
	{                                                  \
		T##_destroy(*owned_);                      \
	}                                                  \
	struct T

/* container_of: the struct around an embedded member. */
#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))
