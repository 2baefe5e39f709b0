import Foundation
import SubscriptionKeys
import Testing

/// Which files are opened at all.
struct KeyFileTests {
    private let workbench: Workbench
    private let key: TestKey

    init() throws {
        workbench = try Workbench()
        key = try TestKey()
    }

    @Test("What is no file is refused at once, a pipe without waiting for a writer")
    func noFile() throws {
        let pipe = workbench.path("pipe.p8")
        #expect(mkfifo(pipe, 0o600) == 0)
        for (path, code, words) in [
            (workbench.path("none.p8"), .missing, "does not exist; it has to be an EC P-256"),
            (workbench.directory, .notRegularFile, "is a directory"), (pipe, .notRegularFile, "is a pipe"),
            ("/dev/zero", .notRegularFile, "is "),
        ] as [(String, KeyError.Code, String)] {
            let error = try workbench.refusal(of: path)
            #expect(error.code == code)
            #expect(error.description.hasPrefix("\(path) \(words)"))
        }
    }

    @Test func unreadable() async throws {
        let path = try workbench.write(key.pem, mode: 0o200)
        try #require(chmod(workbench.directory, 0o755) == 0)
        await #expect(processExitsWith: .success) { [path = path as String] in
            try SecureHeap.initialize()
            // Root reads everything: become nobody, for whom the file is not.
            if geteuid() == 0 { try #require(setuid(65534) == 0) }
            let error = #expect(throws: KeyError.self) { try SigningKey(contentsOf: path, keyIdentifier: "TEST123456") }
            #expect(error?.code == .unreadable)
            #expect(error?.reason.hasPrefix("cannot be opened (Permission denied)") == true)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o610, 0o602, 0o644, 0o777])
    func openToOthers(mode: Int) throws {
        let path = try workbench.write(key.pem, mode: mode)
        let error = try workbench.refusal(of: path)
        #expect(error.code == .readableByOthers)
        #expect(error.reason.contains("has mode 0\(String(mode, radix: 8))"))
        #expect(error.reason.hasSuffix(": chmod 600 \(path)"))
    }

    @Test(arguments: [0o600, 0o400, 0o700])
    func closedEnough(mode: Int) throws {
        let path = try workbench.write(key.pem, mode: mode)
        #expect(try SigningKey(contentsOf: path, keyIdentifier: "TEST123456").fileMode == UInt32(mode))
    }

    @Test("A mounted secret may be readable by the group, and by no others")
    func groupReadable() throws {
        let path = try workbench.write(key.pem, mode: 0o440)
        #expect(try workbench.refusal(of: path).code == .readableByOthers)
        #expect(try SigningKey(contentsOf: path, keyIdentifier: "TEST123456", access: .groupReadable).fileMode == 0o440)
        for mode in [0o444, 0o460, 0o450] {
            let error = try workbench.refusal(of: workbench.write(key.pem, mode: mode), access: .groupReadable)
            #expect(error.code == .readableByOthers)
            #expect(error.reason.contains("chmod 440"))
        }
    }

    @Test(
        "A file of another user is refused, as that user could replace the key; root's is fine",
        .enabled(if: geteuid() == 0, "only root can give files away")
    )
    func owner() async throws {
        let path = try workbench.write(key.pem, mode: 0o400)
        try #require(chown(path, 1234, 1234) == 0)
        let error = try workbench.refusal(of: path)
        #expect(error.code == .foreignOwner)
        // Where the service runs as that user, it could not read a file that was given to root.
        #expect(error.reason.hasPrefix("belongs to user 1234; it has to belong to root, as root runs this: if that"))
        #expect(error.reason.hasSuffix("run this as that user (sudo -u), and if not: chown 0 \(path)"))

        let groups = try workbench.write(key.pem, to: "root.p8", mode: 0o440)
        try #require(chown(groups, 0, 1234) == 0 && chmod(workbench.directory, 0o755) == 0)
        let others = try workbench.write(key.pem, to: "others.p8", mode: 0o444)
        try #require(chown(others, 4321, 4321) == 0)
        await #expect(processExitsWith: .success) {
            [path = path as String, groups = groups as String, others = others as String] in
            try SecureHeap.initialize()
            try #require(setgid(1234) == 0 && setuid(1234) == 0)
            #expect(throws: Never.self) { try KeyInspection(of: path) }
            #expect(throws: Never.self) { try KeyInspection(of: groups, access: .groupReadable) }
            let foreign = #expect(throws: KeyError.self) { try KeyInspection(of: others) }
            #expect(foreign?.reason.hasSuffix("to root or to the service's user (1234): chown 1234 \(others)") == true)
        }
        let command = try #require(error.reason.range(of: "chown 0 .*", options: .regularExpression))
        #expect(try Tool.run("sh", ["-c", String(error.reason[command])]).status == 0)
        #expect(throws: Never.self) { try SigningKey(contentsOf: path, keyIdentifier: "TEST123456") }
    }

    @Test("A symbolic link is followed, as Kubernetes mounts secrets, and its target is judged")
    func symbolicLink() throws {
        let link = workbench.path("link.p8")
        let target = try workbench.write(key.pem)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(throws: Never.self) { try SigningKey(contentsOf: link, keyIdentifier: "TEST123456") }
        try #require(chmod(target, 0o644) == 0)
        #expect(try workbench.refusal(of: link).code == .readableByOthers)
    }

    @Test("A file of exactly 16 KiB is read")
    func largest() throws {
        let blank = [UInt8](repeating: UInt8(ascii: "\n"), count: KeyError.maximumSize - key.pem.count)
        #expect(throws: Never.self) { try workbench.load(key.pem + blank) }
    }

    @Test("A path with a quote or a space stays one word of the advised command")
    func quotedPath() throws {
        let path = try workbench.write(key.pem, to: "it's a key.p8", mode: 0o644)
        let error = try workbench.refusal(of: path)
        let command = try #require(error.reason.range(of: "chmod 600 .*", options: .regularExpression))
        #expect(try Tool.run("sh", ["-c", String(error.reason[command])]).status == 0)
        #expect(throws: Never.self) { try SigningKey(contentsOf: path, keyIdentifier: "TEST123456") }
    }
}
