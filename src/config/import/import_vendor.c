/* The vendors that LiteLLM and Portkey know by a name: what a provider of Parley needs to ask each. */
#include "config/import/internal.h"

#include <strings.h>

/* LiteLLM's addresses and variables are those of its get_llm_provider; a test compares them. */
/* clang-format off */
const struct import_vendor import_vendors[] = {
	{ "openai", "openai", "openai", "https://api.openai.com/v1",
	  NULL, "OPENAI_API_KEY", 0 },
	{ "anthropic", "anthropic", "anthropic", "https://api.anthropic.com/v1",
	  NULL, "ANTHROPIC_API_KEY", 0 },
	{ "azure", "azure-openai", "azure", NULL,
	  "AZURE_API_BASE", "AZURE_API_KEY", 0 },
	{ "azure_ai", "azure-ai", "azure", NULL,
	  "AZURE_AI_API_BASE", "AZURE_AI_API_KEY", 0 },
	{ "gemini", "google", "gemini", "https://generativelanguage.googleapis.com/v1beta",
	  NULL, "GEMINI_API_KEY", 0 },
	{ "mistral", "mistral-ai", "mistral", "https://api.mistral.ai/v1",
	  NULL, "MISTRAL_API_KEY", 0 },
	{ "ollama", "ollama", "ollama", "http://localhost:11434",
	  NULL, "OLLAMA_API_KEY", IMPORT_KEYLESS },
	{ "ollama_chat", NULL, "ollama", "http://localhost:11434",
	  NULL, "OLLAMA_API_KEY", IMPORT_KEYLESS },
	{ "cohere", "cohere", "openai", "https://api.cohere.ai/compatibility/v1",
	  NULL, "COHERE_API_KEY", IMPORT_FIXED },
	{ "cohere_chat", NULL, "openai", "https://api.cohere.ai/compatibility/v1",
	  NULL, "COHERE_API_KEY", IMPORT_FIXED },
	{ "openrouter", "openrouter", "openai", "https://openrouter.ai/api/v1",
	  NULL, "OPENROUTER_API_KEY", 0 },
	{ "hosted_vllm", NULL, "openai", NULL,
	  "HOSTED_VLLM_API_BASE", "HOSTED_VLLM_API_KEY", IMPORT_KEYLESS },
	{ "lm_studio", NULL, "openai", NULL,
	  "LM_STUDIO_API_BASE", "LM_STUDIO_API_KEY", IMPORT_KEYLESS },
	{ "llamafile", NULL, "openai", "http://127.0.0.1:8080/v1",
	  NULL, "LLAMAFILE_API_KEY", IMPORT_KEYLESS },
	{ "lemonade", NULL, "openai", "http://localhost:8000/api/v1",
	  NULL, "LEMONADE_API_KEY", IMPORT_KEYLESS },
	{ "xinference", NULL, "openai", NULL,
	  "XINFERENCE_API_BASE", "XINFERENCE_API_KEY", IMPORT_KEYLESS },
	{ "litellm_proxy", NULL, "openai", NULL,
	  "LITELLM_PROXY_API_BASE", "LITELLM_PROXY_API_KEY", 0 },
	{ "openai_like", NULL, "openai", NULL,
	  "OPENAI_LIKE_API_BASE", "OPENAI_LIKE_API_KEY", IMPORT_KEYLESS },
	{ "custom_openai", NULL, "openai", NULL,
	  NULL, "CUSTOM_OPENAI_API_KEY", IMPORT_KEYLESS },
	{ "databricks", NULL, "openai", NULL,
	  "DATABRICKS_API_BASE", "DATABRICKS_API_KEY", 0 },
	{ "voyage", "voyage", "openai", "https://api.voyageai.com/v1",
	  NULL, "VOYAGE_API_KEY", 0 },
	{ "abliteration", NULL, "openai", "https://api.abliteration.ai/v1",
	  NULL, "ABLITERATION_API_KEY", 0 },
	{ "ai21_chat", "ai21", "openai", "https://api.ai21.com/studio/v1",
	  NULL, "AI21_API_KEY", 0 },
	{ "aiand", NULL, "openai", "https://api.aiand.com/v1",
	  NULL, "AIAND_API_KEY", 0 },
	{ "aihubmix", NULL, "openai", "https://aihubmix.com/v1",
	  NULL, "AIHUBMIX_API_KEY", 0 },
	{ "aiml", NULL, "openai", "https://api.aimlapi.com/v1",
	  NULL, "AIML_API_KEY", 0 },
	{ "apertis", NULL, "openai", "https://api.stima.tech/v1",
	  NULL, "STIMA_API_KEY", 0 },
	{ "baseten", NULL, "openai", "https://inference.baseten.co/v1",
	  NULL, "BASETEN_API_KEY", 0 },
	{ "bigmodel", "zhipu", "openai", "https://open.bigmodel.cn/api/paas/v4",
	  NULL, "BIGMODEL_API_KEY", 0 },
	{ "cerebras", "cerebras", "openai", "https://api.cerebras.ai/v1",
	  NULL, "CEREBRAS_API_KEY", 0 },
	{ "chutes", NULL, "openai", "https://llm.chutes.ai/v1",
	  NULL, "CHUTES_API_KEY", 0 },
	{ "clarifai", NULL, "openai", "https://api.clarifai.com/v2/ext/openai/v1",
	  NULL, "CLARIFAI_API_KEY", 0 },
	{ "clf_ai_gateway", NULL, "openai", "https://api.clfaigateway.dev/v1",
	  NULL, "CLF_AI_GATEWAY_API_KEY", 0 },
	{ "codestral", NULL, "openai", "https://codestral.mistral.ai/v1",
	  NULL, "CODESTRAL_API_KEY", 0 },
	{ "cognition", NULL, "openai", "https://api.cognition.ai/v1",
	  NULL, "COGNITION_API_KEY", 0 },
	{ "coralbricks", NULL, "openai", "https://inference.coralbricks.ai/v1",
	  NULL, "CORALBRICKS_API_KEY", 0 },
	{ "cortecs", NULL, "openai", "https://api.cortecs.ai/v1",
	  NULL, "CORTECS_API_KEY", 0 },
	{ "crusoe", NULL, "openai", "https://api.inference.crusoecloud.com/v1",
	  NULL, "CRUSOE_API_KEY", 0 },
	{ "darkbloom", NULL, "openai", "https://api.darkbloom.dev/v1",
	  NULL, "DARKBLOOM_API_KEY", 0 },
	{ "dashscope", NULL, "openai", "https://dashscope.aliyuncs.com/compatible-mode/v1",
	  NULL, "DASHSCOPE_API_KEY", 0 },
	{ "deepinfra", "deepinfra", "openai", "https://api.deepinfra.com/v1/openai",
	  NULL, "DEEPINFRA_API_KEY", 0 },
	{ "deepseek", NULL, "openai", "https://api.deepseek.com/beta",
	  NULL, "DEEPSEEK_API_KEY", 0 },
	{ "edenai", NULL, "openai", "https://api.edenai.run/v3",
	  NULL, "EDENAI_API_KEY", 0 },
	{ "empiriolabs", NULL, "openai", "https://api.empiriolabs.ai/v1",
	  NULL, "EMPIRIOLABS_API_KEY", 0 },
	{ "empower", NULL, "openai", "https://app.empower.dev/api/v1",
	  NULL, "EMPOWER_API_KEY", 0 },
	{ "featherless_ai", "featherless-ai", "openai", "https://api.featherless.ai/v1",
	  NULL, "FEATHERLESS_AI_API_KEY", 0 },
	{ "fireworks_ai", "fireworks-ai", "openai", "https://api.fireworks.ai/inference/v1",
	  NULL, "FIREWORKS_AI_API_KEY", 0 },
	{ "friendliai", NULL, "openai", "https://api.friendli.ai/serverless/v1",
	  NULL, "FRIENDLIAI_API_KEY", 0 },
	{ "galadriel", NULL, "openai", "https://api.galadriel.com/v1",
	  NULL, "GALADRIEL_API_KEY", 0 },
	{ "github", "github", "openai", "https://models.inference.ai.azure.com",
	  NULL, "GITHUB_API_KEY", 0 },
	{ "gmi", NULL, "openai", "https://api.gmi-serving.com/v1",
	  NULL, "GMI_API_KEY", 0 },
	{ "groq", "groq", "openai", "https://api.groq.com/openai/v1",
	  NULL, "GROQ_API_KEY", 0 },
	{ "helicone", NULL, "openai", "https://ai-gateway.helicone.ai",
	  NULL, "HELICONE_API_KEY", 0 },
	{ "hostinger_router", NULL, "openai", "https://router.hostinger.com/v1",
	  NULL, "HOSTINGER_ROUTER_API_KEY", 0 },
	{ "hyperbolic", "hyperbolic", "openai", "https://api.hyperbolic.xyz/v1",
	  NULL, "HYPERBOLIC_API_KEY", 0 },
	{ "inception", NULL, "openai", "https://api.inceptionlabs.ai/v1",
	  NULL, "INCEPTION_API_KEY", 0 },
	{ "inferenceapis", NULL, "openai", "https://api.inferenceapis.com/v1",
	  NULL, "INFERENCEAPIS_API_KEY", 0 },
	{ "jina_ai", "jina", "openai", "https://api.jina.ai/v1",
	  NULL, "JINA_AI_API_KEY", 0 },
	{ "kyma", NULL, "openai", "https://kymaapi.com/v1",
	  NULL, "KYMA_API_KEY", 0 },
	{ "lambda_ai", NULL, "openai", "https://api.lambda.ai/v1",
	  NULL, "LAMBDA_API_KEY", 0 },
	{ "libertai", NULL, "openai", "https://api.libertai.io/v1",
	  NULL, "LIBERTAI_API_KEY", 0 },
	{ "llamagate", NULL, "openai", "https://api.llamagate.dev/v1",
	  NULL, "LLAMAGATE_API_KEY", 0 },
	{ "meta", NULL, "openai", "https://api.meta.ai/v1",
	  NULL, "META_API_KEY", 0 },
	{ "meta_llama", NULL, "openai", "https://api.llama.com/compat/v1",
	  NULL, "LLAMA_API_KEY", 0 },
	{ "modelscope", NULL, "openai", "https://api-inference.modelscope.cn/v1",
	  NULL, "MODELSCOPE_API_KEY", 0 },
	{ "moonshot", NULL, "openai", "https://api.moonshot.ai/v1",
	  NULL, "MOONSHOT_API_KEY", 0 },
	{ "morph", NULL, "openai", "https://api.morphllm.com/v1",
	  NULL, "MORPH_API_KEY", 0 },
	{ "nadir", NULL, "openai", "https://api.getnadir.com/v1",
	  NULL, "NADIR_API_KEY", 0 },
	{ "nano-gpt", NULL, "openai", "https://nano-gpt.com/api/v1",
	  NULL, "NANOGPT_API_KEY", 0 },
	{ "nebius", "nebius", "openai", "https://api.studio.nebius.ai/v1",
	  NULL, "NEBIUS_API_KEY", 0 },
	{ "neosantara", NULL, "openai", "https://api.neosantara.xyz/v1",
	  NULL, "NEOSANTARA_API_KEY", 0 },
	{ "novita", NULL, "openai", "https://api.novita.ai/v3/openai",
	  NULL, "NOVITA_API_KEY", 0 },
	{ "nscale", "nscale", "openai", "https://inference.api.nscale.com/v1",
	  NULL, "NSCALE_API_KEY", 0 },
	{ "nvidia_nim", NULL, "openai", "https://integrate.api.nvidia.com/v1",
	  NULL, "NVIDIA_NIM_API_KEY", 0 },
	{ "opencode_go", NULL, "openai", "https://opencode.ai/inference/go/openai/v1",
	  NULL, "OPENCODE_GO_API_KEY", 0 },
	{ "openinfer", NULL, "openai", "https://api.openinfer.ai/v1",
	  NULL, "OPENINFER_API_KEY", 0 },
	{ "parasail", NULL, "openai", "https://api.parasail.io/v1",
	  NULL, "PARASAIL_API_KEY", 0 },
	{ "perplexity", "perplexity-ai", "openai", "https://api.perplexity.ai",
	  NULL, "PERPLEXITYAI_API_KEY", 0 },
	{ "pinstripes", NULL, "openai", "https://pinstripes.io/v1",
	  NULL, "PINSTRIPES_API_KEY", 0 },
	{ "poe", NULL, "openai", "https://api.poe.com/v1",
	  NULL, "POE_API_KEY", 0 },
	{ "prism", NULL, "openai", "https://api.prisminference.com/v1",
	  NULL, "PRISM_API_KEY", 0 },
	{ "publicai", NULL, "openai", "https://api.publicai.co/v1",
	  NULL, "PUBLICAI_API_KEY", 0 },
	{ "qwen_ai_platform", NULL, "openai", "https://dashscope.aliyuncs.com/compatible-mode/v1",
	  NULL, "DASHSCOPE_API_KEY", 0 },
	{ "qwencloud", "dashscope", "openai", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
	  NULL, "DASHSCOPE_API_KEY", 0 },
	{ "refuseless", NULL, "openai", "https://api.refuseless.com/v1",
	  NULL, "REFUSELESS_API_KEY", 0 },
	{ "reka", NULL, "openai", "https://api.reka.ai/v1",
	  NULL, "REKA_API_KEY", 0 },
	{ "sail", NULL, "openai", "https://api.sailresearch.com/v1",
	  NULL, "SAIL_API_KEY", 0 },
	{ "sambanova", "sambanova", "openai", "https://api.sambanova.ai/v1",
	  NULL, "SAMBANOVA_API_KEY", 0 },
	{ "sarvam", NULL, "openai", "https://api.sarvam.ai/v1",
	  NULL, "SARVAM_API_KEY", 0 },
	{ "scaleway", NULL, "openai", "https://api.scaleway.ai/v1",
	  NULL, "SCW_SECRET_KEY", 0 },
	{ "scx-ai", NULL, "openai", "https://api.scx.ai/v1",
	  NULL, "SCX_API_KEY", 0 },
	{ "streamlake", NULL, "openai", "https://vanchin.streamlake.ai/api/gateway/v1/endpoints",
	  NULL, "STREAMLAKE_API_KEY", 0 },
	{ "synthetic", NULL, "openai", "https://api.synthetic.new/openai/v1",
	  NULL, "SYNTHETIC_API_KEY", 0 },
	{ "tencent", NULL, "openai", "https://tokenhub-intl.tencentcloudmaas.com/v1",
	  NULL, "TENCENT_API_KEY", 0 },
	{ "tensormesh", NULL, "openai", "https://serverless.tensormesh.ai/v1",
	  NULL, "TENSORMESH_INFERENCE_API_KEY", 0 },
	{ "together_ai", NULL, "openai", "https://api.together.ai/v1",
	  NULL, "TOGETHERAI_API_KEY", 0 },
	{ "v0", NULL, "openai", "https://api.v0.dev/v1",
	  NULL, "V0_API_KEY", 0 },
	{ "veniceai", NULL, "openai", "https://api.venice.ai/api/v1",
	  NULL, "VENICE_AI_API_KEY", 0 },
	{ "vercel_ai_gateway", NULL, "openai", "https://ai-gateway.vercel.sh/v1",
	  NULL, "VERCEL_AI_GATEWAY_API_KEY", 0 },
	{ "volcengine", NULL, "openai", "https://ark.cn-beijing.volces.com/api/v3",
	  NULL, "VOLCENGINE_API_KEY", 0 },
	{ "wally", NULL, "openai", "https://inference.runanywhere.ai/v1",
	  NULL, "WALLY_API_KEY", 0 },
	{ "wandb", NULL, "openai", "https://api.inference.wandb.ai/v1",
	  NULL, "WANDB_API_KEY", 0 },
	{ "xai", "x-ai", "openai", "https://api.x.ai/v1",
	  NULL, "XAI_API_KEY", 0 },
	{ "xiaomi_mimo", NULL, "openai", "https://api.xiaomimimo.com/v1",
	  NULL, "XIAOMI_MIMO_API_KEY", 0 },
	{ "zai", "z-ai", "openai", "https://api.z.ai/api/paas/v4",
	  NULL, "ZAI_API_KEY", 0 },
	{ "zerogpu", NULL, "openai", "https://api.zerogpu.ai/v1",
	  NULL, "ZEROGPU_API_KEY", 0 },
	{ NULL, "302ai", "openai", "https://api.302.ai/v1",
	  NULL, "AI302_API_KEY", 0 },
	{ NULL, "aibadgr", "openai", "https://aibadgr.com/api/v1",
	  NULL, "AIBADGR_API_KEY", 0 },
	{ NULL, "anyscale", "openai", "https://api.endpoints.anyscale.com/v1",
	  NULL, "ANYSCALE_API_KEY", 0 },
	{ NULL, "cometapi", "openai", "https://api.cometapi.com/v1",
	  NULL, "COMETAPI_API_KEY", 0 },
	{ NULL, "deepbricks", "openai", "https://api.deepbricks.ai/v1",
	  NULL, "DEEPBRICKS_API_KEY", 0 },
	{ NULL, "deepseek", "openai", "https://api.deepseek.com/v1",
	  NULL, "DEEPSEEK_API_KEY", 0 },
	{ NULL, "inference-net", "openai", "https://api.inference.net/v1",
	  NULL, "INFERENCE_NET_API_KEY", 0 },
	{ NULL, "iointelligence", "openai", "https://api.intelligence.io.solutions/api/v1",
	  NULL, "IOINTELLIGENCE_API_KEY", 0 },
	{ NULL, "kluster-ai", "openai", "https://api.kluster.ai/v1",
	  NULL, "KLUSTERAI_API_KEY", 0 },
	{ NULL, "krutrim", "openai", "https://cloud.olakrutrim.com/v1",
	  NULL, "KRUTRIM_API_KEY", 0 },
	{ NULL, "lambda", "openai", "https://api.lambdalabs.com/v1",
	  NULL, "LAMBDA_API_KEY", 0 },
	{ NULL, "lemonfox-ai", "openai", "https://api.lemonfox.ai/v1",
	  NULL, "LEMONFOXAI_API_KEY", 0 },
	{ NULL, "lepton", "openai", "https://api.lepton.ai/api/v1",
	  NULL, "LEPTON_API_KEY", 0 },
	{ NULL, "lingyi", "openai", "https://api.lingyiwanwu.com/v1",
	  NULL, "LINGYI_API_KEY", 0 },
	{ NULL, "matterai", "openai", "https://api.matterai.so/v1",
	  NULL, "MATTERAI_API_KEY", 0 },
	{ NULL, "monsterapi", "openai", "https://llm.monsterapi.ai/v1",
	  NULL, "MONSTERAPI_API_KEY", 0 },
	{ NULL, "moonshot", "openai", "https://api.moonshot.cn/v1",
	  NULL, "MOONSHOT_API_KEY", 0 },
	{ NULL, "ncompass", "openai", "https://api.ncompass.tech/v1",
	  NULL, "NCOMPASS_API_KEY", 0 },
	{ NULL, "nextbit", "openai", "https://api.nextbit256.com/v1",
	  NULL, "NEXTBIT_API_KEY", 0 },
	{ NULL, "novita-ai", "openai", "https://api.novita.ai/v3/openai/v1",
	  NULL, "NOVITAAI_API_KEY", 0 },
	{ NULL, "ovhcloud", "openai", "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1",
	  NULL, "OVHCLOUD_API_KEY", 0 },
	{ NULL, "siliconflow", "openai", "https://api.siliconflow.cn/v1",
	  NULL, "SILICONFLOW_API_KEY", 0 },
	{ NULL, "together-ai", "openai", "https://api.together.xyz/v1",
	  NULL, "TOGETHERAI_API_KEY", 0 },
	{ NULL, "upstage", "openai", "https://api.upstage.ai/v1/solar",
	  NULL, "UPSTAGE_API_KEY", 0 },
	{ "bedrock", "bedrock", NULL, NULL,
	  NULL, "AWS_BEARER_TOKEN_BEDROCK", 0 },
	{ "vertex_ai", "vertex-ai", NULL, NULL,
	  NULL, NULL, 0 },
	{ "vertex_ai_beta", NULL, NULL, NULL,
	  NULL, NULL, 0 },
};
/* clang-format on */
const size_t import_vendor_count = ARRAY_LEN(import_vendors);

