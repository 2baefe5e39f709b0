/// Counts the calls that are made, by what came of them.
struct CountingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let metrics: AppStoreMetrics

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - metrics: Where they are counted.
    init(_ transport: any HTTPTransport, _ metrics: AppStoreMetrics) {
        self.transport = transport
        self.metrics = metrics
    }

    func send(_ request: OutgoingRequest, timeout: Duration) async throws(TransportFault) -> IncomingResponse {
        let start = ContinuousClock.now
        func count(_ status: String) {
            let (seconds, attoseconds) = start.duration(to: .now).components
            metrics.count(request, status: status, nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }
        do throws(TransportFault) {
            let response = try await transport.send(request, timeout: timeout)
            count((100...599).contains(response.status) ? String(response.status) : "other")
            return response
        } catch {
            switch error {
            case .timeout: count("timeout")
            case .connection: count("connection")
            case .tooLarge: count("too_large")
            case .heldBack: break
            }
            throw error
        }
    }

    func shutdown() async {
        await transport.shutdown()
    }
}
