/// One call of the service's HTTP interface.
struct Call: Sendable {
    /// GET or POST.
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    let method: Method
    /// The path with its query.
    let path: String
    /// The body, JSON; `nil` for none.
    let body: [UInt8]?
    /// After which outcomes it may be sent again.
    let repeats: Repeats

    init(post path: String, body: [UInt8], repeats: Repeats) {
        self.method = .post
        self.path = path
        self.body = body
        self.repeats = repeats
    }

    init(get path: String) {
        self.method = .get
        self.path = path
        self.body = nil
        self.repeats = .always
    }
}
