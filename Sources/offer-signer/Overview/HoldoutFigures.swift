import Offers
import Storage
import StrictJSON

/// The figures of holdouts, for an ``Overview``.
///
/// Of many customers it takes a while to read: nobody waits for it, and the last figures are shown meanwhile.
actor HoldoutFigures {
    struct Value {
        fileprivate var arms: [AppStoreEnvironment: [HoldoutName: HoldoutArms]] = [:]
        /// `nil` before the first reading.
        fileprivate var readAt: Timestamp?
        fileprivate var fault: String?
    }

    private let database: any SQLDatabase
    private var known = Value()
    private var isReading = false
    private var next = ContinuousClock.now

    init(_ database: any SQLDatabase) { self.database = database }

    func value() -> Value {
        if !isReading, next <= .now {
            isReading = true
            Task { await read() }
        }
        return known
    }

    private func read() async {
        let start = ContinuousClock.now
        var value = Value(readAt: WallClock.now())
        do throws(StorageFailure) {
            for environment in Self.environments {
                value.arms[environment] = try await database.holdoutArms(in: environment)
            }
            known = value
        } catch {
            known.fault = error.detail
        }
        next = .now + max(.seconds(60), start.duration(to: .now) * 20)
        isReading = false
    }

    fileprivate static let environments: [AppStoreEnvironment] = [.production, .sandbox]
}

extension JSONWriter {
    mutating func members(of holdouts: HoldoutFigures.Value, _ apps: [App]) {
        if let fault = holdouts.fault { member("fault", fault) }
        guard let readAt = holdouts.readAt else { return }
        member("readAt", readAt.rfc3339)
        member("note", HoldoutReport.limits)
        objects("environments", HoldoutFigures.environments) { environment, json in
            json.members(of: HoldoutReport(holdouts.arms[environment] ?? [:], of: apps, in: environment))
        }
    }
}
