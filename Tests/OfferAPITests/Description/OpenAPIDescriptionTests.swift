import AppStore
import Foundation
import NIOHTTP1
import Offers
import StrictJSON
import Testing

@testable import OfferAPI

/// A test with the running service holds the description to the answers; this one to the code, by what it enumerates.
@Suite("The OpenAPI description and the code")
struct OpenAPIDescriptionTests {
    private let document: [String: Any]

    init() throws {
        let json = try #require(OpenAPIDescription.json)
        document = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }

    private func member(_ path: String...) throws -> [String: Any] {
        var value = document
        for name in path { value = try #require(value[name] as? [String: Any], "\(path)") }
        return value
    }

    /// The schema that lists the values of an enumeration: itself, or the known ones of one that is open.
    private func listing(of schema: String) throws -> [String: Any] {
        let open = try member("components", "schemas", schema)
        guard let branches = open["anyOf"] as? [[String: String]] else { return open }
        #expect(branches == [["$ref": "#/components/schemas/Known\(schema)"], ["type": "string"]])
        return try member("components", "schemas", "Known\(schema)")
    }

    /// The values of a schema, each of which its description has to explain.
    private func values(of schema: String) throws -> [String] {
        let schema = try listing(of: schema)
        let values = try #require(schema["enum"] as? [String])
        let words = try #require(schema["description"] as? String)
        for value in values { #expect(words.contains("- `\(value)`: "), "\(value) is not explained") }
        return values
    }

    private func source(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test("Each path of the listeners is described with its method, and no other")
    func paths() throws {
        var described: [String: String] = [:]
        for (path, operations) in try member("paths") {
            described[path] = (operations as? [String: Any])?.keys.map { $0.uppercased() }.sorted().joined(
                separator: ", "
            )
        }
        for path in ["/v1/notifications", "/v1/retention-messages"] {
            #expect(described.removeValue(forKey: path) == "POST", "on a listener of its own")
        }
        #expect(
            described == Dictionary(uniqueKeysWithValues: Call.all.map { ($0.path, $0.method.rawValue) })
        )
    }

    @Test("Verdicts, reasons, causes and the rest are those of the code, in its order, each explained")
    func enumerations() throws {
        #expect(try values(of: "Reason") == Reason.allCases.map(\.rawValue))
        #expect(try values(of: "IntroductoryReason") == IntroductoryReason.allCases.map(\.rawValue))
        #expect(try values(of: "DiagnosisCode") == DiagnosisCode.allCases.map(\.rawValue))
        #expect(try values(of: "Environment") == AppStoreEnvironment.allCases.map(\.rawValue))
        #expect(try Set(values(of: "Verdict")) == Set(Reason.allCases.map(\.verdict.rawValue)))
        for value in try values(of: "SignatureFormat") { #expect(SignatureFormat(rawValue: value) != nil) }
        for value in try values(of: "Begins") { #expect(OfferStart(rawValue: value) != nil) }
    }

    @Test("Every enumeration of an answer but the verdict is open, so that a generated client takes what comes later")
    func openEnumerations() throws {
        let schemas = try member("components", "schemas")
        let closed = schemas.filter { ($0.value as? [String: Any])?["enum"] is [String] }.keys
        #expect(Set(closed.filter { !$0.hasPrefix("Known") }) == ["Verdict", "SignatureFormat"])
        for name in closed where name.hasPrefix("Known") {
            let open = try member("components", "schemas", String(name.dropFirst("Known".count)))
            #expect(open["anyOf"] is [[String: String]], "\(name)")
            let uses = try JSONSerialization.data(withJSONObject: document, options: .withoutEscapingSlashes)
            let reference = "\"#/components/schemas/\(name)\""
            #expect(String(decoding: uses, as: UTF8.self).components(separatedBy: reference).count == 2, "\(name)")
        }
    }

    @Test("A reason's verdict is the one under which the description lists it")
    func verdicts() throws {
        let words = try #require(try listing(of: "Reason")["description"] as? String)
        let parts = words.components(separatedBy: "\n\n").suffix(3)
        for (verdict, part) in zip([Verdict.eligible, .ineligible, .unknown], parts) {
            let listed = part.matches(of: /- `(\w+)`/).map { String($0.1) }
            #expect(listed == Reason.allCases.filter { $0.verdict == verdict }.map(\.rawValue))
        }
    }

    @Test("The kinds of evidence are those of the code")
    func evidence() throws {
        let kinds = try #require(try member("components", "schemas", "Evidence")["oneOf"] as? [[String: Any]])
        let named = kinds.compactMap { ($0["required"] as? [String])?.first }
        #expect(named == EvidenceKind.allCases.map(\.rawValue))
    }

    @Test("Each call says which scope it needs")
    func scopes() throws {
        var named: Set<String> = []
        let open = ["/v1/openapi.json", "/v1/notifications", "/v1/retention-messages"]
        for (path, operations) in try member("paths") where !open.contains(path) {
            let operation = (operations as? [String: [String: Any]])?.values.first
            let scope = (operation?["description"] as? String)?.firstMatch(of: /Needs the scope `(\w+)`/)?.1
            named.insert(String(try #require(scope, "\(path)")))
        }
        #expect(named == Set(ClientScope.allCases.map(\.rawValue)))
    }

    @Test("Each call may be answered 400, as each request may lack its Host")
    func badRequests() throws {
        for (path, operations) in try member("paths") {
            let operation = (operations as? [String: [String: Any]])?.values.first
            #expect((operation?["responses"] as? [String: Any])?["400"] != nil, "\(path)")
        }
    }

    @Test("Each member of Apple's answers that is read is listed")
    func membersOfAnswers() throws {
        let transaction = Set(try member("components", "schemas", "AppleTransaction", "properties").keys)
        let renewal = Set(try member("components", "schemas", "AppleRenewalInfo", "properties").keys)
        let response = try member("components", "schemas", "VerifyReceiptResponse")
        let parts = try #require(try member("components", "schemas", "AppleReceipt")["allOf"] as? [[String: Any]])
        #expect(parts.first?["$ref"] as? String == "#/components/schemas/AppleTransaction")
        let receipt = Set((parts.last?["properties"] as? [String: Any] ?? [:]).keys)
        let own = Set((response["properties"] as? [String: Any] ?? [:]).keys)
        let words = try #require(response["description"] as? String)
        #expect(words.contains("`latest_expired_receipt_info`"))
        #expect((response["patternProperties"] as? [String: Any])?.keys.first == "^is[-_]retryable$")
        for (file, members, listed) in [
            ("Receipt", "ReceiptMember", transaction.union(receipt)),
            ("VerifyReceiptResponse", "PendingRenewalMember", renewal),
            (
                "VerifyReceiptResponse", "ResponseMember",
                own.union(["is-retryable", "is_retryable", "latest_expired_receipt_info"])
            ),
        ] {
            let text = try source("Sources/AppStore/VerifyReceipt/\(file).swift")
            let type = try #require(text.components(separatedBy: "enum \(members): ").dropFirst().first)
            let cases = try #require(type.components(separatedBy: "\n}\n").first)
            let read = Set(cases.matches(of: /case \w+ = "([\w-]+)"/).map { String($0.1) })
            #expect(read.count > 2, "\(members)")
            #expect(read.subtracting(listed).isEmpty, "\(read.subtracting(listed))")
        }
    }

    @Test("Dates as Apple and Xcode write them fit their description")
    func dates() throws {
        for (schema, dates) in [
            ("AppleDate", ["", "0", "1394619485000", "1768903200000.5"]),
            ("AppleDateText", ["", "1394619485000", "2014-03-12 10:18:05 Etc/GMT", "1999-12-31 23:59:59 Etc/GMT"]),
        ] {
            let pattern = try Regex(try #require(try member("components", "schemas", schema)["pattern"] as? String))
            for date in dates { #expect(date.wholeMatch(of: pattern) != nil, "\(schema): \(date)") }
            #expect("soon".wholeMatch(of: pattern) == nil)
        }
    }

    @Test("The codes of problems are those that the sources write, each explained")
    func codes() throws {
        let described = try Set(values(of: "ProblemCode"))
        var written: Set<String> = Set(SignedDataFault.Code.allCases.map(\.rawValue))
        for target in ["OfferAPI", "OfferService", "AppStore", "Offers", "StrictJSON"] {
            let root = URL(filePath: #filePath).appending(path: "../../../../Sources/\(target)").standardized
            let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                written.formUnion(text.matches(of: /code: "(\w+)"/).map { String($0.1) })
                guard file.lastPathComponent == "JSONFault.swift" else { continue }
                written.formUnion(text.matches(of: /case \w+ = "(\w+)"/).map { String($0.1) })
            }
        }
        // A report's own, which is no problem.
        #expect(written.remove("no_room") != nil)
        // Of a program that does not ask the App Store, which the service always does.
        #expect(written.remove("app_store_not_asked") != nil)
        #expect(written.symmetricDifference(described).isEmpty, "\(written.symmetricDifference(described).sorted())")
    }
}
