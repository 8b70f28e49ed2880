/* Builds log lines on the stack, and writes them to stderr on a thread. */
#include "base/log.h"

#include "base/money.h"
#include "base/plain.h"
#include "base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	VALUE_MAX = 1024,        /* bytes of one value before escaping; the rest is cut */
	TAIL = 16,               /* room of a line for `,"cut":true}` and the newline */
	BATCH_NS = 10 * 1000000, /* how long the writer's thread lets lines gather */
	STOP_SECONDS = 3,        /* how long log_stop waits for a stuck stderr */
};

static atomic_int log_level_now = LOG_INFO;
static atomic_int log_format_now = LOG_JSON;

/* The lines that wait for the writer's thread. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t  wake; /* the buffer became non-empty or half full, or stop was set */
	pthread_t       thread;
	/* guarded by lock: */
	char    *bytes; /* owned; LIMIT_LOG_BUFFER bytes */
	char    *spare; /* owned by the writer's thread; swapped with bytes */
	size_t   len;
	uint64_t dropped; /* lines since the last log_dropped line */
	bool     running;
	bool     stop;
} out = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- building --- */

/* The current second as text, "2026-01-31T23:59:59", which each thread prints once a second. */
static _Thread_local struct {
	time_t second;
	bool   set;
	char   text[20];
} stamp;

static void log_digits(char *at, int n, int v)
{
	while (n-- > 0) {
		at[n] = (char)('0' + v % 10);
		v /= 10;
	}
}

static void stamp_refresh(time_t second)
{
	struct tm t;

	if (!gmtime_r(&second, &t))
		return;
	memcpy(stamp.text, "0000-00-00T00:00:00", sizeof stamp.text);
	log_digits(stamp.text, 4, t.tm_year + 1900);
	log_digits(stamp.text + 5, 2, t.tm_mon + 1);
	log_digits(stamp.text + 8, 2, t.tm_mday);
	log_digits(stamp.text + 11, 2, t.tm_hour);
	log_digits(stamp.text + 14, 2, t.tm_min);
	log_digits(stamp.text + 17, 2, t.tm_sec);
	stamp.second = second;
	stamp.set = true;
}

static void log_add(struct log_line *l, const char *p, size_t n)
{
	if (n > sizeof l->bytes - TAIL - l->len) {
		l->cut = true;
		return;
	}
	memcpy(l->bytes + l->len, p, n);
	l->len += n;
}

static void log_add_text(struct log_line *l, const char *text)
{
	log_add(l, text, strlen(text));
}

static void add_stamp(struct log_line *l)
{
	struct timespec now;
	char            ms[5] = { '.', 0, 0, 0, 'Z' };

	clock_gettime(CLOCK_REALTIME, &now);
	if (!stamp.set || now.tv_sec != stamp.second)
		stamp_refresh(now.tv_sec);
	log_digits(ms + 1, 3, (int)(now.tv_nsec / 1000000));
	log_add(l, stamp.text, sizeof stamp.text - 1);
	log_add(l, ms, sizeof ms);
}

/* Adds a character of len bytes that must be escaped: a control character (C0, DEL, C1), a quote or
 * a backslash; len 0: a byte that is not UTF-8. */
static void add_escape(struct log_line *l, const unsigned char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char     c = len == 2 ? s[1] : s[0];
	char              esc[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	if (len == 0)
		log_add(l, "\\ufffd", 6);
	else if (c == '"' || c == '\\')
		log_add(l, (char[2]){ '\\', (char)c }, 2);
	else if (c == '\n')
		log_add(l, "\\n", 2);
	else
		log_add(l, esc, sizeof esc);
}

static bool log_is_harmless(const unsigned char *s, size_t len)
{
	return len > 2 || (len == 2 && !(s[0] == 0xc2 && s[1] < 0xa0));
}

static void log_add_escaped(struct log_line *l, struct str value)
{
	const unsigned char *s = (const unsigned char *)value.p;
	size_t               max = value.n < VALUE_MAX ? value.n : VALUE_MAX;
	size_t               from = 0;
	size_t               i = 0;

	for (;;) {
		i += plain_run(s + i, max - i, PLAIN_SHOWN);
		if (i >= max || l->cut)
			break;

		size_t len = utf8_len(s + i, value.n - i);

		if (!log_is_harmless(s + i, len)) {
			log_add(l, value.p + from, i - from);
			add_escape(l, s + i, len);
			from = i + (len > 0 ? len : 1);
		}
		i += len > 0 ? len : 1;
	}
	log_add(l, value.p + from, i - from);
	if (i < value.n)
		log_add_text(l, "\xe2\x80\xa6"); /* an ellipsis: the value was cut */
}

/* In text format, a value has quotes only if a reader or a tool would otherwise split it
 * wrongly. */
static bool is_bare(struct str value)
{
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];

		if (c <= 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '=')
			return false;
	}
	return value.n > 0 && value.n <= VALUE_MAX;
}

