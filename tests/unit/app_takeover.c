/* Messages between two processes, where the other one does not read. */
#include "app/internal.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

/* Cancels of runs that nobody knows go there too, from the loops: none of them may wait. */
static void a_cancel_waits_for_nobody(void **state)
{
	struct timeval t = { .tv_sec = 40 }; /* what one that waits would take, of a thousand */
	int            pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
	int64_t begun = clock_mono_us();
	for (int i = 0; i < 1000; i++)
		takeover_cancel(pair[0], id_new(), 1);
	assert_true(clock_mono_us() - begun < 20 * 1000 * 1000);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_cancel_waits_for_nobody) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
