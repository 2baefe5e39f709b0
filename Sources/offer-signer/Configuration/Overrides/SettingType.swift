/// The kinds of scalars in `offer-signer.yaml`.
enum SettingType: Equatable, Sendable {
    /// A host name or an address to listen on.
    case host
    /// A whole number in a range.
    case wholeNumber(ClosedRange<Int>)
    /// `true` or `false`.
    case boolean
    /// One of a few words.
    case choice([String])
    /// The path of a file.
    case file
    /// An `https` URL, or `http` on this machine.
    case url
    /// `sqlite:FILE` or `postgres://USER@HOST/DB`.
    case ledgerURL

    /// Checks a value's text.
    ///
    /// - Parameter text: The value, as a file, a variable or a flag gives it.
    /// - Throws: ``ValueFault`` when it is not of this kind.
    func check(_ text: String) throws(ValueFault) {
        switch self {
        case .host: _ = try HostName.parse(text)
        case .wholeNumber(let range): _ = try WholeNumber.parse(text, in: range)
        case .boolean: _ = try TruthValue.parse(text)
        case .choice(let words):
            guard words.contains(text) else {
                throw ValueFault(
                    "\(Echo.quoted(text)) is none of the choices; \(NearestName.hint(for: text, among: words))"
                )
            }
        case .file: _ = try FilePathText.parse(text)
        case .url: _ = try HTTPURL.parse(text)
        case .ledgerURL: _ = try LedgerURL.parse(text)
        }
    }

    /// The kind in words.
    var name: String {
        switch self {
        case .host: "host"
        case .wholeNumber(let range): "whole number \(WholeNumber.describe(range))"
        case .boolean: "true or false"
        case .choice(let words): words.joined(separator: ", ")
        case .file: "file"
        case .url: "https URL, or http to this machine"
        case .ledgerURL: "sqlite:FILE or postgres://USER@HOST/DB"
        }
    }

    /// What stands for the value in a usage line.
    var placeholder: String {
        switch self {
        case .host: "host"
        case .wholeNumber: "number"
        case .boolean: "true|false"
        case .choice(let words): words.joined(separator: "|")
        case .file: "file"
        case .url, .ledgerURL: "url"
        }
    }
}
