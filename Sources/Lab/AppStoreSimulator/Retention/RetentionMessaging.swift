import Foundation
import Offers

/// An app's set-up for customers who are about to cancel (Retention Messaging API).
struct RetentionMessaging: Sendable {
    /// How the App Store asks the app's endpoint, and tests it.
    struct Settings: Equatable, Sendable {
        /// How many calls a test makes at once, at most.
        var maxConcurrentRequests = 10
        var totalRequests = 100
        /// Over what time a test makes them, in milliseconds.
        var totalDuration = 10_000
        /// How long an answer may take, in milliseconds: in a test, and otherwise.
        var responseTimeThreshold = 700
        /// How many calls of a test have to succeed, in percent.
        var successRateThreshold = 95

        /// The numbers by Apple's names, with their bounds.
        static let numbers:
            [(name: String, path: any WritableKeyPath<Settings, Int> & Sendable, bounds: ClosedRange<Int>)] = [
                ("maxConcurrentRequests", \.maxConcurrentRequests, 1...1000),
                ("totalRequests", \.totalRequests, 1...100_000), ("totalDuration", \.totalDuration, 0...600_000),
                ("responseTimeThreshold", \.responseTimeThreshold, 1...60_000),
                ("successRateThreshold", \.successRateThreshold, 1...100),
            ]
    }

    /// The set-up of one environment.
    struct Setup: Sendable {
        var url: URL?
        /// The messages, oldest first.
        var messages: [StoreMessage] = []
        var images: [StoreImage] = []
        /// The default messages' identifiers.
        var defaults: [Place: String] = [:]

        func message(_ id: String) -> StoreMessage? { messages.first { $0.id == id } }

        func image(_ id: String) -> StoreImage? { images.first { $0.id == id } }
    }

    /// A product in a language.
    struct Place: Hashable, Sendable {
        let productId: String
        let locale: String
    }

    var settings = Settings()
    var production = Setup()
    var sandbox = Setup()
    /// Whether a test has passed, without which production has no address.
    var hasPassedTest = false

    subscript(environment: AppStoreEnvironment) -> Setup {
        get { environment == .production ? production : sandbox }
        set { if environment == .production { production = newValue } else { sandbox = newValue } }
    }
}

/// Apple's verdict on what was uploaded.
enum ReviewState: String, Sendable {
    case pending = "PENDING"
    case approved = "APPROVED"
    case rejected = "REJECTED"
}

/// An image that was uploaded.
struct StoreImage: Equatable, Sendable {
    enum Size: String, Sendable {
        case full = "FULL_SIZE"
        case bulletPoint = "BULLET_POINT"
    }

    /// The bytes that every PNG begins with.
    static let beginning: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The identifier, a UUID in lowercase.
    let id: String
    var size = Size.full
    var state = ReviewState.pending
}

/// A message that was uploaded (`UploadMessageRequestBody`), as far as the App Store looks at it here.
struct StoreMessage: Equatable, Sendable {
    /// The identifier, a UUID in lowercase.
    let id: String
    /// The identifiers of its images, and of those of its bullet points.
    var images: [String] = []
    var state = ReviewState.pending

    private struct Upload: Decodable {
        /// The image of a message, or of a bullet point.
        struct Image: Decodable {
            let text: String?
            let altText: String?
            let imageIdentifier: UUID
        }

        let header: String
        let body: String
        let headerPosition: String?
        let image: Image?
        let bulletPoints: [Image]?
    }
}

extension StoreMessage {
    /// Reads an upload.
    init(json: [UInt8], id: String) throws(ServerAPIError) {
        guard let upload = try? JSONDecoder().decode(Upload.self, from: Data(json)) else { throw .badRequest }
        let points = upload.bulletPoints ?? []
        func areShort(_ texts: [String?], _ longest: Int) -> Bool {
            texts.allSatisfy { ($0 ?? "").unicodeScalars.count <= longest }
        }
        guard areShort([upload.header], 66) else { throw .headerTooLong }
        guard areShort([upload.body], 144) else { throw .bodyTooLong }
        guard areShort(points.map(\.altText) + [upload.image?.altText], 150) else { throw .altTextTooLong }
        guard points.count <= 5 else { throw .tooManyBulletPoints }
        guard areShort(points.map(\.text), 66) else { throw .bulletPointTooLong }
        guard upload.headerPosition != "ABOVE_IMAGE" || upload.image != nil else { throw .aboveImageNeedsImage }
        let images = points + (upload.image.map { [$0] } ?? [])
        self.init(id: id, images: images.map { $0.imageIdentifier.uuidString.lowercased() })
    }
}

extension ServerAPIError {
    static let badRequest = ServerAPIError(4_000_000, "Bad request.")
    static let invalidImage = ServerAPIError(4_000_161, "The image is invalid.")
    static let headerTooLong = ServerAPIError(4_000_162, "The header text is too long.")
    static let bodyTooLong = ServerAPIError(4_000_163, "The body text is too long.")
    static let invalidLocale = ServerAPIError(4_000_164, "Invalid locale.")
    static let altTextTooLong = ServerAPIError(4_000_175, "The alternative text is too long.")
    static let invalidOriginalTransactionId = ServerAPIError(
        4_000_187,
        "This is no original transaction id of a subscription that the customer has in the Sandbox."
    )
    static let invalidPerformanceTest = ServerAPIError(4_000_211, "Invalid performance test request.")
    static let existingPerformanceTest = ServerAPIError(4_000_213, "A performance test is under way.")
    static let invalidRealtimeURL = ServerAPIError(4_000_215, "Invalid realtime URL.")
    static let invalidImageSize = ServerAPIError(4_000_216, "The image size is invalid.")
    static let tooManyBulletPoints = ServerAPIError(4_000_218, "There are too many bullet points.")
    static let bulletPointTooLong = ServerAPIError(4_000_219, "The text of a bullet point is too long.")
    static let aboveImageNeedsImage = ServerAPIError(4_000_224, "The header is above an image that is not there.")
    static let messageNotApproved = ServerAPIError(4_030_017, "The message is not approved.")
    static let imageNotApproved = ServerAPIError(4_030_018, "The image is not approved.")
    static let imageInUse = ServerAPIError(4_030_019, "The image is in use.")
    static let noPassingTest = ServerAPIError(4_030_026, "No performance test has passed.")
    static let imageNotFound = ServerAPIError(4_040_014, "Image not found.")
    static let messageNotFound = ServerAPIError(4_040_015, "Message not found.")
    static let performanceTestNotFound = ServerAPIError(4_040_018, "Performance test not found.")
    static let defaultMessageNotFound = ServerAPIError(4_040_020, "Default message not found.")
    static let realtimeURLNotFound = ServerAPIError(4_040_021, "Realtime URL not found.")
    static let imageAlreadyExists = ServerAPIError(4_090_000, "The image identifier already exists.")
    static let messageAlreadyExists = ServerAPIError(4_090_001, "The message identifier already exists.")
}
