import StrictJSON

/// A request to the simulator's own routes that cannot be followed.
struct RequestFault: Error, Equatable {
    /// The HTTP status.
    let status: Int
    /// The fault in a sentence, with its mend.
    let detail: String
    /// The member at fault, as a JSON Pointer (RFC 6901).
    var pointer: String?

    /// A member with a value that cannot be taken: 400.
    ///
    /// - Parameters:
    ///   - member: The member's name.
    ///   - detail: What is wrong and what would be right.
    /// - Returns: The fault.
    static func member(_ member: String, _ detail: String) -> RequestFault {
        RequestFault(status: 400, detail: detail, pointer: "/" + member)
    }

    /// A name that nothing has: 404.
    ///
    /// - Parameter detail: What there is instead.
    /// - Returns: The fault.
    static func notFound(_ detail: String) -> RequestFault {
        RequestFault(status: 404, detail: detail)
    }

    /// Problem details (RFC 9457).
    var json: [UInt8] {
        JSONWriter.text { json in
            json.member("title", status == 404 ? "Not Found" : "Bad Request")
            json.member("status", Int64(status))
            json.member("detail", detail)
            json.optional("pointer", pointer)
        }
    }
}
