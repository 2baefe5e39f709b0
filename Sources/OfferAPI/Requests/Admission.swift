import Synchronization

/// The places for waiting requests in the process: a request beyond them is refused at once, so that admitted ones are
/// answered soon.
///
/// One event loop may have all of them, because a burst of a few connections may fall on one. How much of it a loop
/// answers in one tick is ``PublicEndpoints/offersPerTick``.
final class Admission: Sendable {
    enum Place: Equatable {
        /// Places for a request that waits for its turn, and for the ledger if it asks for signatures: for as many offers as
        /// it is likely to ask for.
        case turn(isForSignatures: Bool, offers: Int = 1)
        /// Places for offers that are signed and wait for the ledger.
        case ledger(offers: Int)
        /// Places for offers that are signed after a wait elsewhere, for which there is always room.
        case ledgerAfterWait(offers: Int)
        /// A place for a request that waits for the App Store or a database.
        case elsewhere
    }

    private struct Taken {
        var turns = 0
        var offers = 0
        var elsewhere = 0
    }

    /// Requests that may wait elsewhere for each event loop.
    static let elsewherePerLoop = 1024

    /// Offers that may wait to be signed and for the ledger; a larger request is admitted where none waits.
    private let maximumOffers: Int
    private let maximumElsewhere: Int
    private let taken = Mutex(Taken())

    init(maximumOffers: Int, maximumElsewhere: Int) {
        self.maximumOffers = maximumOffers
        self.maximumElsewhere = maximumElsewhere
    }

    /// Whether a request could wait for its turn now.
    ///
    /// Only a request for signatures would wait for the ledger then: a slow ledger does not keep out the others.
    func hasRoom(isForSignatures: Bool) -> Bool {
        taken.withLock { hasRoom(beside: $0, isForSignatures: isForSignatures) }
    }

    private func hasRoom(beside taken: Taken, isForSignatures: Bool) -> Bool {
        taken.turns + (isForSignatures ? taken.offers : 0) < maximumOffers
    }

    /// Takes a place; `false` where there is no room, and only otherwise ``leave(_:)`` has to follow.
    func enter(_ place: Place) -> Bool {
        taken.withLock { taken in
            switch place {
            case .turn(let isForSignatures, let count):
                guard hasRoom(beside: taken, isForSignatures: isForSignatures) else { return false }
                taken.turns += count
            case .ledger(let count):
                guard taken.offers == 0 || taken.offers + count <= maximumOffers else { return false }
                taken.offers += count
            case .ledgerAfterWait(let count): taken.offers += count
            case .elsewhere:
                guard taken.elsewhere < maximumElsewhere else { return false }
                taken.elsewhere += 1
            }
            return true
        }
    }

    func leave(_ place: Place) {
        taken.withLock { taken in
            switch place {
            case .turn(_, let count): taken.turns -= count
            case .ledger(let count), .ledgerAfterWait(let count): taken.offers -= count
            case .elsewhere: taken.elsewhere -= 1
            }
        }
    }
}
