// swift-tools-version: 6.2
import PackageDescription

/// What every target of the product is compiled with: language mode 6 comes with the tools version,
/// and a warning is an error, so that a green build means that the compiler had nothing to say.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "offer-signer",
    targets: [
        .target(name: "Offers", swiftSettings: strict),
        .target(name: "StrictJSON", swiftSettings: strict),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "SubscriptionKeys",
            dependencies: ["Offers", "COpenSSL"],
            swiftSettings: strict + [.strictMemorySafety()]
        ),
        .target(name: "AppStore", dependencies: ["Offers", "StrictJSON"], swiftSettings: strict),
        .testTarget(name: "OffersTests", dependencies: ["Offers"], swiftSettings: strict),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"], swiftSettings: strict),
        .testTarget(
            name: "SubscriptionKeysTests",
            dependencies: ["SubscriptionKeys", "Offers", "ChildProcess"],
            swiftSettings: strict
        ),
        .testTarget(name: "AppStoreTests", dependencies: ["AppStore", "Offers"], swiftSettings: strict),
        // What the tests run programs with.
        .target(name: "ChildProcess", path: "Tests/ChildProcess", swiftSettings: strict),
    ]
)
