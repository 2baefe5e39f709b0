import Testing

@testable import AppStore

@Suite("A host that is down is left alone")
struct CircuitBreakerTests {
    /// A breaker that has just opened, at 0 seconds.
    private func open() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<5 {
            #expect(breaker.admit(at: .zero, timeout: .seconds(1)) == nil)
            breaker.record(isSuccess: false, at: .zero)
        }
        return breaker
    }

    @Test("Four failures in a row are borne, and a success forgives them")
    func tolerance() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 {
            for _ in 0..<4 { breaker.record(isSuccess: false, at: .zero) }
            #expect(breaker.admit(at: .zero, timeout: .seconds(1)) == nil)
            breaker.record(isSuccess: true, at: .zero)
        }
    }

    @Test("After the fifth nothing is sent for five seconds, then one request")
    func probe() {
        var breaker = open()
        #expect(breaker.admit(at: .zero, timeout: .seconds(1)) == .seconds(5))
        #expect(breaker.admit(at: .milliseconds(4999), timeout: .seconds(1)) == .milliseconds(1))
        #expect(breaker.admit(at: .seconds(5), timeout: .seconds(1)) == nil)
        #expect(breaker.admit(at: .seconds(5), timeout: .seconds(1)) == .seconds(1))
        breaker.record(isSuccess: true, at: .milliseconds(5100))
        #expect(breaker.admit(at: .milliseconds(5100), timeout: .seconds(1)) == nil)
        #expect(breaker.admit(at: .milliseconds(5100), timeout: .seconds(1)) == nil)
    }

    @Test("Each try that fails doubles the pause, up to a minute")
    func pauses() {
        var breaker = open()
        var now = Duration.seconds(5)
        for pause in [10, 20, 40, 60, 60] {
            #expect(breaker.admit(at: now, timeout: .seconds(1)) == nil)
            breaker.record(isSuccess: false, at: now)
            #expect(breaker.pause(at: now) == .seconds(pause))
            now += .seconds(pause)
        }
        #expect(breaker.admit(at: now, timeout: .seconds(1)) == nil)
        breaker.record(isSuccess: true, at: now)
        for _ in 0..<5 { breaker.record(isSuccess: false, at: now) }
        #expect(breaker.pause(at: now) == .seconds(5))
    }

    @Test("Earlier requests do not count while nothing is sent; a try that never ends is given up")
    func stragglers() {
        var breaker = open()
        breaker.record(isSuccess: true, at: .seconds(1))
        breaker.record(isSuccess: false, at: .seconds(1))
        #expect(breaker.pause(at: .seconds(1)) == .seconds(4))
        #expect(breaker.admit(at: .seconds(5), timeout: .seconds(2)) == nil)
        #expect(breaker.admit(at: .seconds(7), timeout: .seconds(2)) == nil)
    }
}
