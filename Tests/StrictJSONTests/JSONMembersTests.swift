import StrictJSON
import Testing

@Suite("Reading objects whose members are known")
struct JSONMembersTests {
    enum Name: String, CaseIterable {
        case empty = ""
        case one = "a"
        case other = "b"
        // These three share their length, first, middle and last byte.
        case twin = "purchase_date"
        case falseTwin = "purcXase_date"
        case secondFalseTwin = "purcYase_date"
        case accented = "café"
    }

    private static let table = JSONMembers(Name.self)

    private static func read(
        _ text: String,
        refusesDuplicates: Bool = true
    ) throws(JSONFault) -> [(name: Name?, value: Int64)] {
        var reader = JSONReader(Array(text.utf8), refusesDuplicates: refusesDuplicates)
        var found: [(Name?, Int64)] = []
        try reader.readObject(table) { (name, reader) throws(JSONFault) in found.append((name, try reader.readInt64()))
        }
        try reader.readEnd()
        return found
    }

    @Test("Every name is found, and no other text is taken for one", arguments: Name.allCases)
    func found(name: Name) throws {
        let members = try Self.read(#"{"zzz":1,"\#(name.rawValue)":2,"\#(name.rawValue)x":3,"purcZase_date":4}"#)
        #expect(members.map(\.name) == [nil, name, nil, nil])
        #expect(members.map(\.value) == [1, 2, 3, 4])
    }

    @Test(
        "A name counts by what it says, however it is written",
        arguments: [#"{"\u0061":1}"#, #"{ "a" : 1 }"#, "{\n\"\\u0061\"\t:1}"]
    )
    func escapes(text: String) throws {
        #expect(try Self.read(text).map(\.name) == [.one])
    }

    @Test("A known member that is there twice is refused, with its name, unless duplicates are allowed")
    func duplicates() throws {
        let text = #"{"a":1,"b":2,"\u0061":3}"#
        let fault = #expect(throws: JSONFault.self) { try Self.read(text) }
        #expect(fault?.code == .duplicateMember)
        #expect(fault?.pointer == "/a")
        #expect(try Self.read(text, refusesDuplicates: false).map(\.value) == [1, 2, 3])
    }

    @Test(
        "A fault in a value is pointed to by the member's name, known or not",
        arguments: ["a", "caf~/\\u00e9", "zz"]
    )
    func pointers(name: String) throws {
        let fault = #expect(throws: JSONFault.self) { try Self.read("{\"\(name)\":true}") }
        #expect(fault?.code == .wrongType)
        #expect(fault?.pointer == (name.hasPrefix("caf") ? "/caf~0~1é" : "/\(name)"))
    }

    @Test(
        "An object is an object to its end",
        arguments: ["", "{", #"{"a""#, #"{"a":1"#, #"{"a":1,}"#, "[]", #"{a:1}"#]
    )
    func malformed(text: String) {
        #expect(throws: JSONFault.self) { try Self.read(text) }
    }
}
