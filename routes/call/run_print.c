/* Prints the run object, from the store or from a live run that is not stored. */
#include "routes/call/call.h"

#include "base/limits.h"
#include "base/money.h"
#include "json/scan.h"
#include "msg/attempt_log.h"
#include "shape/encoders.h"
#include "store/ledger.h"
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

/* --- what the ledger of calls adds --- */

/* run_print_outcome: NULL: the run goes on.  Without a row in the ledger, the run itself tells. */
static const char *run_print_outcome(const struct run_read *run)
{
	switch (run->status) {
	case RUN_QUEUED:
	case RUN_RUNNING: return NULL;
	case RUN_COMPLETED: return call_outcome_name(CALL_COMPLETED);
	case RUN_CANCELLED:
		return call_outcome_name(run->call.known ? (enum call_outcome)run->call.outcome
							 : CALL_CANCELLED);
	case RUN_INCOMPLETE:
	case RUN_FAILED:
	case RUN_STATUS__COUNT: break;
	}
	return call_outcome_name(run->attempts > 0 ? CALL_FAILED : CALL_REFUSED);
}

static bool run_print_put_number(struct buf *out, const char *key, bool known, int64_t v)
{
	return known ? buf_fmt(out, ",\"%s\":%lld", key, (long long)v)
		     : buf_fmt(out, ",\"%s\":null", key);
}

/* Facts that a run and its row in the ledger tell together. */
struct run_facts {
	const char *outcome; /* NULL: the run goes on */
	bool        stored, ended, begun;
	int64_t     duration_ms; /* ended */
	int64_t     first_ms;    /* begun: until the first token */
	int64_t     weight;
};

static struct run_facts run_print_facts(const struct run_read *run)
{
	const struct run_call *c = &run->call;
	const char            *outcome = run_print_outcome(run);

	return (struct run_facts){
		.outcome = outcome,
		.stored = !c->unstored && !id_none(run->conversation),
		.ended = outcome && run->completed_ms > 0,
		.begun = c->known ? c->first_us > 0 : run->first_token_ms > 0,
		.duration_ms = c->known ? (c->duration_us + 500) / 1000
					: run->completed_ms - run->created_ms,
		.first_ms = c->known ? (c->first_us + 500) / 1000
				     : run->first_token_ms - run->created_ms,
		.weight = c->weight > 0 ? c->weight : 1,
	};
}

static bool run_print_call(struct buf *out, const struct run_read *run)
{
	const struct run_call *c = &run->call;
	struct run_facts       f = run_print_facts(run);

	return buf_fmt(out, ",\"stored\":%s", f.stored ? "true" : "false") &&
	       run_print_put_text(out, "outcome", f.outcome ? str_of(f.outcome) : STR_NONE) &&
	       run_print_put_number(out, "http_status", c->known && c->http > 0, c->http) &&
	       run_print_put_number(out, "created_at_ms", true, run->created_ms) &&
	       run_print_put_number(out, "duration_ms", f.ended, f.duration_ms) &&
	       run_print_put_number(out, "first_token_ms", f.begun, f.first_ms) &&
	       run_print_put_text(out, "family", c->family) &&
	       run_print_put_number(out, "weight", true, f.weight) &&
	       run_print_put_text(out, "cache",
				  str_of(call_cache_name((enum call_cache)c->cache))) &&
	       run_print_put_id(out, "cached_from", c->cached_from, ID_RUN);
}

/* The ledger keeps the code of an error, and not its text, which may have words of the client's. */
static bool run_print_error(struct buf *out, const struct run_read *run)
{
	if (!buf_text(out, ",\"error\":"))
		return false;
	if (run->error.n > 0)
		return buf_str(out, run->error);
	if (run->call.error.n == 0)
		return buf_text(out, "null");
	return buf_fmt(out,
		       "{\"message\":\"the text of the error is not kept\",\"type\":\"%s\","
		       "\"param\":null,\"code\":",
		       err_wire_type(run->call.error)) &&
	       buf_json_string(out, run->call.error) && buf_text(out, "}");
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
	       put_usage(out, &run->usage) && put_cost(out, run) && run_print_error(out, run) &&
	       run_print_call(out, run) &&
	       buf_fmt(out, ",\"attempts\":%lld", (long long)run->attempts) &&
	       run_print_put_id(out, "continues", run->continues, ID_RUN);
}

