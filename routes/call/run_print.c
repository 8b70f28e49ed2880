/* Prints the run object, from the store or from a live run that is not stored. */
#include "routes/call/run_print.h"

#include "base/money.h"
#include "routes/call/attempt_print.h"
#include "shape/encoders.h"
#include "store/run.h"

static bool run_print_put_id(struct buf *out, const char *key, struct id id, const char *prefix)
{
	char text[ID_MAX];

	if (id_none(id))
		return buf_fmt(out, ",\"%s\":null", key);
	id_text(id, prefix, text);
	return buf_fmt(out, ",\"%s\":\"%s\"", key, text);
}

static bool run_print_put_text(struct buf *out, const char *key, struct str s)
{
	if (!buf_fmt(out, ",\"%s\":", key))
		return false;
	return s.n > 0 ? buf_json_string(out, s) : buf_text(out, "null");
}

/* Some words are stored escaped, as events have them. */
static bool run_print_put_word(struct buf *out, const char *key, struct str escaped)
{
	if (escaped.n == 0)
		return buf_fmt(out, ",\"%s\":null", key);
	return buf_fmt(out, ",\"%s\":\"", key) && buf_str(out, escaped) && buf_text(out, "\"");
}

static bool run_print_put_time(struct buf *out, const char *key, int64_t ms)
{
	return ms > 0 ? buf_fmt(out, ",\"%s\":%lld", key, (long long)(ms / 1000))
		      : buf_fmt(out, ",\"%s\":null", key);
}

static bool put_usage(struct buf *out, const struct usage *u)
{
	if (!buf_text(out, ",\"usage\":"))
		return false;
	bool ok = u->known || u->estimated ? chunk_usage(u, out) : buf_text(out, "null");
	return ok && buf_fmt(out, ",\"usage_source\":%s",
			     u->known       ? "\"provider\""
			     : u->estimated ? "\"estimated\""
					    : "null");
}

static bool put_cost(struct buf *out, const struct run_read *run)
{
	char text[MONEY_TEXT];

	return run->costs ? buf_fmt(out, ",\"cost\":\"%s\"", money_print(run->cost_nano, text))
			  : buf_text(out, ",\"cost\":null");
}

static bool run_print_most(struct buf *out, const struct run_read *run)
{
	char id[ID_MAX];

	return buf_text(out, "{\"id\":\"") && buf_str(out, id_text(run->run, ID_RUN, id)) &&
	       buf_fmt(out, "\",\"object\":\"run\",\"status\":\"%s\"",
		       run_status_name(run->status)) &&
	       run_print_put_id(out, "conversation", run->conversation, ID_CONVERSATION) &&
	       run_print_put_text(out, "model", run->model) &&
	       run_print_put_text(out, "provider", run->provider) &&
	       run_print_put_time(out, "created_at", run->created_ms) &&
	       run_print_put_time(out, "first_token_at", run->first_token_ms) &&
	       run_print_put_time(out, "completed_at", run->completed_ms) &&
	       run_print_put_word(out, "finish_reason", run->finish_reason) &&
	       run_print_put_word(out, "native_finish_reason", run->native_reason) &&
	       put_usage(out, &run->usage) && put_cost(out, run) && buf_text(out, ",\"error\":") &&
	       buf_str(out, run->error.n > 0 ? run->error : STR("null")) &&
	       buf_fmt(out, ",\"attempts\":%lld", (long long)run->attempts) &&
	       run_print_put_id(out, "continues", run->continues, ID_RUN);
}

bool run_print(struct buf *out, const struct run_read *run)
{
	return run_print_most(out, run) && buf_text(out, "}");
}

bool run_print_whole(struct buf *out, const struct run_read *run)
{
	return run_print_most(out, run) && attempt_print(out, run) &&
	       (run->executions.n == 0 ||
		(buf_text(out, ",\"executions\":") && buf_str(out, run->executions))) &&
	       buf_text(out, "}");
}

bool run_print_keyed(struct buf *out, const struct run_read *run)
{
	if (!run_print_most(out, run) || !buf_text(out, ",\"key\":"))
		return false;
	if (run->key.n == 0)
		return buf_text(out, "null}");
	return buf_text(out, "{\"id\":") && buf_json_string(out, run->key) &&
	       buf_text(out, ",\"name\":") &&
	       (run->key_name.p ? buf_json_string(out, run->key_name) : buf_text(out, "null")) &&
	       buf_text(out, "}}");
}

struct str run_print_shape(const struct family *f)
{
	return f->object ? str_of(f->shapes->word) : STR_NONE;
}

struct run_object run_print_object(const struct run_read *run, enum reasoning_name reasoning)
{
	return (struct run_object){
		.run = run->run,
		.conversation = run->conversation,
		.model = run->model,
		.status = run_status_name(run->status),
		.created_s = run->created_ms / 1000,
		.completed_s = run->completed_ms / 1000,
		.settings = run->settings,
		.answer = run->answer,
		.finish_reason = run->finish_reason,
		.error = run->error,
		.usage = &run->usage,
		.unthinking = reasoning == REASONING_NONE,
	};
}

bool run_print_for(struct buf *out, const struct family *f, enum reasoning_name reasoning,
		   const struct run_read *run)
{
	struct run_object o = run_print_object(run, reasoning);

	return f->object ? f->object(&o, out) : run_print_whole(out, run);
}

int run_print_status(const struct family *f)
{
	return f->object ? 200 : 202;
}

bool run_print_live(struct buf *out, const struct live *live, struct str attempt_log)
{
	return run_print_whole(out, &(struct run_read){
					    .run = live->id,
					    .status = live->status,
					    .model = str_of(live->model),
					    .provider = str_of(live->provider),
					    .created_ms = live->created_ms,
					    .first_token_ms = live->first_token_ms,
					    .attempts = live->attempts,
					    .attempt_log = attempt_log,
				    });
}
