import ArgumentParser
import Offers

enum EnvironmentArgument: String, CaseIterable, ExpressibleByArgument {
    case production = "Production"
    case sandbox = "Sandbox"

    var environment: AppStoreEnvironment { self == .production ? .production : .sandbox }
}

extension SignatureFormat: ExpressibleByArgument {}

extension Identifier {
    /// Refuses what is no identifier's length, of arguments by their options.
    static func check(_ arguments: KeyValuePairs<String, String>) throws {
        for (option, text) in arguments where !(1...maximumBytes).contains(text.utf8.count) {
            throw ValidationError("\(option) has 1 to \(maximumBytes) bytes.")
        }
    }
}

extension Timestamp {
    /// How many digits milliseconds have, from 1973 on, as fewer are seconds by mistake, to the year 9999, the last one
    /// that RFC 3339 has; 0 is the beginning.
    private static let digits = 12...15

    /// A moment as commands take it: RFC 3339, a day that stands for its start in UTC, or milliseconds since 1970 as the
    /// records and answers have them.
    static func argument(_ text: String) throws -> Timestamp {
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            guard let number = Int64(text), number == 0 || digits.contains(text.utf8.count) else {
                throw ValidationError(
                    "As a number it is milliseconds since 1970: 0, or one of \(digits.lowerBound) to "
                        + "\(digits.upperBound) digits, as in 1769817600000."
                )
            }
            return Timestamp(millisecondsSince1970: number)
        }
        let isDay = text.utf8.count == 10
        do throws(ValueFault) {
            return try ValueKind<Timestamp>.time.parse(isDay ? text + "T00:00:00Z" : text)
        } catch {
            throw ValidationError("It \(error.message).")
        }
    }
}
