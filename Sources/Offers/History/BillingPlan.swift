/// How a customer pays for a subscription (`billingPlanType`, App Store Server API 1.21).
public indirect enum BillingPlan: Equatable, Sendable {
    /// The whole period at its beginning (`BILLED_UPFRONT`).
    case upfront
    /// Month by month, for a commitment of several months (`MONTHLY`); what is known of the commitment.
    case monthly(Commitment?)

    /// How far a commitment has come (`commitmentInfo` of a transaction): it is shown, and decides nothing.
    public struct Commitment: Equatable, Sendable {
        /// The billing period that was paid, from 1.
        public let billingPeriodNumber: Int64?
        /// How many billing periods the commitment has.
        public let totalBillingPeriods: Int64?
        /// When the commitment ends.
        public let expiresDate: Timestamp?

        /// Creates a commitment.
        ///
        /// - Parameters:
        ///   - billingPeriodNumber: The billing period that was paid, from 1.
        ///   - totalBillingPeriods: How many billing periods it has.
        ///   - expiresDate: When it ends.
        public init(billingPeriodNumber: Int64?, totalBillingPeriods: Int64?, expiresDate: Timestamp?) {
            self.billingPeriodNumber = billingPeriodNumber
            self.totalBillingPeriods = totalBillingPeriods
            self.expiresDate = expiresDate
        }
    }
}
