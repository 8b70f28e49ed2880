/* log: one line per happening to stderr, as a JSON object or as text.
 *
 * A line is built on the caller's stack and copied into a buffer that a thread writes out, so the
 * hot path neither allocates nor waits for a slow stderr.  Lines that find the buffer full are
 * counted; a "log_dropped" line says how many.  Before log_start and after log_stop lines go
 * straight to stderr.  Any thread.
 *
 * Never put content, keys or other secrets into a line. */
#pragma once

#include "base/base.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_JSON, LOG_TEXT };

/* log_start: starts the writer's thread.  If there is no memory or no thread to be had, lines go on
 * straight to stderr, and the first one, "log_unbuffered", says so.  Once at a time. */
void log_start(enum log_level level, enum log_format format);
/* log_stop: writes what waits (a stuck stderr is given up after a few seconds), ends the thread. */
void log_stop(void);
/* log_set_level: for a reload. */
void log_set_level(enum log_level level);
/* log_on: would a line of this level be written? */
bool log_on(enum log_level level);

/* A line being built; lives on the stack from log_begin to log_end. */
struct log_line {
	char            bytes[LIMIT_LOG_LINE];
	size_t          len;
	enum log_level  level;
	enum log_format format;
	bool            cut; /* a member did not fit and was left out */
};

/* log_begin: ts (RFC 3339, UTC, milliseconds), level and event come first. */
void log_begin(struct log_line *l, enum log_level level, const char *event);
/* Members.  key is a literal of ours (not escaped).  Values are escaped, so that none can forge a
 * line or a terminal sequence; bytes that are no UTF-8 become U+FFFD; long values are cut. */
void log_str(struct log_line *l, const char *key, struct str value);
void log_int(struct log_line *l, const char *key, int64_t v);
void log_bool(struct log_line *l, const char *key, bool v);
/* log_ms: milliseconds with three decimals, from microseconds. */
void log_ms(struct log_line *l, const char *key, int64_t us);
/* log_end: hands the line on, or drops it when its level is off. */
void log_end(struct log_line *l);

/* log_note: a line with nothing but a message (key "msg"). */
void log_note(enum log_level level, const char *event, const char *fmt, ...) PRINTF(3, 4);
