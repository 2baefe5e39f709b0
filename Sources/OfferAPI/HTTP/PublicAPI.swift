import HTTPTypes
public import Hummingbird
public import Logging
import NIOCore
public import Offers

/// The routes that clients call.
public enum PublicAPI {
    /// The context of a request.
    public typealias Context = BasicRequestContext

    /// Builds the responder of the public listener.
    ///
    /// - Parameters:
    ///   - signatures: `POST /v1/signatures`.
    ///   - logger: Where the service's own faults are logged.
    /// - Returns: The responder.
    public static func responder(
        signatures: SignaturesEndpoint<some OfferSigner, some EvidenceReader>,
        logger: Logger
    ) -> some HTTPResponder<Context> {
        let router = Router(context: Context.self)
        router.add(middleware: ProblemMiddleware(methods: ["/v1/signatures": "POST"], logger: logger))
        router.post("/v1/signatures") { request, _ in
            let client = try signatures.admit(request.head)
            let limit = type(of: signatures).maximumBodyBytes
            let body: ByteBuffer
            do {
                body = try await request.body.collect(upTo: limit)
            } catch is NIOTooManyBytesError {
                throw Problem.bodyTooLarge(limit: limit)
            }
            do throws(Problem) {
                let answer = try signatures.answer(Array(body.readableBytesView), for: client)
                return Response(status: .ok, headers: [.contentType: "application/json"], bytes: answer)
            } catch {
                if error.status >= 500 {
                    logger.error("cannot answer", metadata: ["code": "\(error.code)"])
                }
                throw error
            }
        }
        return router.buildResponder()
    }
}
