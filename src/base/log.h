/* log: writes one line for each event to stderr, as a JSON object or as text.
 *
 * A line is built on the caller's stack and copied into a buffer that a thread writes out, so the
 * hot path neither allocates nor waits for a slow stderr.  If the buffer is full, lines are only
 * counted, and a "log_dropped" line has their number.  Before log_start and after log_stop, lines
 * go straight to stderr.  Any thread.
 *
 * Never put content, keys or other secrets into a line. */
#pragma once

#include "base/base.h"
#include "base/limits.h"
#include "base/log_ring.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum log_format { LOG_JSON, LOG_TEXT };

/* log_start: starts the writer's thread.  Without memory or a thread, lines still go straight to
 * stderr, and a line "log_unbuffered" says so.  Must not be called again before log_stop. */
void log_start(enum log_level level, enum log_format format);
/* log_stop: writes the waiting lines, for at most a few seconds if stderr is stuck, and ends the
 * thread. */
void log_stop(void);
/* log_set_level: for a reload. */
void log_set_level(enum log_level level);
/* log_on: whether lines of this level are written. */
bool log_on(enum log_level level);

/* A line being built; lives on the stack from log_begin to log_end. */
struct log_line {
	char            bytes[LIMIT_LOG_LINE];
	size_t          len;
	enum log_level  level;
	enum log_format format;
	bool            cut; /* a member did not fit and was left out */
};

/* log_begin: begins a line with ts (RFC 3339, UTC, milliseconds), level and event. */
void log_begin(struct log_line *l, enum log_level level, const char *event);
/* log_str, log_int and log_bool add members.  key is a literal, which is not escaped.  Values are
 * escaped, so that no value can forge a line or a terminal sequence; bytes that are no UTF-8 become
 * U+FFFD; long values are cut. */
void log_str(struct log_line *l, const char *key, struct str value);
void log_int(struct log_line *l, const char *key, int64_t v);
void log_bool(struct log_line *l, const char *key, bool v);
/* log_ms: milliseconds with three decimals, from microseconds. */
void log_ms(struct log_line *l, const char *key, int64_t us);
/* log_end: writes the line, or drops it if its level is off. */
void log_end(struct log_line *l);

/* log_note: a line with nothing but a message (key "msg"). */
void log_note(enum log_level level, const char *event, const char *fmt, ...) PRINTF(3, 4);
