/// TLS on the public listener.
enum TLS {
    /// Why `server.tls` is a fault: plain HTTP where TLS was asked for would be wrong.
    static let fault =
        "TLS is not built yet, and plain HTTP where TLS is asked for would be wrong; "
        + "remove it and put a TLS proxy in front of the service"
}
