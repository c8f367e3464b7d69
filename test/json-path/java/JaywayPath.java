import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.Option;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Answers one line `{"path": ..., "value": ...}` of its input with one line
 * `{"malformed": true}` or `{"value": ...}`, read as Conductor reads it: errors of a path that is
 * well formed are null.
 */
public class JaywayPath {
  public static void main(String[] args) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    Configuration quiet =
        Configuration.defaultConfiguration().addOptions(Option.SUPPRESS_EXCEPTIONS);
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode question = mapper.readTree(line);
      Object value = mapper.treeToValue(question.get("value"), Object.class);
      Map<String, Object> answer = new HashMap<>();
      try {
        answer.put("value", JsonPath.parse(value, quiet).read(question.get("path").asText()));
      } catch (Exception | StackOverflowError error) {
        answer.put("malformed", true);
      }
      System.out.println(mapper.writeValueAsString(answer));
    }
  }
}
