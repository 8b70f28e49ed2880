/* One row for each maker.  Sources: Amazon's user guide, "Supported models and model features" of the Converse API,
 * "Prompt caching", and the page on each maker's parameters. */
#include "provider/bedrock/bedrock_model.h"

#include "lmc/warnings.h"
#include "provider/ask_param.h"

#include <string.h>

/* clang-format off */
static const struct bedrock_model models[] = {
	{ .of = "anthropic.", .claude = true, .thinks = true, .cache = true, .cache_tools = true, .top_k = ",\"top_k\":", .top_k_end = "" },
	{ .of = "amazon.nova-2", .cache = true, .top_k = ",\"inferenceConfig\":{\"topK\":", .top_k_end = "}",
	  .effort = ",\"reasoningConfig\":{\"type\":\"enabled\",\"maxReasoningEffort\":", .effort_end = "}" },
	{ .of = "amazon.nova", .cache = true, .top_k = ",\"inferenceConfig\":{\"topK\":", .top_k_end = "}" },
	{ .of = "openai.", .effort = ",\"reasoning_effort\":", .effort_end = "" },
	{ .of = "mistral.", .top_k = ",\"top_k\":", .top_k_end = "" },
	{ .of = "cohere.", .top_k = ",\"k\":", .top_k_end = "" },
	{ .of = "ai21." },
	{ .of = "amazon.titan" },
	{ .of = "deepseek." },
	{ .of = "google." },
	{ .of = "meta." },
	{ .of = "minimax." },
	{ .of = "moonshot" },
	{ .of = "nvidia." },
	{ .of = "qwen." },
	{ .of = "writer." },
	{ .of = "zai." },
	/* A profile, or an imported model: its name says nothing. */
	{ .of = "", .thinks = true, .cache = true, .cache_tools = true, .top_k = ",\"top_k\":", .top_k_end = "" },
};
/* clang-format on */

const struct bedrock_model *bedrock_model_of(struct str name)
{
	size_t i = 0;

	while (models[i].of[0] &&
	       !(name.n > 0 && memmem(name.p, name.n, models[i].of, strlen(models[i].of))))
		i++;
	return &models[i];
}

static void warn_of_member(const struct prompt *p, const char *key)
{
	warnings_add(p->warnings, 0, "parameter_dropped",
		     "%s was not sent: this provider's model has no such parameter", key);
}

static bool put_member(const struct prompt *p, const char *key, const char *before,
		       const char *after, struct buf *out)
{
	struct str value = ask_param_value(p, key);

	if (value.n == 0)
		return true;
	if (!before) {
		warn_of_member(p, key);
		return true;
	}
	return buf_text(out, before) && buf_str(out, value) && buf_text(out, after);
}

bool bedrock_model_top_k(const struct bedrock_model *m, const struct prompt *p, struct buf *out)
{
	return put_member(p, "top_k", m->top_k, m->top_k_end, out);
}

bool bedrock_model_effort(const struct bedrock_model *m, const struct prompt *p, struct buf *out)
{
	/* No thinking is what a model does without being asked. */
	if (str_is(ask_param_value(p, "reasoning_effort"), "\"none\""))
		return true;
	return put_member(p, "reasoning_effort", m->effort, m->effort_end, out);
}
