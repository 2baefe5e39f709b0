/// What becomes of a kind of customer whom an offer leaves out by default; the raw values are those of `afterRefund` and
/// `familyShared` in `catalog.yaml`.
public enum OfferTreatment: String, CaseIterable, Sendable {
    /// They do not get the offer.
    case refuse
    /// They are judged by the offer's other rules.
    case allow
}
