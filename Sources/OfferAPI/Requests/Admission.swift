/// The places for waiting requests on one event loop, used there alone: a request beyond them is refused at once, so
/// that admitted ones are answered soon.
final class Admission {
    enum Place: Equatable {
        /// A place for a request that waits for its turn, and for the ledger if it asks for signatures.
        case turn(isForSignatures: Bool)
        /// Places for offers that are signed and wait for the ledger.
        case ledger(offers: Int)
        /// Places for offers that are signed after a wait elsewhere, for which there is always room.
        case ledgerAfterWait(offers: Int)
        /// A place for a request that waits for the App Store or a database.
        case elsewhere
    }

    /// Requests of an event loop that may wait elsewhere.
    static let maximumElsewhere = 1024

    /// Offers that may wait to be signed and for the ledger; a larger request is admitted where none waits.
    private let maximumOffers: Int
    private let maximumElsewhere: Int
    private var (turns, offers, elsewhere) = (0, 0, 0)

    init(maximumOffers: Int, maximumElsewhere: Int = maximumElsewhere) {
        self.maximumOffers = maximumOffers
        self.maximumElsewhere = maximumElsewhere
    }

    /// Whether a request could wait for its turn now.
    ///
    /// Only a request for signatures would wait for the ledger then: a slow ledger does not keep out the others.
    func hasRoom(isForSignatures: Bool) -> Bool {
        turns + (isForSignatures ? offers : 0) < maximumOffers
    }

    /// Takes a place; `false` where there is no room, and only otherwise ``leave(_:)`` has to follow.
    func enter(_ place: Place) -> Bool {
        switch place {
        case .turn(let isForSignatures):
            guard hasRoom(isForSignatures: isForSignatures) else { return false }
            turns += 1
        case .ledger(let count):
            guard offers == 0 || offers + count <= maximumOffers else { return false }
            offers += count
        case .ledgerAfterWait(let count): offers += count
        case .elsewhere:
            guard elsewhere < maximumElsewhere else { return false }
            elsewhere += 1
        }
        return true
    }

    func leave(_ place: Place) {
        switch place {
        case .turn: turns -= 1
        case .ledger(let count), .ledgerAfterWait(let count): offers -= count
        case .elsewhere: elsewhere -= 1
        }
    }
}

@available(*, unavailable)
extension Admission: Sendable {}
