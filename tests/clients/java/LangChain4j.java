import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** LangChain4j. */
final class LangChain4j {
	private static final ToolSpecification NOTE = ToolSpecification.builder().name("note")
		.parameters(JsonObjectSchema.builder().addStringProperty("text").build()).build();

	private static void call(Jobs.Job job, Consumer<String> say) throws Throwable {
		ChatRequest.Builder ask = ChatRequest.builder().messages(UserMessage.from(job.prompt()));
		if (job.tools()) ask.toolSpecifications(NOTE);
		if (!job.stream()) {
			say.accept(OpenAiChatModel.builder().baseUrl(job.url()).apiKey("none")
				.modelName(job.model()).build().chat(ask.build()).aiMessage().text());
			return;
		}
		CompletableFuture<ChatResponse> end = new CompletableFuture<>();
		OpenAiStreamingChatModel.builder().baseUrl(job.url()).apiKey("none")
			.modelName(job.model()).build().chat(ask.build(), new StreamingChatResponseHandler() {
				@Override
				public void onPartialResponse(String piece) {
					say.accept(piece);
				}

				@Override
				public void onCompleteResponse(ChatResponse response) {
					end.complete(response);
				}

				@Override
				public void onError(Throwable error) {
					end.completeExceptionally(error);
				}
			});
		try {
			end.get().aiMessage().toolExecutionRequests().forEach(r -> say.accept(r.arguments()));
		} catch (ExecutionException e) {
			throw e.getCause();
		}
	}

	private static Integer status(Throwable error) {
		for (Throwable e = error; e != null; e = e.getCause()) {
			if (e instanceof HttpException told) return told.statusCode();
		}
		return null;
	}

	public static void main(String[] arguments) throws Exception {
		Jobs.serve(LangChain4j::call, LangChain4j::status);
	}
}
