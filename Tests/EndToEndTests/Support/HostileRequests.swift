import Foundation

/// Requests that nobody should send, from a seed: the same seed makes the same requests.
struct HostileRequests {
    /// A request, and whether it may turn out to be in order.
    struct Request {
        let bytes: Data
        let mayBeGood: Bool
        let kind: String
    }

    private var generator: Generator

    init(seed: UInt64) { generator = Generator(state: seed) }

    /// The next request.
    mutating func next() -> Request {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: noise()
        case 1, 2: head()
        case 3: framing()
        case 4: target()
        case 5, 6: json()
        case 7: mutatedBody()
        default: mutatedRequest()
        }
    }

    // MARK: Kinds

    private mutating func noise() -> Request {
        let length = Int.random(in: 1..<400, using: &generator)
        var bytes = Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
        // Otherwise a line may never end, and the request is cut by its deadline alone.
        bytes.append(Data("\r\n\r\n".utf8))
        return Request(bytes: bytes, mayBeGood: false, kind: "noise")
    }

    private mutating func head() -> Request {
        let field = pick([
            "X: a\rb", "X: a\nY: b", "X: a\u{0}b", "X\u{0}: a", ": empty", "X : a", "no colon", "X: a\r\n folded",
            "X: \u{7F}", "Ü: a", "X: Ü\u{2063}", "Host: b", "Transfer-Encoding: gzip",
            "Transfer-Encoding: chunked, chunked",
            "Expect: the worst", "Content-Length: 1e3", "Content-Length: 0x10", "Content-Length: \(Int.max)0",
            "Content-Length:", "Connection: close, \u{0}", "Content-Type: \u{1}", "Authorization: Bearer \u{0}",
            "Authorization: Basic YTpi", "Authorization: Bearer \(String(repeating: "A", count: 9000))",
            "X: " + String(repeating: "a", count: 20_000), String(repeating: "X: a\r\n", count: 300) + "X: a",
            "Cookie: " + String(repeating: "a=b; ", count: 1000), "Content-Encoding: gzip", "Upgrade: h2c",
        ])
        let line = pick(["POST /v1/signatures", "GET /v1/products", "PUT /v1/eligibility", "POST /v1/diagnoses"])
        return Request(
            bytes: Data("\(line) HTTP/1.1\r\nHost: a\r\n\(field)\r\nContent-Type: application/json\r\n\r\n".utf8),
            mayBeGood: false,
            kind: "head"
        )
    }

    private mutating func framing() -> Request {
        let rest = pick([
            "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
            "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: 2, 2\r\n\r\n{}",
            "Content-Length: -2\r\n\r\n{}",
            "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2;\(String(repeating: "x", count: 5000))\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: \u{0}\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n", "Transfer-Encoding: chunked\r\nX: y\r\n\r\n2\r\n{}",
            "Transfer-Encoding:\u{B}chunked\r\n\r\n0\r\n\r\n", "Content-Length: 100\r\n\r\n{}",
            "Content-Length: 2\r\n\r\n{}GET /v1/products HTTP/1.1\r\n\r\n",
        ])
        return Request(
            bytes: Data("POST /v1/signatures HTTP/1.1\r\nHost: a\r\n\(Self.credentials)\(rest)".utf8),
            mayBeGood: false,
            kind: "framing"
        )
    }

    private mutating func target() -> Request {
        let target = pick([
            "", "*", "/", "//", "http://", "http://a", "http://a:b/v1/products", "/v1/../v1/products",
            "/v1/products%00",
            "/v1/%70roducts", "/v1/products?\u{0}", "/v1/products?%", "/v1/products?bundleId=%ff%fe",
            "/v1/products?a=b&a=b",
            "/v1/products?countryCode=\u{2063}", "/" + String(repeating: "a", count: 15_000), "/v1/products#x", "a:b",
            ":",
            "http://[::1", "/v1/products?" + String(repeating: "bundleId=x&", count: 500), "/\u{FFFD}",
            "\\v1\\products",
        ])
        let method = pick(["GET", "POST", "HEAD", "OPTIONS", "CONNECT", "TRACE", "BREW", "get", "G\u{0}T", "PRI"])
        let version = pick(["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.10", "http/1.1", ""])
        return Request(
            bytes: Data(
                "\(method) \(target) \(version)\r\nHost: a\r\n\(Self.credentials)Content-Length: 0\r\n\r\n".utf8
            ),
            mayBeGood: false,
            kind: "target"
        )
    }

    private mutating func json() -> Request {
        let deep = Int.random(in: 33..<4000, using: &generator)
        let body = pick([
            String(repeating: "[", count: deep), String(repeating: #"{"evidence":"#, count: deep / 10),
            #"{"evidence":{"receiptResponse":"# + String(repeating: #"{"a":"#, count: deep / 10),
            #"{"evidence":{"receiptResponse":"# + String(repeating: "[", count: deep)
                + String(repeating: "]", count: deep) + "}}",
            #"{"offers":[{"productId":"p","offerId":"o"}],"offers":[]}"#, #"{"applicationUsername":"\ud800"}"#,
            #"{"applicationUsername":"\udc00\ud800","offers":[]}"#, "{\"applicationUsername\":\"\u{0}\"}",
            #"{"applicationUsername":"\u0000"}"#, "{\"applicationUsername\":\"a\u{2063}b\"}",
            #"{"applicationUsername":"a\u2063b"}"#, #"{"bundleId":"\u2063"}"#, #"{"explain":1e999999999}"#,
            #"{"explain":\#(String(repeating: "9", count: 5000))}"#, #"{"explain":-0.0e-0}"#, #"{"explain":01}"#,
            #"{"evidence":{"receiptResponse":{"status":\#(String(repeating: "9", count: 400))}}}"#,
            #"{"evidence":{"receiptResponse":{"status":1e400}}}"#, #"{"evidence":{"transactionId":"../../x"}}"#,
            #"{"evidence":{"signedTransactions":["a.b.c"]},"offers":[{"productId":"p","offerId":"o"}]}"#,
            #"{"evidence":{"signedTransactions":[\#(Array(repeating: "\"\"", count: 60).joined(separator: ","))]}}"#,
            "\u{FEFF}{}", "{}{}", "nul", "\"", "\"\\", "[1,]", "{\"a\":}", "NaN", "", " ", "{\"\":\"\"}",
            #"{"offers":[\#(Array(repeating: #"{"productId":"p","offerId":"o"}"#, count: 101).joined(separator: ","))]}"#,
            #"{"appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f60813\ud83d"}"#,
            #"{"evidence":{"receipt":"\#(String(repeating: "A", count: 4001))"},"applicationUsername":"a"}"#,
        ])
        return Request(
            bytes: post(Data(body.utf8), to: [Self.paths[0], Self.paths[2], Self.paths[3]]),
            mayBeGood: false,
            kind: "json"
        )
    }

    private mutating func mutatedBody() -> Request {
        Request(bytes: post(mutate(Data(Self.good.utf8)), to: Self.paths[...]), mayBeGood: true, kind: "mutated body")
    }

    private mutating func mutatedRequest() -> Request {
        Request(
            bytes: mutate(post(Data(Self.good.utf8), to: Self.paths[...])),
            mayBeGood: true,
            kind: "mutated request"
        )
    }

    // MARK: Pieces

    private static let credentials =
        "Authorization: Bearer \(Installation.token)\r\nContent-Type: application/json\r\n"

    private static let good = #"""
        {"applicationUsername":"alice","explain":true,"formats":["discount"],"evidence":{"receiptResponse":{"status":0,
        "environment":"Production","receipt":{"receipt_type":"Production","bundle_id":"com.example.reader",
        "request_date_ms":"1795262400000","in_app":[]},"pending_renewal_info":[{"original_transaction_id":"1",
        "product_id":"pro.monthly","auto_renew_status":"1"}]}},"offers":[{"productId":"pro.monthly","offerId":"anyone"}]}
        """#

    /// The last takes any object, and answers that it is no report.
    private static let paths = [
        "signatures", "eligibility", "diagnoses", "introductory-eligibility-signatures", "product-reports",
    ]

    private mutating func post(_ body: Data, to paths: ArraySlice<String>) -> Data {
        let path = pick(Array(paths))
        let head = "POST /v1/\(path) HTTP/1.1\r\nHost: a\r\n\(Self.credentials)Content-Length: \(body.count)\r\n\r\n"
        return Data(head.utf8) + body
    }

    private mutating func mutate(_ bytes: Data) -> Data {
        var bytes = [UInt8](bytes)
        for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(contentsOf: pick(Self.pieces), at: index)
            case 4: bytes.replaceSubrange(index..<min(index + 20, bytes.count), with: bytes[..<min(10, bytes.count)])
            default: bytes = Array(bytes[..<index]) + bytes[max(0, index - 30)...]
            }
        }
        return Data(bytes)
    }

    private static let pieces: [[UInt8]] = [
        [0], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x81, 0xA3], [0xF4, 0x90, 0x80, 0x80], Array("\r\n".utf8),
        Array("\r\n\r\n".utf8), Array("\\ud800".utf8), Array("\"".utf8), Array("[[[[[[[[".utf8), Array("}".utf8),
        Array("1e999".utf8), Array(",".utf8), Array("\\u2063".utf8), Array("null".utf8),
    ]

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
}

/// SplitMix64.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