static void log_add_key(struct log_line *l, const char *key)
{
	if (l->format == LOG_JSON) {
		log_add_text(l, ",\"");
		log_add_text(l, key);
		log_add_text(l, "\":");
	} else {
		log_add_text(l, " ");
		log_add_text(l, key);
		log_add_text(l, "=");
	}
}

/* Removes the whole member that begins at `start` if it did not fit, so that the line stays
 * well-formed. */
static void log_keep_whole(struct log_line *l, size_t start, bool was_cut)
{
	if (l->cut && !was_cut)
		l->len = start;
}

/* add_plain: adds a whole member of a JSON line, whose value needs no escape.  False: it has another
 * form, or may not fit, and nothing was added. */
static inline bool add_plain(struct log_line *l, const char *key, const char *quote,
			     struct str value)
{
	size_t q = strlen(quote);
	size_t n = strlen(key);
	char  *at = l->bytes + l->len;

	if (l->format != LOG_JSON || value.n > VALUE_MAX ||
	    n + value.n + 6 > sizeof l->bytes - TAIL - l->len)
		return false;
	*at++ = ',';
	*at++ = '"';
	memcpy(at, key, n);
	at += n;
	*at++ = '"';
	*at++ = ':';
	memcpy(at, quote, q);
	if (value.n > 0)
		memcpy(at + q, value.p, value.n);
	memcpy(at + q + value.n, quote, q);
	l->len = (size_t)(at - l->bytes) + 2 * q + value.n;
	return true;
}

void log_str(struct log_line *l, const char *key, struct str value)
{
	size_t start = l->len;

	if (l->cut)
		return;
	if (plain_run((const unsigned char *)value.p, value.n, PLAIN_SHOWN) == value.n &&
	    add_plain(l, key, "\"", value))
		return;
	log_add_key(l, key);
	if (l->format == LOG_TEXT && is_bare(value)) {
		log_add(l, value.p, value.n);
	} else {
		log_add_text(l, "\"");
		log_add_escaped(l, value);
		log_add_text(l, "\"");
	}
	log_keep_whole(l, start, false);
}

static void add_number(struct log_line *l, const char *key, struct str digits)
{
	size_t start = l->len;

	if (l->cut || add_plain(l, key, "", digits))
		return;
	log_add_key(l, key);
	log_add(l, digits.p, digits.n);
	log_keep_whole(l, start, false);
}

void log_int(struct log_line *l, const char *key, int64_t v)
{
	char text[DECIMAL_MAX];

	add_number(l, key, decimal_int(v, text));
}

void log_bool(struct log_line *l, const char *key, bool v)
{
	size_t start = l->len;

	if (l->cut)
		return;
	log_add_key(l, key);
	log_add_text(l, v ? "true" : "false");
	log_keep_whole(l, start, false);
}

void log_ms(struct log_line *l, const char *key, int64_t us)
{
	char text[DECIMAL_MAX];

	add_number(l, key, decimal_thousandths(us, text));
}

void log_begin(struct log_line *l, enum log_level level, const char *event)
{
	l->len = 0;
	l->level = level;
	l->format = atomic_load_explicit(&log_format_now, memory_order_relaxed) == LOG_JSON
			    ? LOG_JSON
			    : LOG_TEXT;
	l->cut = false;
	if (l->format == LOG_JSON) {
		log_add_text(l, "{\"ts\":\"");
		add_stamp(l);
		log_add_text(l, "\",\"level\":\"");
		log_add_text(l, log_level_name(level));
		log_add_text(l, "\",\"event\":\"");
		log_add_escaped(l, str_of(event));
		log_add_text(l, "\"");
	} else {
		add_stamp(l);
		log_add_text(l, " ");
		log_add_text(l, log_level_name(level));
		log_add_text(l, " ");
		log_add_escaped(l, str_of(event));
	}
}

static void log_finish(struct log_line *l)
{
	const char *tail = l->format == LOG_JSON ? (l->cut ? ",\"cut\":true}\n" : "}\n")
						 : (l->cut ? " cut=true\n" : "\n");
	size_t      n = strlen(tail);

	memcpy(l->bytes + l->len, tail, n); /* log_add leaves TAIL bytes free */
	l->len += n;
}

/* --- writing --- */

/* Writes all bytes, and waits for stderr if necessary.  An error ends the writing silently, because
 * it can't be reported anywhere. */
static void log_write_all(const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(STDERR_FILENO, p, n);

		if (done >= 0) {
			p += done;
			n -= (size_t)done;
			continue;
		}
		if (errno == EAGAIN) {
			struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

			poll(&fd, 1, 1000);
		} else if (errno != EINTR) {
			return;
		}
	}
}

