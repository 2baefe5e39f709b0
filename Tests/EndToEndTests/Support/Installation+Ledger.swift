import ChildProcess
import Foundation

/// The ledger's file, as somebody has it who can write it.
extension Installation {
    var ledger: String { directory.path("ledger.sqlite") }

    /// Runs SQL, and returns the first value of each row of the result of one statement.
    @discardableResult
    func sql(_ text: String) throws -> String {
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1], timeout=10) as ledger:
                if sys.argv[2].startswith("SELECT"):
                    for row in ledger.execute(sys.argv[2]): print(row[0])
                else: ledger.executescript(sys.argv[2])
            """
        let outcome = try Executable.run(["-c", script, ledger, text], of: "/usr/bin/python3")
        guard outcome.status == 0 else { throw Failure(text: outcome.errors) }
        return outcome.text
    }

    /// Another process that keeps the file locked.
    func lockLedger() throws -> ChildProcess {
        let script = """
            import sqlite3, sys, time
            ledger = sqlite3.connect(sys.argv[1], isolation_level=None)
            ledger.execute("BEGIN IMMEDIATE")
            print("locked", flush=True)
            time.sleep(600)
            """
        let locker = try ChildProcess("/usr/bin/python3", ["-c", script, ledger])
        while try Data(contentsOf: locker.outputFile).isEmpty {
            guard !locker.hasEnded else { throw Failure(text: "the ledger cannot be locked") }
            usleep(10_000)
        }
        return locker
    }

    var disk: String { directory.path("disk") }

    /// Mounts a disk of 2 MB, as root alone may.
    func mountDisk() throws {
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mounted = try Executable.run(["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], of: "/usr/bin/mount")
        guard mounted.status == 0 else { throw Failure(text: mounted.errors) }
    }

    func unmountDisk() { _ = try? Executable.run(["--lazy", disk], of: "/usr/bin/umount") }

    /// Fills the disk but for a few pages of 4 KiB.
    func fillDisk(freePages: Int = 0) throws {
        let filler = disk + "/filler"
        let filled = try Executable.run(["if=/dev/zero", "of=\(filler)", "bs=4096"], of: "/usr/bin/dd")
        let size = try FileManager.default.attributesOfItem(atPath: filler)[.size] as? Int ?? 0
        guard filled.errors.contains("No space left"), truncate(filler, off_t(size - freePages * 4096)) == 0 else {
            throw Failure(text: filled.errors)
        }
    }
}
