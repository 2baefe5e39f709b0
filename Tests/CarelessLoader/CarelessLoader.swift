import Foundation

/// A program that loads a key as most programs do: the memory scan has to catch it.
@main
enum CarelessLoader {
    static func main() throws {
        let text = try String(contentsOf: URL(filePath: CommandLine.arguments[1]), encoding: .utf8)
        let der = Data(base64Encoded: text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined())
        FileHandle.standardOutput.write(Data("loaded \(der?.count ?? 0) bytes\n".utf8))
        withExtendedLifetime((text, der)) { while true { pause() } }
    }
}
