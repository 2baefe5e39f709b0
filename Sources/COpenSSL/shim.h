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

// Names of a key's parts that stay where they are, as OpenSSL keeps pointers to them while a key is built.
static const char *const _Nonnull COPENSSL_PARAMETER_GROUP = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const _Nonnull COPENSSL_PARAMETER_PUBLIC_KEY = OSSL_PKEY_PARAM_PUB_KEY;
static const char *const _Nonnull COPENSSL_PARAMETER_PRIVATE_KEY = OSSL_PKEY_PARAM_PRIV_KEY;
static const char *const _Nonnull COPENSSL_CURVE_P256 = SN_X9_62_prime256v1;

// Macros that Swift cannot import: what EVP_PKEY_fromdata is to build.
static const int COPENSSL_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
static const int COPENSSL_KEYPAIR = EVP_PKEY_KEYPAIR;

#endif
