import NIOCore
import Testing

@testable import OfferAPI

@Suite("Where a connection stands")
struct ConnectionStateTests {
    private let limits = ConnectionLimits(
        maximumBodyBytes: 10,
        idleTimeout: .seconds(40),
        headerTimeout: .seconds(10),
        requestTimeout: .seconds(20),
        answerTimeout: .seconds(30)
    )
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func idle() -> ConnectionState { ConnectionState(limits: limits, isSecure: false, now: start) }

    /// `#expect`, which takes no call that changes a value.
    private func check(_ holds: Bool, _ comment: Comment? = nil, at place: SourceLocation = #_sourceLocation) {
        #expect(holds, comment, sourceLocation: place)
    }

    private func reading() -> ConnectionState {
        var state = idle()
        state.bytesArrived(at: start)
        state.admitted(maximumBodyBytes: 5, keepsAlive: true, at: start)
        return state
    }

    @Test("Each phase has its time, and its end: silence, 408 or 503")
    func timeouts() {
        var state = idle()
        #expect(state.timeout(at: start + .seconds(9)) == .wait(until: start + .seconds(10)))
        #expect(state.timeout(at: start + .seconds(10)) == .close, "nothing was ever asked")
        state.bytesArrived(at: start)
        state.bytesArrived(at: start + .seconds(9))
        #expect(state.timeout(at: start + .seconds(10)) == .refuse(.requestTimeout))
        state.admitted(maximumBodyBytes: 5, keepsAlive: true, at: start + .seconds(10))
        #expect(state.timeout(at: start + .seconds(29)) == .wait(until: start + .seconds(30)))
        #expect(state.timeout(at: start + .seconds(30)) == .refuse(.requestTimeout))
        _ = state.requestEnded(at: start + .seconds(30))
        #expect(state.timeout(at: start + .seconds(60)) == .refuse(.answerTimeout))
        _ = state.answerBegins(isDraining: false)
        _ = state.answerEnded(at: start + .seconds(50))
        #expect(state.timeout(at: start + .seconds(89)) == .wait(until: start + .seconds(90)))
        #expect(state.timeout(at: start + .seconds(90)) == .close)
    }

    @Test("No deadline is set that comes before it is looked at again")
    func watching() {
        guard case .wait(let next) = idle().timeout(at: start) else {
            Issue.record("a new connection has no deadline")
            return
        }
        #expect(next - start <= limits.headerTimeout)
    }

    @Test("TLS has the time of a head to be negotiated")
    func handshake() {
        var state = ConnectionState(limits: limits, isSecure: true, now: start)
        #expect(state.timeout(at: start + .seconds(10)) == .close)
        state.handshakeCompleted(at: start + .seconds(9))
        #expect(state.phase == .idle)
        #expect(state.timeout(at: start + .seconds(10)) != .close)
        #expect(state.timeout(at: start + .seconds(19)) == .close, "nothing was ever asked")
    }

    @Test("A body is kept up to its limit, and refused beyond")
    func body() {
        var state = reading()
        check(state.bodyArrived(3) == .keep)
        check(state.bodyArrived(2) == .keep)
        check(state.bodyArrived(1) == .refuse(limit: 5))
    }

    @Test("The rest of a refused request is thrown away, up to a limit, and the next one is served")
    func refusal() {
        var state = idle()
        state.refused(closes: false, at: start)
        check(!state.answerBegins(isDraining: false))
        check(!state.answerEnded(at: start))
        check(state.bodyArrived(10) == .drop)
        let after = state
        check(state.bodyArrived(1) == .close)
        state = after
        check(!state.requestEnded(at: start))
        #expect(state.phase == .idle)
    }

    @Test("Of a request that began during an answer, the rest is not waited for longer than of any other")
    func nextBegun() {
        var state = reading()
        check(state.requestEnded(at: start))
        state.bytesArrived(at: start + .seconds(1))
        check(!state.answerBegins(isDraining: false))
        check(!state.answerEnded(at: start + .seconds(2)))
        #expect(state.timeout(at: start + .seconds(12)) == .refuse(.requestTimeout))
        state.admitted(maximumBodyBytes: 5, keepsAlive: true, at: start + .seconds(3))
        check(state.requestEnded(at: start + .seconds(3)))
        check(!state.answerEnded(at: start + .seconds(4)))
        #expect(state.phase == .idle, "nothing came during the second answer")
    }

    @Test("A connection is silent since its client was to do something, and not while that waits for an answer")
    func silence() {
        var state = idle()
        state.bytesArrived(at: start + .seconds(1))
        #expect(state.silentSince == start, "drips are silence")
        state.admitted(maximumBodyBytes: 5, keepsAlive: true, at: start + .seconds(2))
        check(state.bodyArrived(3) == .keep)
        #expect(state.silentSince == start + .seconds(2))
        check(state.requestEnded(at: start + .seconds(3)))
        #expect(state.silentSince == nil)
        check(!state.answerEnded(at: start + .seconds(4)))
        #expect(state.silentSince == start + .seconds(4))
    }

    @Test("The last answer says so: when the client wants it, when the service drains, when nothing more can come")
    func closing() {
        var wanted = idle()
        wanted.admitted(maximumBodyBytes: 5, keepsAlive: false, at: start)
        var draining = reading()
        var halfClosed = reading()
        for index in 0..<3 {
            var state = [wanted, draining, halfClosed][index]
            check(state.requestEnded(at: start))
            if index == 2 { check(!state.inputClosed(at: start), "the answer is waited for") }
            check(state.answerBegins(isDraining: index == 1))
            check(state.answerEnded(at: start))
            #expect(state.phase == .lingering)
        }
        check(draining.inputClosed(at: start))
        _ = halfClosed.requestEnded(at: start)
        check(!halfClosed.answerBegins(isDraining: false))
    }

    @Test("A caller that half-closes at once waits for the answer, and one that does so later has given up")
    func givenUp() {
        var asking = reading()
        check(asking.requestEnded(at: start))
        for (later, isGone) in [(0, false), (250, false), (251, true), (5000, true)] {
            var state = asking
            check(state.inputClosed(at: start + .milliseconds(Int64(later))) == isGone)
        }
    }

    @Test("When the service stops, requests under way are finished, and every connection closes after its answer")
    func farewell() {
        var idle = self.idle()
        check(idle.serviceGoes(at: start) == .close)
        var begun = self.idle()
        begun.bytesArrived(at: start)
        check(begun.serviceGoes(at: start + .seconds(9)) == .finish)
        #expect(begun.timeout(at: start + .seconds(10)) == .refuse(.requestTimeout))
        begun.admitted(maximumBodyBytes: 5, keepsAlive: true, at: start + .seconds(9))
        check(begun.requestEnded(at: start + .seconds(9)))
        check(begun.answerBegins(isDraining: false))
        var answering = reading()
        check(answering.requestEnded(at: start))
        check(!answering.answerBegins(isDraining: false))
        check(answering.serviceGoes(at: start) == .finish)
        check(answering.answerEnded(at: start), "the head of the answer was on its way")
        var refused = self.idle()
        refused.refused(closes: false, at: start)
        check(!refused.answerEnded(at: start))
        check(refused.serviceGoes(at: start) == .linger)
        check(!refused.requestEnded(at: start))
        #expect(refused.phase == .lingering)
    }
}