const struct import_vendor *import_vendor_litellm(struct str prefix)
{
	for (size_t i = 0; i < import_vendor_count; i++)
		if (import_vendors[i].litellm && str_is(prefix, import_vendors[i].litellm))
			return &import_vendors[i];
	return NULL;
}

const struct import_vendor *import_vendor_portkey(struct str name)
{
	for (size_t i = 0; i < import_vendor_count; i++)
		if (import_vendors[i].portkey && str_is(name, import_vendors[i].portkey))
			return &import_vendors[i];
	return NULL;
}

/* The longest name wins: azure-openai-eu is azure-openai's. */
const struct import_vendor *import_vendor_guess(struct str slug)
{
	const struct import_vendor *found = NULL;
	size_t                      most = 0;

	for (size_t i = 0; i < import_vendor_count; i++) {
		const char *name = import_vendors[i].portkey;
		size_t      n = name ? strlen(name) : 0;

		if (n > most && slug.n >= n && strncasecmp(slug.p, name, n) == 0 &&
		    (slug.n == n || strchr("-_", slug.p[n]))) {
			found = &import_vendors[i];
			most = n;
		}
	}
	return found;
}

/* --- addresses --- */

/* vendor_without: a tail of the path, not of the host. */
static const char *vendor_without(struct import *im, const char *url, const char *tail)
{
	size_t host = strcspn(url, ":") + strlen("://");
	size_t n = strlen(url), t = strlen(tail);

	while (n > 0 && url[n - 1] == '/')
		n--;
	if (n > host + t && memcmp(url + n - t, tail, t) == 0)
		n -= t;
	while (n > 0 && url[n - 1] == '/')
		n--;
	return import_text(im, "%.*s", (int)n, url);
}

