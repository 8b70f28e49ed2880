/* parley health: asks whether the gateway of this configuration takes requests, for probes without
 * their own HTTP client, as in a container. */
#include "command/command.h"

#include "base/limits.h"
#include "upstream/upstream.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMEOUT_MS = 4000 }; /* below the usual time limit of probes, which is 5 s and more */

static bool health_ready(const char *address, bool tls)
{
	char       body[PROBE_BODY];
	long       status = 0;
	struct err e;

	if (probe_get(address, tls, "/readyz", TIMEOUT_MS, &status, body, &e) != ERR_OK)
		fprintf(stderr, "parley: %s\n", e.text);
	else if (status != 200)
		fprintf(stderr, "parley: %s is not ready: %ld %s\n", address, status, body);
	else
		return printf("%s is ready\n", address) >= 0;
	return false;
}

int command_health(const struct command_call *call)
{
	/* All listeners belong to one gateway, so any of them can be asked. */
	bool tls = call->config->tls_cert[0] != '\0';
	return health_ready(call->config->listen.items[0], tls) ? EXIT_SUCCESS : EXIT_FAILURE;
}
