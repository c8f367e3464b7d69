// Reads from a server whose tokens end after four seconds, until the published Java client has had three of them.
// Usage: java -cp LIBRARIES EndedToken.java http://127.0.0.1:PORT/api KEY SECRET   Prints "all ok", or what failed and exits with 1.

import com.netflix.conductor.client.http.ConductorClient;
import com.netflix.conductor.client.http.MetadataClient;
import io.orkes.conductor.client.http.OrkesAuthentication;
import java.util.HashSet;
import java.util.Set;

public class EndedToken {
    private static final long UNTIL_MS = 60_000;
    /** Below the life of a token: this client looks at the clock, not at the answer. */
    private static final long REFRESH_SECONDS = 1;

    public static void main(String[] args) {
        var authentication = new OrkesAuthentication(args[1], args[2], REFRESH_SECONDS);
        var client = ConductorClient.builder().basePath(args[0]).addHeaderSupplier(authentication).build();
        var metadata = new MetadataClient(client);
        Set<String> tokens = new HashSet<>();
        long end = System.currentTimeMillis() + UNTIL_MS;
        while (tokens.size() < 3) {
            if (System.currentTimeMillis() > end) {
                throw new IllegalStateException(tokens.size() + " tokens in " + UNTIL_MS + " ms");
            }
            metadata.getAllTaskDefs();
            tokens.add(authentication.getToken());
        }
        System.out.println("all ok");
        System.exit(0);
    }
}
