/* Writes what is known of a call into a log line. */
#include "msg/call_note.h"

#include "base/log.h"
#include "base/money.h"
#include "msg/call_cache.h"

static void note_known(struct log_line *line, const char *key, struct str value)
{
	if (value.n > 0)
		log_str(line, key, value);
}

void call_note_log(const struct call_note *n, struct log_line *line)
{
	note_known(line, "run", n->run);
	note_known(line, "conversation", n->conversation);
	note_known(line, "model", n->model);
	note_known(line, "upstream", n->provider);
	note_known(line, "cache", str_of(call_cache_name((enum call_cache)n->cache)));
	note_known(line, "outcome", n->outcome);
	note_known(line, "finish_reason", n->finish_reason);
	if (n->tokens_in || n->tokens_out) {
		log_int(line, "tokens_in", n->tokens_in);
		log_int(line, "tokens_out", n->tokens_out);
	}
	if (n->costs) {
		char cost[MONEY_TEXT];

		log_str(line, "cost", str_of(money_print(n->cost_nano, cost)));
	}
	if (n->first_token_us)
		log_ms(line, "ttft_ms", n->first_token_us);
	if (n->upstream_us)
		log_ms(line, "upstream_ms", n->upstream_us);
	if (n->attempts)
		log_int(line, "attempts", n->attempts);
	if (n->stream)
		log_bool(line, "stream", true);
}
