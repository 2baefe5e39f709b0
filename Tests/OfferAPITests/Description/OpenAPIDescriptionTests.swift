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

    /// The values of a schema, each of which its description has to explain.
    private func values(of schema: String) throws -> [String] {
        let schema = try member("components", "schemas", schema)
        let values = try #require((schema["enum"] ?? schema["x-known-values"]) as? [String])
        let words = try #require(schema["description"] as? String)
        for value in values { #expect(words.contains("- `\(value)`: "), "\(value) is not explained") }
        return values
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
        #expect(described == Dictionary(uniqueKeysWithValues: Call.all.map { ($0.path, $0.method.rawValue) }))
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

    @Test("Every list of words in an answer but the verdicts is open: a plain string, whose known values are beside it")
    func openLists() throws {
        let schemas = try member("components", "schemas").compactMapValues { $0 as? [String: Any] }
        #expect(schemas.filter { $0.value["enum"] is [String] }.keys.sorted() == ["SignatureFormat", "Verdict"])
        let open = schemas.filter { $0.value["x-known-values"] != nil }
        #expect(open.count == 13)
        for (name, schema) in open {
            #expect(Set(schema.keys) == ["type", "description", "x-known-values"], "\(name)")
            #expect(schema["type"] as? String == "string", "\(name)")
        }
    }

    @Test("No schema is made of others, and no member has two types: generators name and read these each in their way")
    func plainSchemas() throws {
        // Conditions, which generators pass over.
        let conditions: Set<String> = ["if", "then", "else", "not", "dependentSchemas", "examples", "example", "value"]
        var found: [String] = []
        func look(_ value: Any, _ path: String) {
            for element in value as? [Any] ?? [] { look(element, path) }
            for (name, inner) in value as? [String: Any] ?? [:] where !conditions.contains(name) {
                let isComposed = ["oneOf", "anyOf", "allOf", "patternProperties"].contains(name)
                if isComposed || name == "type" && inner is [Any] { found.append("\(path)/\(name)") }
                look(inner, "\(path)/\(name)")
            }
        }
        look(document, "")
        #expect(found.isEmpty)
    }

    @Test("A reason's verdict is the one under which the description lists it")
    func verdicts() throws {
        let words = try #require(try member("components", "schemas", "Reason")["description"] as? String)
        let parts = words.components(separatedBy: "\n\n").suffix(3)
        for (verdict, part) in zip([Verdict.eligible, .ineligible, .unknown], parts) {
            let listed = part.matches(of: /- `(\w+)`/).map { String($0.1) }
            #expect(listed == Reason.allCases.filter { $0.verdict == verdict }.map(\.rawValue))
        }
    }

    @Test("The kinds of evidence are those of the code")
    func evidence() throws {
        let members = Set(try member("components", "schemas", "Evidence", "properties").keys)
        #expect(members == Set(EvidenceKind.allCases.map(\.rawValue)).union(["signedRenewalInfos", "isNew"]))
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
