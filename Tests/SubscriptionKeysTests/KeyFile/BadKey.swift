import Foundation
import SubscriptionKeys
import Testing

/// A file that is no key for this service, and how that has to be called.
struct BadKey: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The fault's code.
    let code: KeyError.Code
    /// What the text has to say of the file.
    let says: String
    /// The file's bytes.
    let make: @Sendable () throws -> [UInt8]

    init(_ name: String, _ code: KeyError.Code, says: String, make: @escaping @Sendable () throws -> [UInt8]) {
        testDescription = name
        self.code = code
        self.says = says
        self.make = make
    }
}
