import Glibc
import NIOCore
import NIOPosix

/// A request outside of the measurement: what the generator has to know before it starts.
struct HTTPQuestion {
    /// Where it goes.
    let address: ServiceAddress
    /// Where the connection is handled.
    let group: any EventLoopGroup
    /// How long connection and answer may take, in seconds.
    let timeoutSeconds: Double

    /// Asks, over a connection of its own.
    ///
    /// A task that is cancelled waits no longer.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, with the query.
    ///   - token: The bearer token, if there is one.
    ///   - body: The body; empty for none.
    /// - Returns: The status and the body of the answer.
    /// - Throws: ``PreparationFault`` when none comes.
    func ask(
        _ method: String,
        _ path: String,
        token: String? = nil,
        body: [UInt8] = []
    ) async throws(PreparationFault) -> (status: Int, body: [UInt8]) {
        let request = HTTPRequestBytes.make(method, path, host: address.authority, token: token, body: body)
        let eventLoop = group.next()
        let answer = eventLoop.makePromise(of: AnswerReader.Answer.self)
        let deadline = eventLoop.scheduleTask(in: .nanoseconds(Int64(timeoutSeconds * 1e9))) {
            answer.fail(PreparationFault("there was no answer within \(timeoutSeconds) seconds"))
        }
        defer { deadline.cancel() }
        do {
            ClientBootstrap(group: eventLoop)
                .connectTimeout(.nanoseconds(Int64(timeoutSeconds * 1e9)))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(QuestionHandler(answer))
                    }
                }
                .connect(host: address.host, port: address.port)
                .whenComplete { result in
                    switch result {
                    case .success(let channel):
                        channel.writeAndFlush(request, promise: nil)
                        answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
                    case .failure(let error): answer.fail(error)
                    }
                }
            let result = try await withTaskCancellationHandler {
                try await answer.futureResult.get()
            } onCancel: {
                answer.fail(PreparationFault("nobody waits for the answer any more"))
            }
            return (result.status, Array(result.body.readableBytesView))
        } catch {
            throw PreparationFault("\(method) \(address)\(path): \(LoadFailure.reason(error))")
        }
    }
}

/// Waits for the one answer of a question.
private final class QuestionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answer: EventLoopPromise<AnswerReader.Answer>
    private var reader = AnswerReader()

    init(_ answer: EventLoopPromise<AnswerReader.Answer>) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data))
        do throws(AnswerReader.Malformed) {
            if let answer = try reader.next() { self.answer.succeed(answer) }
        } catch {
            answer.fail(PreparationFault("this is no HTTP: \(error.reason)"))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(PreparationFault("the connection was closed"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { answer.fail(error) }
}

extension LoadFailure {
    /// What went wrong with a connection, in a few words that are the same for each address.
    ///
    /// - Parameter error: The error.
    /// - Returns: The words.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as PreparationFault: error.description
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "the host's name is not known"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as ChannelError:
            if case .connectTimeout = error { "timeout" } else { "\(error)" }
        default: "\(error)"
        }
    }
}

/// Why no load can be generated.
public struct PreparationFault: Error, CustomStringConvertible {
    /// The reason, with a mend where there is one.
    public let description: String

    init(_ description: String) { self.description = description }
}
