import COpenSSL

/// A step that OpenSSL refused.
///
/// The text holds the function's name and OpenSSL's fixed reason texts, never the data of an error.
struct OpenSSLFailure: Error {
    /// The step and the reasons, as a clause: "EVP_PKEY_sign failed: no private key".
    let detail: String

    /// Empties the calling thread's error queue into a failure.
    ///
    /// To be called at once, on the thread of the failed call.
    ///
    /// - Parameter step: The function that failed.
    init(after step: String) {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            if let reason = unsafe ERR_reason_error_string(code) {
                unsafe reasons.append(String(cString: reason))
            } else {
                reasons.append("error \(code)")
            }
        }
        detail = "\(step) failed" + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: ", "))
    }

    /// Forgets what earlier calls left in the calling thread's error queue, so that a failure tells its own reasons.
    static func clearQueue() {
        ERR_clear_error()
    }
}
