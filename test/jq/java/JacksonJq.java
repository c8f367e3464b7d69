import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import net.thisptr.jackson.jq.JsonQuery;
import net.thisptr.jackson.jq.Scope;

/**
 * Answers one line `{"program": ..., "input": ...}` of its input with one line
 * `{"results": [...], "fails": true or false}`: what the program gives; a program that fails
 * gives nothing, because this version hands out its results at the end.
 */
public class JacksonJq {
  public static void main(String[] args) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    Scope root = Scope.newEmptyScope();
    root.loadFunctions(Scope.class.getClassLoader());
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode question = mapper.readTree(line);
      ObjectNode answer = mapper.createObjectNode();
      ArrayNode results = answer.putArray("results");
      answer.put("fails", false);
      try {
        JsonQuery query = JsonQuery.compile(question.get("program").asText());
        query
            .apply(Scope.newChildScope(root), question.get("input"))
            .forEach(results::add);
      } catch (Exception | StackOverflowError error) {
        answer.put("fails", true);
      }
      System.out.println(mapper.writeValueAsString(answer));
    }
  }
}
