/* upstream/probe: one blocking GET of the gateway's own listener, for the command `parley
 * health`. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

enum { PROBE_BODY = 512 };

/* probe_get: http://ADDRESS/PATH, or https:// with tls (a certificate of whatever name, as it is our own
 * listener; unix sockets speak no TLS), with the address as `listen` has it: HOST:PORT, [V6]:PORT or
 * unix:PATH; where that means any address, loopback is asked.  The answer's status, and its body's
 * beginning, printable.
 * Errors: INVALID_VALUE (no address that can be asked), UPSTREAM_CONNECT (no answer in timeout_ms). */
enum errc probe_get(const char *address, bool tls, const char *path, long timeout_ms,
		    long *ret_status, char ret_body[PROBE_BODY], struct err *e) MUST_USE;
