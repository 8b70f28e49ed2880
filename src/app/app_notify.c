/* Datagrams to the socket that NOTIFY_SOCKET names: without libsystemd, which is large. */
#include "app/internal.h"

#include "base/base.h"
#include "base/clock.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void app_notify(const char *state)
{
	const char        *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t             n = path ? strlen(path) : 0;

	if (n < 2 || n >= sizeof a.sun_path || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(a.sun_path, path, n);
	if (a.sun_path[0] == '@') /* Linux' abstract names */
		a.sun_path[0] = '\0';

	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* Without a receiver, the gateway serves all the same. */
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

void app_notify_reloading(void)
{
	char text[64];

	snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)clock_mono_us());
	app_notify(text);
}

int app_notify_pause_ms(void)
{
	const char *us = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	long long   n = us ? strtoll(us, NULL, 10) : 0;

	if (n <= 0 || !getenv("NOTIFY_SOCKET") || (pid && strtol(pid, NULL, 10) != (long)getpid()))
		return -1;
	n /= 2000;
	return n < 1 ? 1 : n > 3600000 ? 3600000 : (int)n;
}
