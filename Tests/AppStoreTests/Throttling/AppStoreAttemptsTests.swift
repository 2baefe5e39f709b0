import LedgerFixtures
import Offers
import Testing

@testable import AppStore

@Suite("The attempts of a question to Apple")
struct AppStoreAttemptsTests {
    private let busy = EvidenceFault.appStoreUnavailable("busy")
    private let refused = EvidenceFault(.rejected, code: "receipt_status", detail: "refused")

    private func question(deadline: Duration = .seconds(5)) -> AppStoreAttempts<Book> {
        AppStoreAttempts(startingIn: .production, deadline: deadline)
    }

    @Test("Three attempts, with pauses that grow and are half chance")
    func attempts() {
        for (chance, pauses) in [(0.0, [100, 200]), (1.0, [200, 400])] {
            var attempts = question()
            for pause in pauses {
                let step = attempts.step(after: .temporary(busy), at: .zero, chance: chance)
                #expect(step == .ask(.production, after: .milliseconds(pause)))
            }
            #expect(attempts.step(after: .temporary(busy), at: .zero, chance: chance) == .finish(.failure(busy)))
        }
    }

    @Test("No pause leads past the deadline")
    func deadline() {
        var attempts = question(deadline: .seconds(1))
        #expect(
            attempts.step(after: .temporary(busy), at: .milliseconds(799), chance: 0)
                == .ask(.production, after: .milliseconds(100))
        )
        #expect(attempts.step(after: .temporary(busy), at: .milliseconds(850), chance: 0) == .finish(.failure(busy)))
    }

    @Test("An attempt leaves time for another one, and the last takes all that is left")
    func timeouts() {
        var budget = RetryBudget(deadline: .seconds(5))
        #expect(budget.timeout(at: .zero) == .seconds(3))
        #expect(budget.timeout(at: .seconds(5)) == .zero)
        _ = budget.pause(at: .zero, chance: 0)
        _ = budget.pause(at: .zero, chance: 0)
        #expect(budget.timeout(at: .seconds(4)) == .seconds(1))
    }

    @Test("The other environment is asked once, and a customer whom each sends to the other is refused")
    func environments() {
        for (first, other) in [(AppStoreEnvironment.production, AppStoreEnvironment.sandbox), (.sandbox, .production)] {
            var attempts = AppStoreAttempts<Book>(startingIn: first, deadline: .seconds(5))
            #expect(attempts.step(after: .otherEnvironment(refused), at: .zero, chance: 0) == .ask(other, after: .zero))
            #expect(
                attempts.step(after: .temporary(busy), at: .zero, chance: 0) == .ask(other, after: .milliseconds(100))
            )
            #expect(
                attempts.step(after: .otherEnvironment(refused), at: .zero, chance: 0) == .finish(.failure(refused))
            )
        }
    }

    @Test("An answer that may mean a temporary fault or a bad receipt is asked for once more, not twice")
    func once() {
        var attempts = question()
        #expect(
            attempts.step(after: .temporaryOnce(refused), at: .zero, chance: 0)
                == .ask(.production, after: .milliseconds(100))
        )
        #expect(attempts.step(after: .temporaryOnce(refused), at: .zero, chance: 0) == .finish(.failure(refused)))
    }

    @Test("Refusals and our own faults end it at once")
    func ends() {
        var attempts = question()
        #expect(attempts.step(after: .refusal(refused), at: .zero, chance: 0) == .finish(.failure(refused)))
        #expect(attempts.step(after: .unavailable(busy), at: .zero, chance: 0) == .finish(.failure(busy)))
    }

    @Test(
        "Retry-After is seconds, or Apple's milliseconds since 1970; nobody waits less than a second or more than an hour",
        arguments: [
            (nil, nil), ("7", 7), ("0", 1), ("9999", 3600), ("1795262407001", 8), ("1795262400000", 1),
            ("1795262300000", 1), ("1795999999999", 3600), ("soon", nil), ("-5", nil), ("9223372036854775807", 3600),
        ] as [(String?, Int?)]
    )
    func retryAfter(text: String?, seconds: Int?) {
        #expect(RetryAfter.seconds(text, at: Timestamp(millisecondsSince1970: 1_795_262_400_000)) == seconds)
    }
}
