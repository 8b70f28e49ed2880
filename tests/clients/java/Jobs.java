import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** What the programs of Java's clients share: jobs come as JSON lines, all are done at once. */
final class Jobs {
	record Job(int id, String url, String model, String prompt, boolean stream, boolean tools) {}

	/** Hands each piece of the answer to say as a user would get it; the client's errors pass. */
	interface Call {
		void run(Job job, Consumer<String> say) throws Throwable;
	}

	/** The status that an error tells, if any. */
	interface Status {
		Integer of(Throwable error);
	}

	private static final ObjectMapper JSON = new ObjectMapper();

	private static synchronized void tell(Map<String, Object> line) {
		try {
			System.out.println(JSON.writeValueAsString(line));
		} catch (Exception e) {
			throw new IllegalStateException(e);
		}
	}

	private static void work(Job job, Call call, Status status) {
		StringBuilder text = new StringBuilder();
		Map<String, Object> error = null;
		try {
			call.run(job, piece -> {
				if (text.isEmpty() && !piece.isEmpty()) tell(Map.of("id", job.id, "began", true));
				text.append(piece);
			});
		} catch (Throwable e) { // whatever a client throws is what it has noticed
			error = new HashMap<>();
			error.put("kind", e.getClass().getSimpleName());
			error.put("message", String.valueOf(e.getMessage()));
			error.put("status", status.of(e));
		}
		Map<String, Object> line = new HashMap<>(Map.of("id", job.id, "text", text.toString()));
		line.put("error", error);
		tell(line);
	}

	static void serve(Call call, Status status) throws Exception {
		ExecutorService all = Executors.newCachedThreadPool();
		BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			JsonNode j = JSON.readTree(line);
			Job job = new Job(j.get("id").asInt(), j.get("url").asText(), j.get("model").asText(),
				j.get("prompt").asText(), j.get("stream").asBoolean(), j.get("tools").asBoolean());
			all.execute(() -> work(job, call, status));
		}
		System.exit(0); // clients keep threads of their own
	}
}
