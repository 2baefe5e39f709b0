import Testing

@testable import offer_signer

/// What is not a YAML file as it should be is refused with its line, in bounded time.
@Suite struct YAMLDocumentTests {
    @Test(arguments: [
        ("", "offer-signer.yaml: is empty"),
        ("# nothing\n", "offer-signer.yaml: is empty"),
        ("- a\n", "offer-signer.yaml:1: is a list; a mapping is needed"),
        ("catalog\n", "offer-signer.yaml:1: is a single value; a mapping is needed"),
        ("server:\n\tport: 1\n", "offer-signer.yaml:2: is not YAML: "),
        ("server: {\n", "offer-signer.yaml:2: is not YAML: "),
        ("catalog: a\n---\ncatalog: b\n", "offer-signer.yaml:2: has a second YAML document"),
        ("a: 1\nb: \0\n", "offer-signer.yaml:2: is not YAML: control characters"),
        ("catalog: *name\n", "offer-signer.yaml:1: is not YAML: found undefined alias"),
    ])
    func isOneFaultWithItsLine(_ text: String, _ start: String) throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array(text.utf8), to: "offer-signer.yaml")
        let faults = fixture.faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.hasPrefix(start) == true, "\(faults)")
    }

    @Test func tabsAreNamed() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("server:\n\tport: 1\n".utf8), to: "offer-signer.yaml")
        #expect(fixture.faults().first?.contains("; indent with spaces, ") == true)
    }

    @Test func textThatIsNotUTF8IsNamedWithItsLine() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array("apps:\n  - bundleId: caf".utf8) + [0xE9, 0x0A], to: "catalog.yaml")
        #expect(fixture.faults() == ["catalog.yaml:2: is not UTF-8; save the file in UTF-8"])
    }

    @Test func aByteOrderMarkIsNoFault() throws {
        let fixture = try ConfigurationFixture()
        for (text, file) in [
            (ConfigurationFixture.clients, "clients.yaml"), (ConfigurationFixture.main, "offer-signer.yaml"),
        ] {
            try fixture.write([0xEF, 0xBB, 0xBF] + Array(text.utf8), to: file)
            #expect(fixture.faults() == [])
        }
    }

    @Test func windowsLineEndsAreNoFaultAndCountOnce() throws {
        let fixture = try ConfigurationFixture()
        let text = ConfigurationFixture.main.replacing("\n", with: "\r\n")
        try fixture.write(Array(text.utf8), to: "offer-signer.yaml")
        #expect(fixture.faults().isEmpty)
        try fixture.write(Array(text.replacing("86400", with: "1d").utf8), to: "offer-signer.yaml")
        #expect(fixture.faults().first?.hasPrefix("offer-signer.yaml:7: evidence.maximumAgeSeconds: ") == true)
    }

    @Test(
        "A key that is given twice is a fault, quoted or not",
        arguments: [
            ("catalog: a\nadmin:\n  host: ::1\n  port: 1\n  host: ::1\n", 3, "host"),
            ("server: { port: 1, \"port\": 2 }\n", 1, "port"), ("'catalog': a\ncatalog: b\n", 1, "catalog"),
        ]
    )
    func repeatedKey(_ text: String, _ line: Int, _ key: String) throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array(text.utf8), to: "offer-signer.yaml")
        #expect(fixture.faults() == ["offer-signer.yaml:\(line): \"\(key)\" is given twice in this mapping; keep one"])
    }

    @Test func anchorsAndAliasesAreRefused() throws {
        let fixture = try ConfigurationFixture([
            .init("offer-signer.yaml", "server:   { host: 127.0.0.1", "server:   { host: &here 127.0.0.1"),
            .init("offer-signer.yaml", "admin:    { host: 127.0.0.1", "admin:    { host: *here"),
        ])
        let message = "has a YAML anchor or is an alias; they are not supported, write the value out"
        #expect(
            fixture.faults() == [
                "offer-signer.yaml:1: server.host: \(message)", "offer-signer.yaml:2: admin.host: \(message)",
            ]
        )
    }

    /// Nine levels of nine aliases stand for 400 million nodes, and a mapping compares its keys.
    @Test(.timeLimit(.minutes(30))) func aliasesOfAliasesDoNotGrow() throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let fixture = try ConfigurationFixture()
        try fixture.write(Array((text + "? *a9\n: 1\n").utf8), to: "catalog.yaml")
        let faults = fixture.faults()
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("catalog.yaml:2: has too many YAML anchors and aliases") == true)
    }

    @Test func deepNestingIsRefused() throws {
        let fixture = try ConfigurationFixture()
        try fixture.write(Array(repeating: UInt8(ascii: "["), count: YAMLBounds.mostSigns), to: "clients.yaml")
        #expect(fixture.faults().first?.hasPrefix("clients.yaml:1: is nested too deeply") == true)
    }

    @Test(arguments: ["a,", "[", "{a: ", "? ", "- ", "a:\n", "-\n", "- a: b\n", "? a\n"])
    func aFileOfVeryManyValuesIsNotParsed(_ value: String) throws {
        let fixture = try ConfigurationFixture()
        let begin = value == "a," ? "apps: [" : ""
        let text = begin + String(repeating: value, count: YAMLBounds.mostSigns + 1)
        try fixture.write(Array(text.utf8), to: "catalog.yaml")
        let faults = fixture.faults()
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.contains("has too many values: a file may have 100000 of the signs") == true, "\(faults)")
    }

    @Test func aFileOverFourMebibytesIsNotParsed() throws {
        let fixture = try ConfigurationFixture()
        let comment = Array(repeating: UInt8(ascii: "#"), count: 4 * 1024 * 1024)
        try fixture.write(comment, to: "catalog.yaml")
        #expect(fixture.faults() == ["catalog.yaml: is empty"])
        try fixture.write(comment + [UInt8(ascii: "#")], to: "catalog.yaml")
        #expect(
            fixture.faults() == [
                "offer-signer.yaml:3: catalog: \"catalog.yaml\": is larger than 4 MiB, the limit for a configuration file"
            ]
        )
    }

    @Test(arguments: [
        ("/dev/zero", "/dev/zero: is not a regular file"), ("/", "/: is a directory; a file is needed"),
        ("/nowhere/offer-signer.yaml", "/nowhere/offer-signer.yaml: no such file"),
        ("/dev/null/offer-signer.yaml", "/dev/null/offer-signer.yaml: cannot be reached: Not a directory"),
    ])
    func aPathWithoutARegularFileIsAFault(_ path: String, _ fault: String) {
        #expect { try Settings.load(file: path, flags: [:], environment: [:]) } throws: { error in "\(error)" == fault }
    }
}
