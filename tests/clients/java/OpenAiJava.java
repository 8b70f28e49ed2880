import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** openai-java. */
final class OpenAiJava {
	private static final Map<String, OpenAIClient> SDKS = new ConcurrentHashMap<>();

	private static final FunctionDefinition NOTE = FunctionDefinition.builder().name("note")
		.parameters(FunctionParameters.builder()
			.putAdditionalProperty("type", JsonValue.from("object"))
			.putAdditionalProperty("properties",
				JsonValue.from(Map.of("text", Map.of("type", "string"))))
			.build())
		.build();

	private static void call(Jobs.Job job, Consumer<String> say) {
		OpenAIClient sdk = SDKS.computeIfAbsent(job.url(), url ->
			OpenAIOkHttpClient.builder().baseUrl(url).apiKey("none").build());
		ChatCompletionCreateParams.Builder ask = ChatCompletionCreateParams.builder()
			.model(job.model()).addUserMessage(job.prompt());
		if (job.tools()) ask.addTool(ChatCompletionFunctionTool.builder().function(NOTE).build());
		if (!job.stream()) {
			sdk.chat().completions().create(ask.build()).choices()
				.forEach(c -> c.message().content().ifPresent(say));
			return;
		}
		try (StreamResponse<ChatCompletionChunk> stream =
				sdk.chat().completions().createStreaming(ask.build())) {
			stream.stream().flatMap(part -> part.choices().stream()).forEach(choice -> {
				choice.delta().content().ifPresent(say);
				choice.delta().toolCalls().orElse(List.of()).forEach(made ->
					made.function().flatMap(f -> f.arguments()).ifPresent(say));
			});
		}
	}

	public static void main(String[] arguments) throws Exception {
		Jobs.serve(OpenAiJava::call,
			e -> e instanceof OpenAIServiceException told ? told.statusCode() : null);
	}
}
