import Foundation

extension Error {
    /// Why a file could not be read or written, in the system's words: Foundation's have more of them, and say less.
    var reason: String {
        guard let code = ((self as? CocoaError)?.underlying as? POSIXError)?.code else { return localizedDescription }
        return String(cString: strerror(code.rawValue))
    }
}
