// java Refused.java URL SIZE: what Java's own clients see of a refusal of a large body; a line of JSON each.

import java.io.ByteArrayInputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.Callable;

public class Refused {
	static URI chat;
	static byte[] body;

	static void tell(String name, Callable<Object> call) {
		Object seen;
		try {
			seen = call.call();
		} catch (Exception e) {
			seen = '"' + e.toString().replace('"', '\'') + '"';
		}
		System.out.println("[\"" + name + "\", " + seen + "]");
	}

	static Object send(HttpClient client, BodyPublisher publisher) throws Exception {
		return client.send(HttpRequest.newBuilder(chat).POST(publisher).build(),
			BodyHandlers.ofString()).statusCode();
	}

	interface Way {
		void choose(HttpURLConnection connection);
	}

	static Object post(Way way) throws Exception {
		HttpURLConnection connection = (HttpURLConnection) chat.toURL().openConnection();
		connection.setDoOutput(true);
		connection.setRequestMethod("POST");
		way.choose(connection);
		connection.getOutputStream().write(body);
		return connection.getResponseCode();
	}

	public static void main(String[] args) {
		chat = URI.create(args[0] + "/v1/chat");
		body = new byte[Integer.parseInt(args[1])];
		HttpClient one = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		HttpClient any = HttpClient.newHttpClient();
		tell("HttpClient", () -> send(one, BodyPublishers.ofByteArray(body)));
		tell("HttpClient again", () -> send(one, BodyPublishers.ofByteArray(body)));
		tell("HttpClient that asks for HTTP/2", () -> send(any, BodyPublishers.ofByteArray(body)));
		tell("HttpClient in chunks", () -> send(one,
			BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))));
		tell("HttpURLConnection", () -> post(c -> { }));
		tell("HttpURLConnection with a length", () -> post(c -> c.setFixedLengthStreamingMode(body.length)));
		tell("HttpURLConnection in chunks", () -> post(c -> c.setChunkedStreamingMode(65536)));
	}
}
