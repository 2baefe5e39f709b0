package import Offers

/// The service's memory of customers: the store of states, and the digests by which it finds them.
package final class StateMemory: Sendable {
    package let states: any SubscriptionStates
    package let digester: any AccountDigester
    /// `nil` where nobody is held out.
    package let draw: (any HoldoutDraw)?

    package init(
        states: any SubscriptionStates,
        digester: any AccountDigester,
        draw: (any HoldoutDraw)? = nil
    ) {
        self.states = states
        self.digester = digester
        self.draw = draw
    }

    /// The same memory, which learns nothing.
    package var readOnly: StateMemory {
        StateMemory(states: ReadOnlyStates(states: states), digester: digester, draw: draw)
    }

    /// An account as held state knows it.
    func view(of account: Account, in app: App) -> AccountView {
        AccountView(account, of: app.bundleId, digester: digester)
    }

    /// Remembers evidence of the app and of an environment that counts for it: Apple's words, and a client's
    /// redemptions.
    func learn(
        _ book: Book,
        from source: EvidenceSource,
        for account: Account,
        of app: App,
        beside held: Book,
        at moment: Timestamp
    ) {
        guard book.bundleId == app.bundleId, book.environment.map(app.environments.contains) == true else { return }
        let said =
            source == .client
            ? book.shownRedemptions(for: account, digester: digester)
            : book.remembered(
                presentedFor: account,
                digester: digester,
                at: moment,
                isConfirmed: source == .appStore
            )
        if said.isNews(beside: held) { states.learn(said) }
    }
}

/// The source of evidence, as far as that is certain.
enum EvidenceSource {
    /// A client, who can write a verifyReceipt answer by itself.
    case client
    /// Apple, in signed data that a client chose to send.
    case signature
    /// The App Store itself, in answer to this service.
    case appStore
}

/// States for reading alone: nothing is learnt or stored.
private struct ReadOnlyStates: SubscriptionStates {
    let states: any SubscriptionStates

    func atHand(_ questions: [StateQuestion]) -> [Book]? { states.atHand(questions) }

    func held(_ questions: [StateQuestion]) async -> [Result<Book, StorageFailure>] {
        await states.held(questions)
    }

    func learn(_ said: Book) {}

    func save(
        _ notification: NotificationRecord,
        _ said: Book
    ) async throws(StorageFailure) -> Bool {
        false
    }
}
