import Crypto
package import Offers

/// The key of the digests by which the ledger knows accounts: without it nobody can tell whose they are.
package struct DigestKey: Sendable {
    package static let minimumBytes = 32
    static let digestBytes = 16

    private let begun: AuthenticationCode
    /// With a key of its own: a draw says nothing of digests.
    private let draws: AuthenticationCode

    /// Takes a key of ``minimumBytes`` at least; else `nil`.
    package init?(bytes: [UInt8]) {
        guard bytes.count >= Self.minimumBytes else { return nil }
        begun = AuthenticationCode(key: bytes, beginning: CanonicalBytes("offer-signer ledger digest 1").bytes)
        let key = AuthenticationCode(key: bytes)
        let label = Array("offer-signer holdout draw 1".utf8)
        draws = AuthenticationCode(key: Array(label.withUnsafeBytes { key.code(of: $0) }))
    }

    func digest(of account: Account, bundleId: String) -> [UInt8]? {
        account == .none ? nil : accountDigest(account.payloadField, bundleId: bundleId)
    }

    func accountDigest(_ text: String, bundleId: String) -> [UInt8] { digest("account", bundleId, text) }

    /// The customer that limits count by: the account, and where there is none the subscription.
    ///
    /// A customer named by a whole account has the account's digest, so that what is held of an account leads to its
    /// signatures.
    ///
    /// Who shows neither is counted together with all who show neither.
    func digest(customer: String?, originalTransactionId: String?, bundleId: String) -> [UInt8] {
        if let customer { return accountDigest(customer, bundleId: bundleId) }
        return digest("transaction", bundleId, originalTransactionId ?? "")
    }

    /// A mark by which a ledger recognises the key; it reveals nothing of the key, and is no account's digest.
    var mark: [UInt8] { digest("mark", "", "") }

    /// The name under which the answer to a client's call is kept, in hexadecimal, and the key that seals it.
    ///
    /// Both are made anew from the call each time: the database has neither the key nor anything that leads to it.
    func answer(to call: IdempotentCall) -> (name: String, key: SymmetricKey) {
        let name = code("answer name", call.client, call.path, call.key)
        let key = code("answer key", call.client, call.path, call.key)
        return (Hexadecimal.text(Array(name)), SymmetricKey(data: key))
    }

    /// HMAC-SHA256 (RFC 2104) of the kind, the app and the text, each with its length, cut to 128 bits.
    private func digest(_ kind: String, _ bundleId: String, _ text: String) -> [UInt8] {
        code(kind, bundleId, text).withUnsafeBytes { Array($0[..<Self.digestBytes]) }
    }

    /// HMAC-SHA256 of the kind and the texts, each with its length.
    private func code(_ kind: String, _ first: String, _ second: String, _ third: String? = nil) -> SHA256Digest {
        var message = CanonicalBytes()
        message.append(kind)
        message.append(first)
        message.append(second)
        if let third { message.append(third) }
        return message.withUnsafeBytes { begun.code(of: $0) }
    }
}

extension DigestKey: AccountDigester {
    /// The account as held state knows it: as the ledger does, so that redemptions find the signatures behind them.
    package func digest(of text: String, bundleId: String) -> AccountDigest {
        AccountDigest(accountDigest(text, bundleId: bundleId))
    }
}

extension DigestKey: HoldoutDraw {
    package func digest(
        ofCustomer customer: String?,
        originalTransactionId: String?,
        bundleId: String
    ) -> AccountDigest {
        AccountDigest(digest(customer: customer, originalTransactionId: originalTransactionId, bundleId: bundleId))
    }

    /// The first 8 bytes, big-endian, of HMAC-SHA256 over the name, a zero byte and the digest.
    package func draw(_ name: String, of customer: AccountDigest) -> UInt64 {
        let message = Array(name.utf8) + [0] + customer.bytes
        let code = message.withUnsafeBytes { draws.code(of: $0) }
        return code.withUnsafeBytes { $0.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    }
}
