/* Alerts that stand are in the process's list; their beginnings and ends are sent, one message at a time. */
#include "app/internal.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "upstream/upstream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUEUE = 64, BODY = 768, TRIES = 8, SECOND_US = 1000 * 1000 };

static const struct upstream_limits limits = {
	.first_byte_us = 10 * SECOND_US,
	.idle_us = 10 * SECOND_US,
	.total_us = 20 * SECOND_US,
};

struct alerts {
	struct gateway         *gateway; /* borrowed */
	struct upstream_target *target;  /* owned; NULL: nobody is told */
	struct upstream_call   *call;    /* NULL: none is on its way */
	struct timer            again;
	int                     status;
	unsigned                tries; /* to send the first message */
	size_t                  count; /* messages, the first one included */
	bool                    full;  /* true: logged already */
	char                    bodies[QUEUE][BODY];
};

/* --- sending --- */

static void alert_send(struct alerts *x);

/* alert_over: the first message was taken, or is given up. */
static void alert_over(struct alerts *x)
{
	x->count--;
	x->tries = 0;
	memmove(x->bodies[0], x->bodies[1], x->count * BODY);
	x->full = false;
}

static void alert_failed(struct alerts *x, const char *why)
{
	if (x->tries == 1 || x->tries == TRIES)
		log_note(LOG_WARN, "alert", "the webhook does not take an alert (try %u of %d): %s",
			 x->tries, TRIES, why);
	if (x->tries == TRIES)
		alert_over(x);
	if (x->count > 0)
		timer_start(x->gateway->loop, &x->again, (int64_t)SECOND_US << x->tries);
}

static void alert_on_head(void *arg, int status, const char *content_type, int64_t retry_after_ms)
{
	(void)content_type;
	(void)retry_after_ms;
	((struct alerts *)arg)->status = status;
}

static bool alert_on_data(void *arg, const char *bytes, size_t len)
{
	(void)arg;
	(void)bytes;
	(void)len;
	return true;
}

static void alert_on_done(void *arg, const struct err *e)
{
	struct alerts *x = arg;
	char           why[64];

	x->call = NULL;
	snprintf(why, sizeof why, "status %d", x->status);
	if (e->code != ERR_OK) {
		alert_failed(x, err_code_wire(e->code));
	} else if (x->status < 200 || x->status > 299) {
		alert_failed(x, why);
	} else {
		alert_over(x);
		if (x->count > 0)
			timer_start(x->gateway->loop, &x->again, 0);
	}
}

static void alert_send(struct alerts *x)
{
	static const struct upstream_callbacks callbacks = { alert_on_head, alert_on_data,
							     alert_on_done };
	struct err                             e;

	if (x->call || x->count == 0)
		return;
	timer_stop(x->gateway->loop, &x->again);
	x->status = 0;
	x->tries++;
	if (upstream_start(x->gateway->upstreams, x->target,
			   &(struct upstream_ask){ .body = str_of(x->bodies[0]) }, &limits,
			   &callbacks, x, &x->call, &e) != ERR_OK)
		alert_failed(x, err_code_wire(e.code));
}

static void alert_on_again(struct timer *t)
{
	alert_send(container_of(t, struct alerts, again));
}

/* alert_tell: queues a message; what does not fit is counted by the log alone. */
static void alert_tell(struct alerts *x, const char *type, const struct process_alert *a)
{
	struct buf body;

	log_note(LOG_WARN, "alert", "%s: %s", type, a->text);
	if (!x->target)
		return;
	if (x->count == QUEUE) {
		if (!x->full)
			log_note(LOG_WARN, "alert",
				 "%d alerts wait for the webhook; further ones are left out",
				 QUEUE);
		x->full = true;
		return;
	}
	buf_init(&body, BODY - 1);
	if (buf_fmt(&body, "{\"object\":\"alert\",\"type\":\"%s\",\"at\":%lld,\"subject\":", type,
		    (long long)(clock_wall_ms() / 1000)) &&
	    (a->subject[0] ? buf_json_string(&body, str_of(a->subject))
			   : buf_text(&body, "null")) &&
	    buf_text(&body, ",\"text\":") && buf_json_string(&body, str_of(a->text)) &&
	    buf_text(&body, ",\"version\":\"" PARLEY_VERSION "\"}")) {
		str_copy(x->bodies[x->count++], BODY, buf_view(&body));
		if (x->count == 1)
			alert_send(x);
	}
	buf_finish(&body);
}

/* --- what stands --- */

void alert_set(struct alerts *x, const struct alert_kind *kind, const char *subject, int64_t window,
	       const char *fmt, ...)
{
	struct process_alert a = { .type = kind->begins, .window = window };
	va_list              ap;

	str_copy(a.subject, sizeof a.subject, str_of(subject));
	va_start(ap, fmt);
	vsnprintf(a.text, sizeof a.text, fmt, ap);
	va_end(ap);
	a.at_s = clock_wall_ms() / 1000;
	if (process_alert_add(x->gateway->process, &a))
		alert_tell(x, a.type, &a);
}

void alert_clear(struct alerts *x, const struct alert_kind *kind, const char *subject)
{
	struct process_alert a;

	if (!process_alert_remove(x->gateway->process, kind->begins, subject, &a) || !kind->ends)
		return;
	snprintf(a.text, sizeof a.text, "%s%s%s", kind->well, subject[0] ? " " : "", subject);
	alert_tell(x, kind->ends, &a);
}

/* --- birth and death --- */

static enum errc alert_target(const char *url, const char *token, struct upstream_target **ret,
			      struct err *e)
{
	char        line[1024];
	const char *lines[] = { line };
	int         n = snprintf(line, sizeof line, "Authorization: Bearer %s", token ? token : "");

	if (n < 0 || (size_t)n >= sizeof line)
		return err_set(e, ERR_INVALID_VALUE, app_about_alert, "is too long");
	enum errc rc = upstream_target_create(
		&(struct upstream_target_options){ .name = "alerts",
						   .url = url,
						   .headers = lines,
						   .header_count = token ? 1 : 0,
						   .connect_us = 5 * SECOND_US },
		ret, e);
	explicit_bzero(line, sizeof line);
	if (rc != ERR_OK)
		memcpy(e->path, "alert_url",
		       sizeof "alert_url"); /* not the base_url of a provider */
	return rc;
}

enum errc alerts_create(struct gateway *g, const char *url, const char *token, struct alerts **ret,
			struct err *e)
{
	struct alerts *x = calloc(1, sizeof *x);
	enum errc      rc = ERR_OK;

	if (!x)
		return err_set(e, ERR_INTERNAL, "", "out of memory");
	x->gateway = g;
	x->again.fn = alert_on_again;
	if (url)
		rc = alert_target(url, token, &x->target, e);
	if (rc != ERR_OK) {
		free(x);
		return rc;
	}
	*ret = x;
	return ERR_OK;
}

void alerts_destroy(struct alerts *x)
{
	if (!x)
		return;
	timer_stop(x->gateway->loop, &x->again);
	if (x->call)
		upstream_cancel(x->call);
	upstream_target_destroy(x->target);
	free(x);
}