static void write_dropped(uint64_t lines)
{
	struct log_line l;

	log_begin(&l, LOG_WARN, "log_dropped");
	log_int(&l, "lines", (int64_t)lines);
	log_finish(&l);
	log_ring_put(l.bytes, l.len);
	log_write_all(l.bytes, l.len);
}

/* Waits for the first line, and then at most BATCH_NS for further ones, so that one write takes
 * many lines. */
static void gather_locked(void)
{
	struct timespec until;

	while (out.len == 0 && !out.stop)
		pthread_cond_wait(&out.wake, &out.lock);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += BATCH_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (!out.stop && out.len < LIMIT_LOG_BUFFER / 2)
		if (pthread_cond_timedwait(&out.wake, &out.lock, &until) != 0)
			return;
}

static void *log_writer(void *arg)
{
	bool more = true;

	(void)arg;
	while (more) {
		pthread_mutex_lock(&out.lock);
		gather_locked();
		char    *bytes = out.bytes;
		size_t   len = out.len;
		uint64_t dropped = out.dropped;

		out.bytes = out.spare;
		out.spare = bytes;
		out.len = 0;
		out.dropped = 0;
		more = !out.stop;
		pthread_mutex_unlock(&out.lock);

		log_ring_put(bytes, len);
		log_write_all(bytes, len);
		if (dropped > 0)
			write_dropped(dropped);
	}
	return NULL;
}

void log_set_level(enum log_level level)
{
	atomic_store_explicit(&log_level_now, (int)level, memory_order_relaxed);
}

bool log_on(enum log_level level)
{
	return (int)level <= atomic_load_explicit(&log_level_now, memory_order_relaxed);
}

void log_end(struct log_line *l)
{
	if (!log_on(l->level))
		return;
	log_finish(l);

	pthread_mutex_lock(&out.lock);
	if (!out.running) {
		pthread_mutex_unlock(&out.lock);
		log_write_all(l->bytes, l->len);
		return;
	}
	bool wake = out.len == 0;

	if (l->len > LIMIT_LOG_BUFFER - out.len) {
		out.dropped++;
	} else {
		memcpy(out.bytes + out.len, l->bytes, l->len);
		wake = wake ||
		       (out.len < LIMIT_LOG_BUFFER / 2 && out.len + l->len >= LIMIT_LOG_BUFFER / 2);
		out.len += l->len;
	}
	/* Signalled under the lock: otherwise log_stop could destroy the condition first. */
	if (wake)
		pthread_cond_signal(&out.wake);
	pthread_mutex_unlock(&out.lock);
}

void log_note(enum log_level level, const char *event, const char *fmt, ...)
{
	struct log_line l;
	char            text[VALUE_MAX + 64];
	va_list         ap;

	if (!log_on(level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	log_begin(&l, level, event);
	log_str(&l, "msg", str_of(text));
	log_end(&l);
}

/* The thread blocks all signals, which the application handles on threads of its choice. */
static bool log_start_writer(void)
{
	sigset_t all;
	sigset_t before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool ok = pthread_create(&out.thread, NULL, log_writer, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

void log_start(enum log_level level, enum log_format format)
{
	pthread_condattr_t attr;

	log_set_level(level);
	atomic_store_explicit(&log_format_now, (int)format, memory_order_relaxed);

	pthread_mutex_lock(&out.lock);
	CHECK(!out.running);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&out.wake, &attr);
	pthread_condattr_destroy(&attr);
	out.bytes = malloc(LIMIT_LOG_BUFFER);
	out.spare = malloc(LIMIT_LOG_BUFFER);
	out.len = 0;
	out.dropped = 0;
	out.stop = false;
	out.running = out.bytes && out.spare && log_start_writer();
	if (!out.running) {
		free(out.bytes);
		free(out.spare);
	}
	bool running = out.running;
	pthread_mutex_unlock(&out.lock);
	if (!running)
		log_note(LOG_WARN, "log_unbuffered",
			 "no memory or no thread for the log: whoever writes a line "
			 "waits for stderr");
}

void log_stop(void)
{
	struct timespec until;

	pthread_mutex_lock(&out.lock);
	bool was_running = out.running;

	out.running = false;
	out.stop = true;
	pthread_mutex_unlock(&out.lock);
	if (!was_running)
		return;

	pthread_cond_signal(&out.wake);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_SECONDS;
	if (pthread_timedjoin_np(out.thread, NULL, &until) != 0) {
		/* The thread hangs in write(2) and still uses the buffers, so they are not freed;
		 * the process is about to end. */
		pthread_detach(out.thread);
		return;
	}
	pthread_cond_destroy(&out.wake);
	free(out.bytes);
	free(out.spare);
}
