extension MistakeKind {
    /// How many products and how many offers of a catalog are tried.
    private static let maximumCatalogEntries = 500

    /// Every kind of mistake in the payload of a report, the likeliest first.
    ///
    /// - Parameters:
    ///   - report: What the app gave StoreKit.
    ///   - app: The app of the catalog.
    ///   - otherBundleIds: The caller's other apps.
    ///   - keyIdentifiers: The identifiers of the app's keys.
    /// - Returns: The kinds.
    static func all(
        in report: SignatureReport,
        of app: App,
        otherBundleIds: [String],
        keyIdentifiers: [String]
    ) -> [MistakeKind] {
        let products = app.subscriptionGroups.flatMap(\.products).prefix(maximumCatalogEntries)
        let offers = Set(products.flatMap { $0.offers.map(\.id) }).sorted().prefix(maximumCatalogEntries)
        return [
            field(.nonce, [(report.nonce.uppercased(), .nonceUppercase), (report.nonce, .nonceUppercase)]),
            field(.timestamp, timestamps(report.timestamp)),
            field(.account, accounts(report.account)),
            separators,
            orders,
            field(.keyIdentifier, keyIdentifiers.map { ($0, .keyIdMismatch) }),
            field(
                .bundleId,
                [report.bundleId.lowercased(), report.bundleId.uppercased()].map { ($0, .bundleMismatch) }
                    + otherBundleIds.map { ($0, .bundleMismatch) }
            ),
            field(.productId, products.map { ($0.id, .productMismatch) }),
            field(.offerId, offers.map { ($0, .offerMismatch) }),
        ]
    }

    private static func field(_ field: PayloadGuess.Field, _ texts: [(String, DiagnosisCode)]) -> MistakeKind {
        MistakeKind(
            ways: texts.map { text, mistake in
                { guess in guess.fields[field.rawValue] == text ? nil : guess.with(field, text, mistake) }
            }
        )
    }

    /// Seconds where milliseconds are due, and the reverse: what was given to StoreKit is in seconds then.
    private static func timestamps(_ reported: Int64) -> [(String, DiagnosisCode)] {
        guard reported.magnitude < SignatureReport.firstMillisecondTimestamp else {
            return [(String(reported / 1000), .timestampInSeconds)]
        }
        // What was cut off can be found again: it is one of a thousand.
        return (0..<1000).map { (String(reported &* 1000 &+ $0), .timestampInSeconds) }
    }

    private static func accounts(_ account: Account) -> [(String, DiagnosisCode)] {
        let text = account.payloadField
        guard account != .none else {
            // What languages write where there is nothing.
            return ["null", "undefined", "nil", "None", "(null)", "0", "\"\""].map { ($0, .accountUnexpected) }
        }
        return [("", .accountMissing), (text.uppercased(), .accountCase), (text.lowercased(), .accountCase)]
    }

    private static let separators = MistakeKind(
        ways: [
            "\n", "", " ", "|", ",", ";", ":", "-", "_", "\t", "\r\n", "/", ".", "&", "\\u2063", "\\u{2063}", "\\n",
            "%E2%81%A3", "&#8291;", "&#x2063;", "\u{2060}", "\u{2061}", "\u{2062}", "\u{2064}", "\u{200B}", "\u{FEFF}",
            "\u{E2}\u{81}\u{A3}",
        ].map { separator in
            { guess in
                var guess = guess
                guess.separator = separator
                guess.mistakes.append(.wrongSeparator)
                return guess
            }
        }
    )

    /// Two fields swapped, one moved, or one left out.
    private static let orders: MistakeKind = {
        let right = Array(0..<7)
        var orders: [[Int]] = []
        for first in right {
            for second in right where second > first {
                var swapped = right
                swapped.swapAt(first, second)
                orders.append(swapped)
            }
            for place in right where place != first {
                var moved = right
                moved.remove(at: first)
                moved.insert(first, at: place)
                orders.append(moved)
            }
            orders.append(right.filter { $0 != first })
        }
        var known: Set<[Int]> = []
        return MistakeKind(
            ways: orders.filter { known.insert($0).inserted }.map { order in
                { guess in
                    var guess = guess
                    guess.order = order
                    guess.mistakes.append(.wrongFieldOrder)
                    return guess
                }
            }
        )
    }()
}

extension SignatureReport {
    /// A timestamp below this one is in seconds: in milliseconds it would be of the year 1973.
    static let firstMillisecondTimestamp: UInt64 = 100_000_000_000
}
