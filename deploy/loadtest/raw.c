/* Raw libcrypto: how many ECDSA P-256 signatures a CPU second is good for.
 *
 *   raw KEY.p8 SECONDS THREADS
 *
 * Each thread keeps one EVP_PKEY_CTX and one EVP_MD_CTX, hashes a message as long as an offer's payload, and signs it:
 * EVP_PKEY_sign over SHA-256, as in SubscriptionKeys. Prints one line of JSON. This is what everything else is measured
 * against.
 */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESSAGE = 180, SLOTS = 64 };

static EVP_PKEY *key;
static atomic_int stopped;
static unsigned long counts[SLOTS];

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *work(void *argument) {
    unsigned long *count = argument;
    unsigned char message[MESSAGE], digest[32], signature[80];
    memset(message, 'x', sizeof message);
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    EVP_PKEY_CTX *signer = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (hash == NULL || signer == NULL || EVP_DigestInit_ex2(hash, EVP_sha256(), NULL) != 1 ||
        EVP_PKEY_sign_init(signer) != 1 || EVP_PKEY_CTX_set_signature_md(signer, EVP_sha256()) != 1)
        exit(1);
    while (!stopped) {
        size_t length = sizeof signature;
        memcpy(message, count, sizeof *count);
        if (EVP_DigestInit_ex2(hash, NULL, NULL) != 1 || EVP_DigestUpdate(hash, message, sizeof message) != 1 ||
            EVP_DigestFinal_ex(hash, digest, NULL) != 1 ||
            EVP_PKEY_sign(signer, signature, &length, digest, sizeof digest) != 1)
            exit(1);
        ++*count;
    }
    EVP_PKEY_CTX_free(signer);
    EVP_MD_CTX_free(hash);
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: %s KEY.p8 SECONDS THREADS\n", arguments[0]);
        return 64;
    }
    FILE *file = fopen(arguments[1], "r");
    key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;
    if (key == NULL) {
        fprintf(stderr, "%s holds no private key\n", arguments[1]);
        return 1;
    }
    fclose(file);
    double seconds = atof(arguments[2]);
    int threads = atoi(arguments[3]);
    if (!(seconds > 0) || threads < 1 || threads > SLOTS / 8) return 64;
    double start = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
    pthread_t handles[SLOTS];
    /* A cache line each. */
    for (int i = 0; i < threads; i++)
        if (pthread_create(&handles[i], NULL, work, &counts[i * 8]) != 0) return 1;
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
    stopped = 1;
    unsigned long signatures = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(handles[i], NULL);
        signatures += counts[i * 8];
    }
    double elapsed = now(CLOCK_MONOTONIC) - start, used = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
    EVP_PKEY_free(key);
    printf("{\"signatures\": %lu, \"seconds\": %.6f, \"processorSeconds\": %.6f, \"library\": \"%s\"}\n", signatures,
           elapsed, used, OpenSSL_version(OPENSSL_VERSION));
    return 0;
}