bool run_print(struct buf *out, const struct run_read *run)
{
	return run_print_most(out, run) && buf_text(out, "}");
}

static bool run_print_calls(struct buf *out, const struct run_read *run)
{
	return run_print_most(out, run) && attempt_print(out, run) &&
	       (run->executions.n == 0 ||
		(buf_text(out, ",\"executions\":") && buf_str(out, run->executions)));
}

bool run_print_whole(struct buf *out, const struct run_read *run)
{
	return run_print_calls(out, run) && buf_text(out, "}");
}

/* run_print_key: the last members, and the end of the object. */
static bool run_print_key(struct buf *out, const struct run_read *run)
{
	if (!run_print_put_text(out, "group", run->call.group))
		return false;
	if (run->key.n == 0)
		return buf_text(out, ",\"key\":null}");
	return buf_text(out, ",\"key\":{\"id\":") && buf_json_string(out, run->key) &&
	       buf_text(out, ",\"name\":") &&
	       (run->key_name.p ? buf_json_string(out, run->key_name) : buf_text(out, "null")) &&
	       buf_text(out, "}}");
}

bool run_print_keyed(struct buf *out, const struct run_read *run)
{
	return run_print_most(out, run) && run_print_key(out, run);
}

bool run_print_admin(struct buf *out, const struct run_read *run)
{
	return run_print_calls(out, run) && run_print_key(out, run);
}

/* --- as a line of CSV --- */

/* run_csv_columns: in the order in which run_csv writes them. */
#define RUN_CSV                                                                                     \
	"id,created_at,status,outcome,http_status,error,family,model,provider,stored,conversation," \
	"duration_ms,first_token_ms,prompt_tokens,completion_tokens,usage_source,cost,"             \
	"finish_reason,attempts,weight"

const char *run_csv_columns(bool keys)
{
	return keys ? RUN_CSV ",key,key_name,group" : RUN_CSV;
}

static void run_csv_number(struct csv *c, bool known, int64_t v)
{
	if (known)
		csv_int(c, v);
	else
		csv_none(c);
}

/* run_csv_id: an id needs no quotes. */
static void run_csv_id(struct csv *c, struct id id, const char *prefix)
{
	char text[ID_MAX];

	csv_text(c, id_none(id) ? STR_NONE : id_text(id, prefix, text));
}

/* run_csv_word: a word that is escaped, as events have it. */
static void run_csv_word(struct csv *c, struct str inner)
{
	struct buf word;

	buf_init(&word, KIB);
	csv_text(c, json_unescape(inner, &word) ? buf_view(&word) : STR_NONE);
	buf_finish(&word);
}

static void run_csv_error(struct csv *c, const struct run_read *run)
{
	struct json_doc d = { 0 };
	struct err      e;

	if (run->error.n > 0 &&
	    json_scan(&d, run->error.p, run->error.n, &json_limits_stored, &e) == ERR_OK)
		run_csv_word(c, json_get_inner(&d, 0, "code"));
	else
		csv_text(c, run->call.error);
	json_doc_finish(&d);
}

static void run_csv_usage(struct csv *c, const struct run_read *run)
{
	const struct usage *u = &run->usage;
	bool                known = u->known || u->estimated;
	char                text[MONEY_TEXT];

	run_csv_number(c, known, u->in);
	run_csv_number(c, known, u->out);
	csv_text(c, u->known ? STR("provider") : u->estimated ? STR("estimated") : STR_NONE);
	csv_text(c, run->costs ? str_of(money_print(run->cost_nano, text)) : STR_NONE);
}

