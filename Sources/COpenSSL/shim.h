// What SubscriptionKeys sees of OpenSSL: libcrypto's API of 3.0, without anything deprecated.
// The headers of its readers of PEM, X.509, key stores and configuration files are left out.

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <string.h>

// Names of a key's parts that stay where they are, as OpenSSL keeps pointers to them while a key is built.
static const char *const _Nonnull COPENSSL_PARAMETER_GROUP = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const _Nonnull COPENSSL_PARAMETER_PUBLIC_KEY = OSSL_PKEY_PARAM_PUB_KEY;
static const char *const _Nonnull COPENSSL_PARAMETER_PRIVATE_KEY = OSSL_PKEY_PARAM_PRIV_KEY;
static const char *const _Nonnull COPENSSL_CURVE_P256 = SN_X9_62_prime256v1;

// Macros that Swift cannot import: what EVP_PKEY_fromdata is to build.
static const int COPENSSL_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
static const int COPENSSL_KEYPAIR = EVP_PKEY_KEYPAIR;

// Signs with a key of no use, so that libcrypto allocates what it keeps for good: algorithms that it looks up once.
static inline int copenssl_warm_up(void) {
    unsigned char digest[32] = {0}, signature[80];
    size_t length = sizeof signature;
    EVP_PKEY *key = EVP_EC_gen(COPENSSL_CURVE_P256);
    EVP_PKEY_CTX *context = key == NULL ? NULL : EVP_PKEY_CTX_new(key, NULL);
    int is_signed = context != NULL && EVP_PKEY_sign_init(context) == 1
        && EVP_PKEY_sign(context, signature, &length, digest, sizeof digest) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(key);
    return is_signed;
}

// How deep what is called may have gone: libcrypto's signing goes 4 KiB deep (3.0, x86-64).
#define COPENSSL_STACK_DEPTH (16 << 10)

// Overwrites the stack below the caller's frame, where functions that have returned left what they computed with.
__attribute__((noinline)) static void copenssl_cleanse_stack(void) {
    unsigned char below[COPENSSL_STACK_DEPTH];
    explicit_bzero(below, sizeof below);
}

// Whether copenssl_sign takes another stack than the thread's own.
static inline int copenssl_changes_stacks(void) {
#if defined(__x86_64__)
    return 1;
#else
    return 0;
#endif
}

// What EVP_PKEY_sign is called with.
struct copenssl_signing {
    EVP_PKEY_CTX *_Nonnull context;
    unsigned char *_Nullable signature;
    size_t *_Nonnull length;
    const unsigned char *_Nullable digest;
    size_t digest_length;
};

static int copenssl_sign_here(struct copenssl_signing *_Nonnull signing) {
    return EVP_PKEY_sign(
        signing->context, signing->signature, signing->length, signing->digest, signing->digest_length);
}

// EVP_PKEY_sign on a stack of its own, given by its upper end, or on the thread's. Afterwards nothing of the signature's
// secret number is on either: libcrypto leaves it there, next to its inverse, and anybody with that number and the
// signature has the private key (SEC 1 §4.1.3).
__attribute__((noinline)) static int copenssl_sign(
    EVP_PKEY_CTX *_Nonnull context, unsigned char *_Nullable signature, size_t *_Nonnull length,
    const unsigned char *_Nullable digest, size_t digest_length, void *_Nullable stack
) {
    struct copenssl_signing signing = {context, signature, length, digest, digest_length};
    int result;
#if defined(__x86_64__)
    if (stack != NULL) {
        struct copenssl_signing *argument = &signing;
        // The call keeps rbx, and may change whatever else a call may change (System V ABI, AMD64, 3.2.1).
        __asm__ volatile(
            "movq %%rsp, %%rbx\n\tmovq %[stack], %%rsp\n\tcallq *%[sign]\n\tmovq %%rbx, %%rsp"
            : "=a"(result), "+D"(argument)
            : [stack] "r"(stack), [sign] "r"(copenssl_sign_here)
            : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
              "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)",
              "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)",
#if defined(__AVX512F__)
              "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26",
              "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#endif
              "cc", "memory");
        explicit_bzero((unsigned char *)stack - COPENSSL_STACK_DEPTH, COPENSSL_STACK_DEPTH);
        return result;
    }
#endif
    result = copenssl_sign_here(&signing);
    copenssl_cleanse_stack();
    return result;
}

#endif
