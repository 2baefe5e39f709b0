/// `app-store.yaml` as it is first written: the apps of `keys.example`, and a customer in each state.
enum DefaultScenario {
    static let yaml = """
        # What the simulated App Store knows. It is read when the simulator starts; nothing is written back to it.
        # Made at the first start; change it as you like.

        # The clock runs on from here. Left out: the machine's time. POST /simulator/clock moves it.
        # clock: 2026-01-20T10:00:00Z

        apps:
          - bundleId: com.example.reader
            appAppleId: 1234567890
            # What verifyReceipt must be called with. Left out: anything, or nothing.
            # sharedSecret: 0123456789abcdef0123456789abcdef
            # What tokens and App Store requests must name as their issuer. Left out: anything.
            # issuerId: 57246542-96fe-1a63-e053-0824d011072a
            # Where App Store Server Notifications V2 go. Left out: nowhere.
            # notificationURL: http://127.0.0.1:8081/v1/notifications
            # For customers who are about to cancel. Messages that are listed are approved, in both environments; those
            # that are uploaded later wait for POST /simulator/retention-messages, unless approvesMessages is true.
            retention:
              # Where the service is asked. Left out: nowhere, until one is set.
              # url: http://127.0.0.1:8081/v1/retention-messages
              messages: [{ id: 00000000-0000-4000-8000-000000000001 }]
              defaults:
                - product: com.example.reader.pro.monthly
                  locale: en-US
                  message: 00000000-0000-4000-8000-000000000001
            gracePeriodDays: 16
            # The public keys of the app's signing keys: publicKeyFile, or publicKey with the PEM itself.
            #   openssl pkey -in SubscriptionKey_EXAMPLE123.p8 -pubout -out EXAMPLE123.pem
            keys:
              - id: EXAMPLE123
                publicKey: |
                  -----BEGIN PUBLIC KEY-----
                  MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE4qvjL4Nl3Hcma2utNaLHDlCmUlnz
                  8AQ8b96lOhJkx8TH0t4XrqsKIs85nG0LrcbbCBbKL6EqDeLssl2C41WjOg==
                  -----END PUBLIC KEY-----
            subscriptionGroups:
              - id: "20900001"
                products:
                  - id: com.example.reader.pro.monthly
                    level: 2
                    price: 9.99
                    period: P1M
                    introductoryOffer: { mode: freeTrial, period: P1W }
                    offers:
                      - { id: comeback50, price: 4.99, periods: 3 }
                      - { id: stay30, price: 6.99, periods: 3 }
                    # Redeemed on the cancellation page, without a signature.
                    retentionOffers: [{ id: keep20, price: 7.99, periods: 3 }]
                  - id: com.example.reader.pro.yearly
                    level: 1
                    price: 99.99
                    period: P1Y
                    # What a month costs with a 12-month commitment (billingPlanType: MONTHLY).
                    monthlyPrice: 9.49
                    offers:
                      - { id: loyal20, price: 79.99, mode: payUpFront, period: P1Y }
                      - { id: winter2026, price: 49.99, mode: payUpFront, period: P1Y }
              - id: "20900002"
                products:
                  - id: com.example.reader.audio.monthly
                    price: 4.99
                    offers: [{ id: audio-comeback, mode: freeTrial, period: P1M }]
                  - id: com.example.reader.audio.yearly
                    price: 49.99
                    period: P1Y
                    offers: [{ id: audio-loyal, price: 39.99, mode: payUpFront, period: P1Y }]

        # States: active, activeAutoRenewOff, gracePeriod, billingRetry, lapsed, refunded, upgraded, familyShared,
        # familyRevoked (the member who pays has stopped sharing), assigned (an organisation or a group pays),
        # assignmentRevoked (and has taken the seat away).
        # Also: periods (how many were paid, 2), billingPlanType (MONTHLY: the periods are months of a commitment),
        # introductory (the first was a trial), redeemed (promotional offers that the next ones were paid at),
        # retentionOffer (that the latest one was paid at), revocationPercentage (how much of it was refunded, in
        # thousandths of a percent), eligibleWinBackOfferIds (the best first; shown once it has expired), expiresAt,
        # upgradedTo, seats (how many were bought for a group, by the customer or for a customer who is assigned),
        # invitationManagement (of the seats: APPLE, or DEVELOPER, which gives members no transactions), idChange
        # (revoked or expired: how the subscription ended when the customer moved to another original transaction id).
        # Customers can have an environment (Production), a bundleId and an appAccountToken, which is on their payments.
        # With count: 1000 there are as many, name-1 to name-1000.
        customers:
          - name: active
            appAccountToken: 7e3fb20b-4cdb-47cc-936d-99d65f608138
            subscriptions: [{ product: com.example.reader.pro.monthly, state: active, introductory: true }]
          - name: trial
            subscriptions: [{ product: com.example.reader.pro.monthly, state: active, periods: 1, introductory: true }]
          - name: leaving
            subscriptions: [{ product: com.example.reader.pro.monthly, state: activeAutoRenewOff }]
          - name: grace
            subscriptions: [{ product: com.example.reader.pro.monthly, state: gracePeriod }]
          - name: retry
            subscriptions: [{ product: com.example.reader.pro.monthly, state: billingRetry }]
          - name: lapsed
            subscriptions: [{ product: com.example.reader.pro.monthly, state: lapsed, periods: 3 }]
          - name: redeemed
            subscriptions: [{ product: com.example.reader.pro.monthly, state: lapsed, redeemed: [comeback50] }]
          - name: retained
            subscriptions: [{ product: com.example.reader.pro.monthly, state: active, retentionOffer: keep20 }]
          - name: win-back
            subscriptions:
              - product: com.example.reader.pro.monthly
                state: lapsed
                eligibleWinBackOfferIds: [return40, return20]
          - name: commitment
            subscriptions:
              - { product: com.example.reader.pro.yearly, billingPlanType: MONTHLY, state: active, periods: 5 }
          - name: commitment-leaving
            subscriptions:
              - product: com.example.reader.pro.yearly
                billingPlanType: MONTHLY
                state: activeAutoRenewOff
                periods: 5
          - name: commitment-retry
            subscriptions:
              - { product: com.example.reader.pro.yearly, billingPlanType: MONTHLY, state: billingRetry, periods: 5 }
          - name: refunded
            subscriptions: [{ product: com.example.reader.pro.monthly, state: refunded }]
          - name: refunded-partly
            subscriptions:
              - { product: com.example.reader.pro.yearly, state: refunded, periods: 1, revocationPercentage: 40000 }
          - name: upgraded
            subscriptions:
              - product: com.example.reader.pro.monthly
                state: upgraded
                upgradedTo: com.example.reader.pro.yearly
          - name: family
            subscriptions: [{ product: com.example.reader.pro.monthly, state: familyShared }]
          - name: family-ended
            subscriptions: [{ product: com.example.reader.pro.monthly, state: familyRevoked }]
          - name: organisation-member
            subscriptions: [{ product: com.example.reader.pro.monthly, state: assigned }]
          - name: group-member
            subscriptions: [{ product: com.example.reader.pro.monthly, state: assigned, seats: 5 }]
          - name: member-removed
            subscriptions: [{ product: com.example.reader.pro.monthly, state: assignmentRevoked, seats: 5 }]
          - name: group-purchaser
            subscriptions: [{ product: com.example.reader.pro.monthly, state: active, seats: 5 }]
          - name: moved
            subscriptions:
              - product: com.example.reader.pro.monthly
                state: active
                redeemed: [comeback50]
                idChange: revoked
          - name: two-groups
            subscriptions:
              - { product: com.example.reader.pro.yearly, state: active }
              - { product: com.example.reader.audio.monthly, state: lapsed }
          - name: newcomer
          - name: sandbox-lapsed
            environment: Sandbox
            subscriptions: [{ product: com.example.reader.pro.monthly, state: lapsed }]

        """
}
