package io.downbeat.junit;

/** The server has refused a request. */
public final class RequestRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int status;

    RequestRefused(String method, String route, int status, String text) {
        super(method + " " + route + " was answered " + status + ": " + text);
        this.status = status;
    }

    /** Status of the answer. */
    public int status() {
        return status;
    }
}
