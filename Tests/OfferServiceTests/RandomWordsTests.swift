import OfferService
import Offers
import Testing

@Suite("Random words")
struct RandomWordsTests {
    @Test("No two nonces are the same that are made of them side by side")
    func unique() async {
        let all = await withTaskGroup(of: [Nonce].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<5000).map { _ in
                        var words = RandomWords()
                        return Nonce(using: &words)
                    }
                }
            }
            return await group.reduce(into: Set<Nonce>()) { $0.formUnion($1) }
        }
        #expect(all.count == 40_000)
    }

    @Test("Each bit is set in some words, and not in others")
    func bits() {
        var words = RandomWords()
        let some = (0..<1000).map { _ in words.next() }
        #expect(some.reduce(0, |) == .max)
        #expect(some.reduce(.max, &) == 0)
        #expect(Set(some).count == 1000)
    }
}
