import Offers

/// What the queries of a funnel are asked with.
struct FunnelQuestion: Sendable {
    /// The first day and the one after the last.
    let days: (Int64, Int64)
    /// The first moment and the one after the last, in milliseconds since 1970.
    let times: (Int64, Int64)
    /// The environment.
    let environment: String
    /// What stands for the environment as well.
    let alternative: String

    init(_ period: FunnelPeriod, _ environment: AppStoreEnvironment) {
        times = (period.start?.millisecondsSince1970 ?? .min, period.end?.millisecondsSince1970 ?? .max)
        days = (period.start.map(FunnelPeriod.day) ?? .min, period.end.map(FunnelPeriod.day) ?? .max)
        self.environment = environment.rawValue
        alternative = environment == .production ? "" : environment.rawValue
    }
}
