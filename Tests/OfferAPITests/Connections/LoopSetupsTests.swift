import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import OfferAPI

@Suite("What the connections of an event loop have in common")
struct LoopSetupsTests {
    @Test("is made once for each, with a number of its own")
    func loops() {
        let numbers = Mutex<[Int]>([])
        let setups = LoopSetups { _, number in
            numbers.withLock { $0.append(number) }
            return ConnectionSetup(
                limits: ConnectionLimits(),
                census: ConnectionCensus(),
                guests: .everybody(at: [:]),
                telemetry: nil,
                answer: { _ in }
            )
        }
        let (one, other) = (EmbeddedEventLoop(), EmbeddedEventLoop())
        #expect(setups.setup(on: one) === setups.setup(on: one))
        #expect(setups.setup(on: one) !== setups.setup(on: other))
        #expect(setups.setup(on: other) === setups.setup(on: other))
        #expect(numbers.withLock { $0 } == [0, 1])
    }
}
