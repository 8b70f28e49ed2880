/* Arenas: aligned, zeroed, apart from each other, and bounded. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void pieces_are_aligned_zeroed_and_apart(void **state)
{
	(void)state;
	enum { PIECES = 200 };
	unsigned char *piece[PIECES];
	struct arena   a;

	arena_init(&a, 1 << 20);
	for (size_t i = 0; i < PIECES; i++) {
		size_t n = i * 13 % 97 + 1;

		piece[i] = arena_alloc(&a, n);
		assert_non_null(piece[i]);
		assert_int_equal((uintptr_t)piece[i] % alignof(max_align_t), 0);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(piece[i][k], 0);
		memset(piece[i], (int)i, n);
	}
	for (size_t i = 0; i < PIECES; i++)
		assert_int_equal(piece[i][i * 13 % 97], (unsigned char)i);
	arena_finish(&a);
}

static void nothing_is_handed_out_past_the_maximum(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, 100);
	assert_null(arena_alloc(&a, 101));
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_non_null(arena_alloc(&a, 64));
	assert_null(arena_alloc(&a, 37));
	assert_non_null(arena_alloc(&a, 36));
	assert_null(arena_alloc(&a, 1));
	arena_finish(&a);
	arena_init(&a, 0);
	assert_null(arena_alloc(&a, 1));
	arena_finish(&a);
}

static void a_given_piece_of_memory_is_used_first_and_never_freed(void **state)
{
	(void)state;
	alignas(max_align_t) char own[512];
	struct arena              a;
	size_t                    inside = 0;

	arena_init_in(&a, 1 << 20, own, sizeof own);
	for (size_t i = 0; i < 100; i++) {
		char *p = arena_alloc(&a, 32);

		assert_non_null(p);
		memset(p, (int)i, 32);
		inside += p >= own && p + 32 <= own + sizeof own;
	}
	assert_true(inside >= 14); /* all but the arena's own few bytes */
	arena_finish(&a);
	memset(own, 0, sizeof own);
	assert_non_null(arena_alloc(&a, 32)); /* the memory is the caller's again */
	for (size_t i = 0; i < sizeof own; i++)
		assert_int_equal(own[i], 0);
	arena_finish(&a);
}

static void texts_stand_side_by_side_and_what_follows_is_aligned(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, 1 << 20);
	struct str first = arena_str(&a, STR("abc"));
	struct str second = arena_str(&a, STR_NONE);
	struct str third = arena_str(&a, STR("d"));
	char      *rest = arena_alloc(&a, 8);

	assert_true(first.p && second.p && third.p && rest);
	assert_ptr_equal(second.p, first.p + 4);
	assert_ptr_equal(third.p, second.p + 1);
	assert_int_equal((uintptr_t)rest % alignof(max_align_t), 0);
	assert_true(rest >= third.p + 2);
	assert_string_equal(first.p, "abc");
	assert_string_equal(second.p, "");
	assert_string_equal(third.p, "d");
	arena_finish(&a);
}

static void a_piece_larger_than_a_block_has_its_own(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, 1 << 20);
	for (size_t n = 1; n <= 1 << 16; n *= 4) {
		char *p = arena_alloc(&a, n);

		assert_non_null(p);
		p[0] = p[n - 1] = 'x';
	}
	arena_finish(&a);
}

static void a_copy_of_a_string_ends_in_nul(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, 1000);
	struct str s = arena_str(&a, (struct str){ "abcdef", 3 });
	assert_true(str_is(s, "abc"));
	assert_int_equal(s.p[3], '\0');
	s = arena_str(&a, STR_NONE);
	assert_non_null(s.p);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.p[0], '\0');
	arena_finish(&a);

	arena_init(&a, 3);
	assert_null(arena_str(&a, STR("abc")).p);
	arena_finish(&a);
}

static void a_finished_arena_starts_over(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, 64);
	for (int i = 0; i < 3; i++) {
		assert_non_null(arena_alloc(&a, 64));
		assert_null(arena_alloc(&a, 1));
		arena_finish(&a);
	}
	arena_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
		cmocka_unit_test(nothing_is_handed_out_past_the_maximum),
		cmocka_unit_test(a_given_piece_of_memory_is_used_first_and_never_freed),
		cmocka_unit_test(texts_stand_side_by_side_and_what_follows_is_aligned),
		cmocka_unit_test(a_piece_larger_than_a_block_has_its_own),
		cmocka_unit_test(a_copy_of_a_string_ends_in_nul),
		cmocka_unit_test(a_finished_arena_starts_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
