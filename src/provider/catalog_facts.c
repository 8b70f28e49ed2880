/* Providers describe a model in their lists, each in words of its own.  Sources: the references of Anthropic's
 * (GET /v1/models: max_input_tokens, capabilities), Gemini's (models.list: inputTokenLimit, thinking), Mistral's
 * (max_context_length, capabilities), OpenRouter's (context_length, architecture, supported_parameters) and Groq's
 * (context_window, max_completion_tokens) lists; Ollama's GET /api/tags (api/types.go: ListModelResponse); vLLM's ModelCard (max_model_len); llama.cpp's server (meta.n_ctx);
 * and Parley's own (routes/service/model_facts.c), for a gateway that asks another one. */
#include "provider/catalog.h"

#include "base/limits.h"

#include <string.h>

/* A number beyond this is no number of tokens. */
static const int64_t tokens_max = (int64_t)1000 * 1000 * 1000;

/* Members with a dot lie in an object.  The first one that says something counts. */
static const char *const contexts[] = {
	"context_length", "context_window",   "max_context_length",
	"max_model_len",  "max_input_tokens", "inputTokenLimit",
	"meta.n_ctx",     "meta.n_ctx_train", "details.context_length"
};
static const char *const outputs[] = { "top_provider.max_completion_tokens",
				       "max_completion_tokens",
				       "max_output",
				       "max_output_tokens",
				       "outputTokenLimit",
				       "max_tokens" };
static const char *const displays[] = { "display_name", "displayName", "name" };

/* Members that are true or false. */
static const struct {
	const char *path;
	unsigned    can;
} abilities[] = {
	{ "capabilities.vision", CATALOG_IMAGES },
	{ "capabilities.image_input.supported", CATALOG_IMAGES },
	{ "capabilities.audio", CATALOG_AUDIO },
	{ "capabilities.pdf_input.supported", CATALOG_PDF },
	{ "capabilities.thinking.supported", CATALOG_REASONING },
	{ "capabilities.reasoning", CATALOG_REASONING },
	{ "capabilities.function_calling", CATALOG_TOOLS },
	{ "thinking", CATALOG_REASONING },
};

/* Lists of words; one that is there says of `told` what the model can't, too. */
static const struct {
	const char *path;
	unsigned    told;
} lists[] = {
	{ "architecture.input_modalities", CATALOG_IMAGES | CATALOG_AUDIO | CATALOG_PDF },
	{ "supported_parameters", CATALOG_REASONING | CATALOG_TOOLS },
	{ "capabilities", CATALOG_IMAGES | CATALOG_REASONING | CATALOG_TOOLS },
};

static const struct {
	const char *word;
	unsigned    can;
} words[] = {
	{ "image", CATALOG_IMAGES },
	{ "images", CATALOG_IMAGES },
	{ "vision", CATALOG_IMAGES },
	{ "audio", CATALOG_AUDIO },
	{ "file", CATALOG_PDF },
	{ "pdf", CATALOG_PDF },
	{ "reasoning", CATALOG_REASONING },
	{ "thinking", CATALOG_REASONING },
	{ "tools", CATALOG_TOOLS },
};

static json_at facts_at(const struct json_doc *d, json_at entry, const char *path)
{
	json_at at = entry;

	while (json_is_kind(d, at, JSON_OBJECT)) {
		size_t n = strcspn(path, ".");

		at = json_get_str(d, at, (struct str){ path, n });
		if (path[n] == '\0')
			return at;
		path += n + 1;
	}
	return JSON_ABSENT;
}

static int64_t facts_count(const struct json_doc *d, json_at entry, const char *const *paths,
			   size_t n)
{
	int64_t tokens;

	for (size_t i = 0; i < n; i++) {
		json_at at = facts_at(d, entry, paths[i]);

		if (at != JSON_ABSENT && json_int(d, at, &tokens) && tokens > 0 &&
		    tokens <= tokens_max)
			return tokens;
	}
	return 0;
}

static bool is_display(struct str s)
{
	if (s.n == 0 || s.n > LIMIT_MODEL)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return false;
	return true;
}

static struct str facts_display(const struct json_doc *d, json_at entry, struct arena *arena)
{
	/* Without an id, `name` is the model's name (Gemini's and Ollama's lists). */
	size_t n = ARRAY_LEN(displays) - (json_get(d, entry, "id") == JSON_ABSENT ? 1 : 0);

	for (size_t i = 0; i < n; i++) {
		json_at    at = json_get(d, entry, displays[i]);
		struct str text;

		if (json_is_kind(d, at, JSON_STRING) && json_text(d, at, arena, &text) &&
		    is_display(text))
			return text;
	}
	return STR_NONE;
}

static unsigned facts_word(const struct json_doc *d, json_at word)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (json_is(d, word, words[i].word))
			return words[i].can;
	return 0;
}

/* facts_embeds: Ollama's list says of each model what it is for. */
static bool facts_embeds(const struct json_doc *d, json_at entry)
{
	json_at list = json_get(d, entry, "capabilities");
	bool    embeds = false;

	if (!json_is_kind(d, list, JSON_ARRAY))
		return false;
	JSON_EACH (word, d, list) {
		if (json_is(d, word, "completion"))
			return false;
		embeds = embeds || json_is(d, word, "embedding");
	}
	return embeds;
}

static void facts_abilities(const struct json_doc *d, json_at entry, struct catalog_facts *f)
{
	for (size_t i = 0; i < ARRAY_LEN(abilities); i++) {
		json_at at = facts_at(d, entry, abilities[i].path);

		if (json_is_kind(d, at, JSON_TRUE))
			f->can |= abilities[i].can;
		if (json_is_kind(d, at, JSON_TRUE) || json_is_kind(d, at, JSON_FALSE))
			f->told |= abilities[i].can;
	}
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		json_at list = facts_at(d, entry, lists[i].path);

		if (!json_is_kind(d, list, JSON_ARRAY))
			continue;
		f->told |= lists[i].told;
		JSON_EACH (word, d, list)
			f->can |= facts_word(d, word);
	}
	f->told |= f->can;
}

struct catalog_facts catalog_facts_read(const struct json_doc *d, json_at entry,
					struct arena *arena)
{
	struct catalog_facts f = { .context = facts_count(d, entry, contexts, ARRAY_LEN(contexts)),
				   .output = facts_count(d, entry, outputs, ARRAY_LEN(outputs)),
				   .embeds = facts_embeds(d, entry),
				   .display = facts_display(d, entry, arena) };

	facts_abilities(d, entry, &f);
	return f;
}