static bool vendor_ends(const char *url, const char *tail)
{
	size_t n = strlen(url), t = strlen(tail);

	return n >= t && strcmp(url + n - t, tail) == 0;
}

/* A host of Azure's that has OpenAI's API below /openai/v1. */
static bool vendor_is_foundry(const char *url)
{
	const char *host = strstr(url, "://");
	size_t      n = host ? strcspn(host + 3, ":/") : 0;
	const char *at = ".services.ai.azure.com";
	size_t      t = strlen(at);

	return n > t && strncasecmp(host + 3 + n - t, at, t) == 0;
}

/* The resource's address: a deployment's path and a version are added by the dialect. */
static const char *vendor_azure(struct import *im, const char *url)
{
	const char *path = strstr(url, "/openai/deployments");

	return path ? import_text(im, "%.*s", (int)(path - url), url) : url;
}

static const char *vendor_foundry(struct import *im, const char *url)
{
	const char *path = strstr(url, "://");
	size_t      n = path ? (size_t)(path - url) + 3 + strcspn(path + 3, "/") : strlen(url);

	if (!vendor_is_foundry(url))
		return vendor_ends(url, "/v1") ? url : import_text(im, "%s/v1", url);
	return import_text(im, "%.*s/openai/v1", (int)n, url);
}

const char *import_base(struct import *im, const struct import_vendor *v, const char *given,
			const char **ret)
{
	const char *host = strstr(given, "://");

	if (strncmp(given, "http://", 7) != 0 && strncmp(given, "https://", 8) != 0)
		return "the address has to begin with https:// or http://";
	if (strlen(given) > 2000 || strpbrk(given, "?# \\"))
		return "the address has a query, a fragment or a space: write base_url and query yourself";
	if (memchr(host + 3, '@', strcspn(host + 3, "/")))
		return "the address has a password in it: write base_url and headers yourself";
	if (v->flags & IMPORT_FIXED)
		return "LiteLLM speaks this provider's own API there: write base_url and dialect yourself";
	*ret = vendor_without(im, given, "/chat/completions");
	if (strcmp(v->dialect, "anthropic") == 0) {
		*ret = vendor_without(im, *ret, "/messages");
		*ret = vendor_ends(*ret, "/v1") ? *ret : import_text(im, "%s/v1", *ret);
	} else if (v->litellm && strcmp(v->litellm, "azure_ai") == 0) {
		*ret = vendor_foundry(im, *ret);
	} else if (strcmp(v->dialect, "azure") == 0) {
		*ret = vendor_azure(im, *ret);
	}
	return NULL;
}
