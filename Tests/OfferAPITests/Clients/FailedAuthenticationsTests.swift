import Testing

@testable import OfferAPI

@Suite("A client that guesses tokens is slowed down")
struct FailedAuthenticationsTests {
    private let peer = PeerNetwork("192.0.2.1")

    @Test("Ten failures are answered at once, the next ones later and later, up to a second")
    func delays() {
        let failures = FailedAuthentications()
        #expect((0..<10).allSatisfy { _ in failures.note(from: peer, at: .zero) == .zero })
        #expect(failures.note(from: peer, at: .milliseconds(400)) == .milliseconds(600))
        #expect(failures.note(from: peer, at: .milliseconds(999)) == .milliseconds(1))
        #expect(failures.note(from: peer, at: .seconds(1)) == .zero)
        #expect(failures.note(from: peer, at: .seconds(1)) == .seconds(1))
        #expect(failures.note(from: PeerNetwork("192.0.2.2"), at: .seconds(1)) == .zero)
    }

    @Test("Failures without a known address are all answered late")
    func unknown() {
        #expect(FailedAuthentications().note(from: nil, at: .zero) == .seconds(1))
    }

    @Test("A network is an IPv4 address, or 64 bits of IPv6")
    func networks() {
        #expect(PeerNetwork("2001:db8::1") == PeerNetwork("2001:db8::ffff"))
        #expect(PeerNetwork("2001:db8::1") != PeerNetwork("2001:db8:0:1::1"))
        #expect(PeerNetwork("fe80::1%eth0") == PeerNetwork("fe80::2"))
        #expect(PeerNetwork("192.0.2.1") != PeerNetwork("192.0.2.2"))
        #expect(PeerNetwork("nonsense") == nil)
    }

    @Test("An IPv4 address is the same network in every notation of a socket, and no other's")
    func mapped() {
        let failures = FailedAuthentications()
        for _ in 0..<11 { _ = failures.note(from: PeerNetwork("::ffff:192.0.2.1"), at: .zero) }
        #expect(failures.note(from: PeerNetwork("::ffff:192.0.2.2"), at: .zero) == .zero)
        #expect(failures.note(from: PeerNetwork("::1"), at: .zero) == .zero)
        #expect(failures.note(from: PeerNetwork("192.0.2.1"), at: .zero) == .seconds(1))
        #expect(PeerNetwork("::fffe:192.0.2.1") == PeerNetwork("::fffe:192.0.2.2"))
    }

    @Test("The table is bounded: those whose failures have worn off go first")
    func bounds() {
        let failures = FailedAuthentications()
        for _ in 0..<11 { _ = failures.note(from: peer, at: .seconds(5000)) }
        for index in 0..<(FailedAuthentications.capacity - 1) {
            _ = failures.note(from: PeerNetwork("10.0.\(index / 256).\(index % 256)"), at: .zero)
        }
        _ = failures.note(from: PeerNetwork("192.0.2.9"), at: .seconds(5000))
        #expect(failures.note(from: peer, at: .seconds(5000)) == .seconds(1), "it is still remembered")
    }

    @Test("A table whose entries are all still counting is emptied before it grows")
    func emptied() {
        let failures = FailedAuthentications()
        for _ in 0..<11 { _ = failures.note(from: peer, at: .zero) }
        for index in 0..<FailedAuthentications.capacity {
            _ = failures.note(from: PeerNetwork("10.0.\(index / 256).\(index % 256)"), at: .zero)
        }
        #expect(failures.note(from: peer, at: .zero) == .zero, "it is forgiven")
    }
}