void run_csv(struct csv *c, const struct run_read *run, bool keys)
{
	struct run_facts f = run_print_facts(run);

	run_csv_id(c, run->run, ID_RUN);
	csv_time(c, run->created_ms);
	csv_text(c, str_of(run_status_name(run->status)));
	csv_text(c, f.outcome ? str_of(f.outcome) : STR_NONE);
	run_csv_number(c, run->call.known && run->call.http > 0, run->call.http);
	run_csv_error(c, run);
	csv_text(c, run->call.family);
	csv_text(c, run->model);
	csv_text(c, run->provider);
	csv_text(c, f.stored ? STR("true") : STR("false"));
	run_csv_id(c, run->conversation, ID_CONVERSATION);
	run_csv_number(c, f.ended, f.duration_ms);
	run_csv_number(c, f.begun, f.first_ms);
	run_csv_usage(c, run);
	run_csv_word(c, run->finish_reason);
	csv_int(c, run->attempts);
	csv_int(c, f.weight);
	if (keys) {
		csv_text(c, run->key);
		csv_text(c, run->key_name);
		csv_text(c, run->call.group);
	}
	csv_row(c);
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

/* --- attempt_print: Prints the attempts of a run: those that were given up from their log, the last one from the log
 * and the run's row. */

/* The error code that recovery gives a run cut off by a kill. */
static const char stopped[] = "server_stopped";

/* One attempt; spans are JSON-escaped, and p NULL or a number 0 is not known. */
struct entry {
	struct str   provider;
	int64_t      key; /* the place of the provider's */
	struct str   model;
	const char  *outcome;
	struct str   code;
	int64_t      begun_ms, first_ms, ended_ms;
	int64_t      http;
	struct usage usage;
	bool         costs;
	int64_t      nano;
	struct str   source, class; /* the price's; p NULL: not known */
	int64_t      tier;
};

/* --- reading --- */

static int64_t entry_int(const struct json_doc *d, json_at i, bool *ret_known)
{
	int64_t v = 0;

	*ret_known = json_int(d, i, &v);
	return v;
}

static struct usage entry_usage(const struct json_doc *d, const json_at *at)
{
	bool    told, known;
	int64_t source = entry_int(d, at[ATTEMPT_LOG_SOURCE], &told);

	return (struct usage){
		.known = told && source == 0,
		.estimated = told && source != 0,
		.in = entry_int(d, at[ATTEMPT_LOG_IN], &known),
		.out = entry_int(d, at[ATTEMPT_LOG_OUT], &known),
		.cached_read = entry_int(d, at[ATTEMPT_LOG_READ], &known),
		.cached_write = entry_int(d, at[ATTEMPT_LOG_WRITTEN], &known),
		.reasoning = entry_int(d, at[ATTEMPT_LOG_REASONING], &known),
	};
}

/* entry_past: an attempt that was given up, or a step; n: members of its element. */
static void entry_past(const struct json_doc *d, const json_at *at, size_t n, struct entry *x)
{
	bool    known;
	bool    spoke = false;
	int64_t took_ms = entry_int(d, at[ATTEMPT_LOG_END], &known);
	int64_t first_ms = n == ATTEMPT_LOG_PAST ? entry_int(d, at[ATTEMPT_LOG_FIRST], &spoke) : 0;

	x->provider = json_inner_of(d, at[ATTEMPT_LOG_PROVIDER]);
	x->code = json_inner_of(d, at[ATTEMPT_LOG_CODE]);
	x->outcome = x->code.n == 0 ? "completed" /* a step of a run with a computer */
		     : str_is(x->code, "cancelled") ? "cancelled"
		     : str_is(x->code, stopped)     ? "lost"
						    : "failed";
	x->first_ms = spoke ? x->begun_ms + first_ms : 0;
	/* The run was taken up later than the kill. */
	x->ended_ms = known && !str_is(x->code, stopped) ? x->begun_ms + took_ms : 0;
	if (x->code.n == 0)
		x->code = STR_NONE;
	x->usage = entry_usage(d, at);
	x->nano = entry_int(d, at[ATTEMPT_LOG_NANO], &x->costs);
}

static const char *last_outcome(const struct run_read *run, struct str code)
{
	switch (run->status) {
	case RUN_QUEUED:
	case RUN_RUNNING: return "running";
	case RUN_COMPLETED: return "completed";
	case RUN_CANCELLED: return "cancelled";
	case RUN_INCOMPLETE:
	case RUN_FAILED:
	case RUN_STATUS__COUNT: break;
	}
	return str_is(code, stopped) ? "lost" : "failed";
}

/* entry_last: the attempt with which the run ends, from the run's own members.  error: where its
 * error was read. */
static void entry_last(const struct run_read *run, const struct json_doc *error, struct entry *x)
{
	if (run->error.n > 0)
		x->code = json_get_inner(error, 0, "code");
	x->outcome = last_outcome(run, x->code);
	/* The first token of an answer that has gone on was an earlier attempt's. */
	x->first_ms = run->first_token_ms >= x->begun_ms ? run->first_token_ms : 0;
	/* Recovery has ended the run, the kill the call. */
	x->ended_ms = str_is(x->code, stopped) ? 0 : run->completed_ms;
	x->usage = run->usage;
	if (x->code.n == 0)
		x->code = STR_NONE;
}

/* --- printing --- */

static bool put_inner(struct buf *out, const char *key, struct str inner)
{
	if (!inner.p)
		return buf_fmt(out, "\"%s\":null,", key);
	return buf_fmt(out, "\"%s\":\"", key) && buf_str(out, inner) && buf_text(out, "\",");
}

static bool attempt_print_number(struct buf *out, const char *key, int64_t v)
{
	return v > 0 ? buf_fmt(out, "\"%s\":%lld,", key, (long long)v)
		     : buf_fmt(out, "\"%s\":null,", key);
}

static bool entry_print(struct buf *out, const struct entry *x, bool first)
{
	const struct usage *u = &x->usage;
	const char *source = u->known ? "\"provider\"" : u->estimated ? "\"estimated\"" : "null";
	char        text[MONEY_TEXT];

	if (!buf_text(out, first ? "{" : ",{") || !put_inner(out, "provider", x->provider) ||
	    !attempt_print_number(out, "key", x->key) || !put_inner(out, "model", x->model) ||
	    !attempt_print_number(out, "started_at_ms", x->begun_ms) ||
	    !attempt_print_number(out, "first_token_at_ms", x->first_ms) ||
	    !attempt_print_number(out, "ended_at_ms", x->ended_ms) ||
	    !buf_fmt(out, "\"outcome\":\"%s\",", x->outcome) ||
	    !attempt_print_number(out, "http_status", x->http) ||
	    !put_inner(out, "error_code", x->code) || !buf_text(out, "\"usage\":") ||
	    !(u->known || u->estimated ? chunk_usage(u, out) : buf_text(out, "null")))
		return false;
	if (!buf_fmt(out, ",\"usage_source\":%s,\"cost\":", source) ||
	    !(x->costs ? buf_fmt(out, "\"%s\",", money_print(x->nano, text))
		       : buf_text(out, "null,")) ||
	    !put_inner(out, "price_source", x->source) ||
	    !attempt_print_number(out, "price_tier", x->tier) ||
	    !put_inner(out, "price_class", x->class))
		return false;
	out->len--; /* the last comma */
	return buf_text(out, "}");
}

static void entry_price(const struct json_doc *d, const json_at *at, struct entry *x)
{
	bool known;

	x->source = json_inner_of(d, at[ATTEMPT_LOG_SOURCE_OF]);
	x->tier = entry_int(d, at[ATTEMPT_LOG_TIER], &known);
	x->class = json_inner_of(d, at[ATTEMPT_LOG_CLASS]);
}

/* entry_read: reads a row of the log; false: it is none. */
static bool entry_read(const struct json_doc *d, json_at row, const struct run_read *run,
		       const struct json_doc *error, struct str provider, struct entry *ret)
{
	json_at at[ATTEMPT_LOG_PAST + ATTEMPT_LOG_PRICED];
	size_t  n = 0;
	int64_t key = 0;
	bool    known;

	if (json_kind(d, row) != JSON_ARRAY)
		return false;
	JSON_EACH (i, d, row) {
		if (json_kind(d, i) == JSON_ARRAY)
			key = d->tok[i].count > 0 ? entry_int(d, json_first(d, i), &known) : 0;
		else if (n == ARRAY_LEN(at))
			return false;
		else
			at[n++] = i;
	}
	size_t priced = n == ATTEMPT_LOG_PAST + ATTEMPT_LOG_PRICED ||
					n == ATTEMPT_LOG_ONLY + ATTEMPT_LOG_PRICED ||
					n == ATTEMPT_LOG_LAST + ATTEMPT_LOG_PRICED
				? ATTEMPT_LOG_PRICED
				: 0;
	n -= priced;
	if (n != ATTEMPT_LOG_PAST && n != ATTEMPT_LOG_OLD && n != ATTEMPT_LOG_ONLY &&
	    n != ATTEMPT_LOG_LAST)
		return false;
	*ret = (struct entry){ .provider = provider,
			       .key = key,
			       .model = json_inner_of(d, at[ATTEMPT_LOG_MODEL]) };
	ret->begun_ms = run->created_ms + entry_int(d, at[ATTEMPT_LOG_BEGIN], &known);
	ret->http = entry_int(d, at[ATTEMPT_LOG_HTTP], &known);
	if (priced)
		entry_price(d, &at[n], ret);
	if (n >= ATTEMPT_LOG_OLD) {
		entry_past(d, at, n, ret);
		return true;
	}
	entry_last(run, error, ret);
	ret->nano = n == ATTEMPT_LOG_LAST ? entry_int(d, at[ATTEMPT_LOG_LAST_NANO], &ret->costs)
					  : run->cost_nano;
	ret->costs = n == ATTEMPT_LOG_LAST ? ret->costs : run->costs;
	return true;
}

static bool print_log(struct buf *out, const struct json_doc *d, const struct run_read *run,
		      const struct json_doc *error, struct str provider)
{
	bool         first = true;
	struct entry x;

	JSON_EACH (row, d, 0) {
		if (!entry_read(d, row, run, error, provider, &x))
			continue;
		if (!entry_print(out, &x, first))
			return false;
		first = false;
	}
	return true;
}

/* print_known: no log has the attempts: what the run itself tells of the last one. */
static bool print_known(struct buf *out, const struct run_read *run, const struct json_doc *error,
			struct str provider)
{
	struct entry x = { .provider = provider, .key = run->call.provider_key };

	if (run->attempts == 0 || run->status == RUN_QUEUED)
		return true;
	entry_last(run, error, &x);
	x.costs = run->costs && run->attempts == 1;
	x.nano = run->cost_nano;
	return entry_print(out, &x, true);
}

/* print_checks: ,"checks":[…] of what the log tells of hooks; nothing where it tells nothing. */
static bool print_checks(struct buf *out, const struct json_doc *d)
{
	JSON_EACH (row, d, 0) {
		json_at checks = json_get(d, row, "checks");

		if (json_is_kind(d, checks, JSON_ARRAY))
			return buf_text(out, ",\"checks\":") && buf_str(out, json_raw(d, checks));
	}
	return true;
}

bool attempt_print(struct buf *out, const struct run_read *run)
{
	struct json_doc log = { 0 };
	struct json_doc error = { 0 };
	struct buf      provider;
	struct err      e;
	bool            known = run->attempt_log.n > 0 &&
		     json_scan(&log, run->attempt_log.p, run->attempt_log.n, &json_limits_stored,
			       &e) == ERR_OK &&
		     json_kind(&log, 0) == JSON_ARRAY;
	bool ok = run->error.n == 0 ||
		  json_scan(&error, run->error.p, run->error.n, &json_limits_stored, &e) == ERR_OK;

	buf_init(&provider, KIB);
	ok = ok && buf_json_escape(&provider, run->provider) &&
	     buf_text(out, ",\"attempt_list\":[");
	struct str name = provider.len > 0 ? buf_view(&provider) : STR_NONE;
	ok = ok &&
	     (known ? print_log(out, &log, run, &error, name)
		    : print_known(out, run, &error, name)) &&
	     buf_text(out, "]") && (!known || print_checks(out, &log));
	buf_finish(&provider);
	json_doc_finish(&log);
	json_doc_finish(&error);
	return ok;
}
