/* For tests that ask malloc for more than there is: the sanitizers end a program there, unless they are
 * told to answer as malloc does.  Each of them asks the program for its options by a function of its own
 * (sanitizer_common/sanitizer_flags). */
#pragma once

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}
