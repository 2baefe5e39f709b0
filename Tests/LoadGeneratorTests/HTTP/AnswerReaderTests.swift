import NIOCore
import Testing

@testable import LoadGenerator

@Suite("The reader of answers")
struct AnswerReaderTests {
    private static let answers =
        "HTTP/1.1 100 Continue\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-LENGTH: 5\r\nServer: x\r\n\r\nhello"
        + "HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        + "3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nde\r\n"
        + "0;last\r\nX-Sum: 1\r\nServer-Timing: total\r\n\r\n"
        + "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n"
        + "HTTP/1.0 429 Too Many Requests\r\nContent-Length:0\r\n\r\n"
        + "HTTP/1.0 429 Too Many Requests\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n"

    private func read(_ pieces: [String]) throws -> [String] {
        var reader = AnswerReader()
        var found: [String] = []
        for piece in pieces {
            reader.append(ByteBuffer(string: piece))
            while let answer = try reader.next() {
                found.append("\(answer.status) \(String(buffer: answer.body))\(answer.closes ? " closes" : "")")
            }
        }
        return found
    }

    @Test("Answers are the same in pieces of any size", arguments: [1, 2, 3, 5, 7, 16, 50, 1000])
    func pieces(length: Int) throws {
        var pieces: [String] = []
        var rest = Array(Self.answers.utf8)[...]
        while !rest.isEmpty {
            pieces.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length)
        }
        let found = ["200 hello", "503 abc0123456789abcdef closes", "200 de", "204 ", "429  closes", "429 "]
        #expect(try read(pieces) == found)
    }

    @Test(
        "Bytes that are no answer are malformed, and never a crash",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcd\r\n", "\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "
                + String(repeating: "x", count: AnswerReader.longestHead),
            String(repeating: "x", count: AnswerReader.longestHead + 1),
        ]
    )
    func malformed(text: String) {
        #expect(throws: LoadFault.self) { try read([text]) }
    }

    @Test("Signatures are counted in the bytes of an answer", arguments: [0, 1, 2, 20])
    func occurrences(number: Int) {
        let object = #"{"signature":"MEUC","x":"signature","signature":1,"signature""#
        for separator in [":", ": ", " :\n\t"] {
            let text = String(repeating: object.replacing(#":"MEUC"#, with: separator + #""MEUC"#), count: number)
            #expect(ByteBuffer(string: text).occurrences(ofMember: "\"signature\"") == number)
        }
    }
}
