import Foundation
import Offers

/// A duration as StoreKit names them (`Product.SubscriptionPeriod`), such as a month.
struct SubscriptionPeriod: Hashable, Sendable {
    /// The units, named as ISO 8601 does.
    private enum Unit: Character {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"

        var component: Calendar.Component {
            switch self {
            case .day: .day
            case .week: .weekOfYear
            case .month: .month
            case .year: .year
            }
        }
    }

    /// A month: how long a payment of a commitment lasts.
    static let month = SubscriptionPeriod(count: 1, unit: .month)

    /// ISO 8601, such as `P1M`: how Apple's payloads write it.
    let text: String
    private let count: Int
    private let unit: Unit

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Reads an ISO 8601 duration of one unit.
    ///
    /// - Parameter text: `P`, a number from 1 to 366 and one of `D`, `W`, `M` and `Y`. Anything else gives `nil`.
    init?(_ text: String) {
        guard text.first == "P", let last = text.last, let unit = Unit(rawValue: last),
            let count = Int(text.dropFirst().dropLast()), (1...366).contains(count)
        else { return nil }
        self.init(count: count, unit: unit)
    }

    private init(count: Int, unit: Unit) {
        text = "P\(count)\(unit.rawValue)"
        self.count = count
        self.unit = unit
    }

    /// The moment that many periods after another, in the Gregorian calendar and UTC.
    ///
    /// - Parameters:
    ///   - start: Where to count from.
    ///   - times: How many periods; negative counts back.
    /// - Returns: The moment.
    func after(_ start: Timestamp, times: Int = 1) -> Timestamp {
        let date = Self.calendar.date(byAdding: unit.component, value: count * times, to: start.date)
        return Timestamp(date ?? start.date)
    }
}

extension SubscriptionPeriod: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let period = SubscriptionPeriod(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "No duration such as P1M.")
        }
        self = period
    }
}
