// What docs/diagnosis.md uses of Apple's OSLog, declared as there: only to see whether the page compiles.

package struct Logger {
    package init() {}
    package func error(_ message: OSLogMessage) {}
}

package struct OSLogPrivacy { package static let `public` = OSLogPrivacy() }

package struct OSLogMessage: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        package init(literalCapacity: Int, interpolationCount: Int) {}
        package mutating func appendLiteral(_ literal: String) {}
        package mutating func appendInterpolation(_ value: @autoclosure () -> String, privacy: OSLogPrivacy) {}
    }

    package init(stringLiteral value: String) {}
    package init(stringInterpolation: StringInterpolation) {}
}
