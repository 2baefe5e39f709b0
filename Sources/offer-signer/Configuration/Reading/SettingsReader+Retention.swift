import Offers

/// `ledger.retentionDays` beside the catalog.
extension SettingsReader {
    /// Warns of limits over more days than records are kept: what is deleted cannot be counted.
    ///
    /// - Parameters:
    ///   - ledger: How the ledger is kept.
    ///   - apps: The apps of the catalog.
    ///   - place: Where the retention is set.
    func warnOfShortRetention(_ ledger: LedgerSettings, of apps: [AppSettings], at place: ConfigurationPlace) {
        guard let days = ledger.retentionDays else { return }
        let offers = apps.flatMap(\.app.subscriptionGroups).flatMap(\.products).flatMap(\.offers)
        let periods = offers.compactMap { offer in offer.signatureLimit.map { (id: offer.id, days: $0.periodDays) } }
        guard let longest = periods.max(by: { $0.days < $1.days }), longest.days > days else { return }
        faults.warning(
            place,
            "keeps records for \(days) days, and maximumSignaturesPerCustomer of the offer \(Echo.quoted(longest.id)) counts "
                + "those of \(longest.days): what is deleted is not counted; keep them for \(longest.days) days, or shorten "
                + "signaturePeriodDays"
        )
    }
}
