/* Facts of the process, under a lock; and the paths that clients of other APIs may try. */
#include "routes/kit/gateway.h"

void process_reloaded(struct process *p, int64_t at_s, const struct err *e)
{
	struct process_reload now = { .at_s = at_s, .ok = !e };

	if (e)
		str_copy(now.why, sizeof now.why, str_of(e->text));
	pthread_mutex_lock(&p->lock);
	p->reload = now;
	pthread_mutex_unlock(&p->lock);
}

struct process_reload process_look(struct process *p)
{
	pthread_mutex_lock(&p->lock);
	struct process_reload r = p->reload;
	pthread_mutex_unlock(&p->lock);
	return r;
}

/* --- hints: Paths of other APIs that clients may try, and the routes to use instead; and paths that mean the
 * same as one of ours. */

#define COMPLETIONS "use POST /v1/chat/completions"
#define NO_SUCH     "this gateway has no "

/* clang-format off */
const struct route_hint route_hints[] = {
	/* OpenAI's. */
	{ "/responses/*", "use POST /v1/responses: the base URL ends in /v1" },
	{ "/v1/responses/compact", NO_SUCH "/v1/responses/compact; nothing is left out of a conversation" },
	{ "/v1/responses/input_tokens", NO_SUCH "/v1/responses/input_tokens; POST /v1/messages/count_tokens counts" },
	{ "/v1/engines/*", "engines are models now; " COMPLETIONS ", or GET /v1/models" },
	{ "/v1/edits", "edits are not spoken here; " COMPLETIONS },
	{ "/v1/assistants/*", "assistants are not spoken here; use POST /v1/chat with an instruction" },
	{ "/v1/threads/*", "threads are conversations here; use POST /v1/conversations and POST /v1/chat" },
	{ "/v1/batches/*", NO_SUCH "batches; use POST /v1/chat with \"background\": true" },
	{ "/v1/audio/*", NO_SUCH "speech; a message may have audio parts: " COMPLETIONS },
	{ "/v1/images/*", NO_SUCH "images API; models that make images answer POST /v1/chat/completions" },
	{ "/v1/moderations", NO_SUCH "moderations" },
	{ "/v1/realtime/*", NO_SUCH "realtime API; use POST /v1/chat with \"stream\": true" },
	{ "/v1/uploads/*", NO_SUCH "uploads in parts; use POST /v1/files" },
	{ "/v1/vector_stores/*", NO_SUCH "vector stores; there are POST /v1/embeddings and GET /v1/search" },
	{ "/v1/fine_tuning/*", NO_SUCH "fine-tuning" },
	{ "/v1/organization/*", "usage is read at GET /v1/usage, keys are managed on the admin listener" },
	/* Azure's. */
	{ "/openai/deployments/*", "a deployment has chat/completions, completions and embeddings" },
	{ "/openai/*", "the base URL of this API ends in /v1, without /openai" },
	/* Anthropic's. */
	{ "/v1/messages/batches/*", NO_SUCH "batches" },
	{ "/v1/complete", "completions of a prompt are not spoken here; " COMPLETIONS },
	/* Gemini's. */
	{ "/v1beta/*", "Gemini's API is not spoken here; " COMPLETIONS ", also for models of Gemini" },
	/* Ollama's. */
	{ "/api/tags", "use GET /v1/models" },
	{ "/api/embed", "use POST /v1/embeddings" },
	{ "/api/embeddings", "use POST /v1/embeddings" },
	/* Rebyte's. */
	{ "/api/sdk/p/{project}/knowledge/*", NO_SUCH "knowledge; there are POST /v1/embeddings and GET /v1/search" },
	{ "/api/sdk/*", "agents are run at POST /api/sdk/p/{project}/a/{agent}/r" },
	{ "/api/*", "Ollama's API is not spoken here; " COMPLETIONS },
	/* What is looked for by hand. */
	{ "/v1/health", "use GET /healthz" },
	{ "/health", "use GET /healthz" },
	{ "/docs/*", "GET /openapi.yaml describes this API" },
	{ "/admin/*", "keys are managed on the admin listener, below /v1/admin" },
	{ "/v1/admin/*", "this path is served on the admin listener, and on loopback addresses without a proxy" },
	{ "/console/*", "the console is at /console/, where it is served" },
	{ "/metrics", "metrics are served on the admin listener, and on loopback addresses" },
	{ 0 },
};
/* clang-format on */

/* Azure's: a deployment is a model.  Source: Azure's API reference, "Azure OpenAI in Foundry Models
 * REST API". */
const struct route_spelling route_spellings[] = {
	{ "/openai/deployments/{model}/chat/completions", "/v1/chat/completions" },
	{ "/openai/deployments/{model}/completions", "/v1/completions" },
	{ "/openai/deployments/{model}/embeddings", "/v1/embeddings" },
	{ "/openai/models/*", "/v1/models" },
	{ "/openai/responses/*", "/v1/responses" },
	{ "/openai/v1/*", "/v1" },
	{ 0 },
};
