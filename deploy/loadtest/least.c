/* About the least that a durable signer takes here, whatever its language and libraries.
 *
 *   least KEY.p8 PORT LEDGER
 *
 * An epoll loop on each of two threads reads requests, looks for the fields that are signed with strstr, and signs at
 * the end of the round. One thread appends 256 bytes a signature to a file, with one fdatasync for all that came
 * meanwhile; then the loop answers. There is no HTTP parser, no JSON, no authentication, no decision and no database,
 * and a client that is not the load generator would break it. It is a yardstick, not a server.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LOOPS = 2, CLIENTS = 1024, REQUEST = 32768, ANSWER = 16384, RECORD = 256, OFFERS = 20, LEDGER = 64 << 20 };
#define SEPARATOR "\xe2\x81\xa3"
#define KEY_ID "EXAMPLE123"

struct client {
    int file, loop, records;
    size_t length, answer_length;
    char request[REQUEST + 1], answer[ANSWER];
    struct client *next;
};

struct list {
    pthread_mutex_t lock;
    struct client *first;
};

static EVP_PKEY *key;
static int listener, ledger, polls[LOOPS], wakes[LOOPS];
static struct list to_write = {PTHREAD_MUTEX_INITIALIZER, NULL};
static struct list to_answer[LOOPS] = {{PTHREAD_MUTEX_INITIALIZER, NULL}, {PTHREAD_MUTEX_INITIALIZER, NULL}};
static pthread_cond_t written_to = PTHREAD_COND_INITIALIZER;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* The value of the next member of this name, and what comes after it; nothing where there is none. */
static const char *value(const char *text, const char *name, int *length) {
    const char *found = text ? strstr(text, name) : NULL;
    if (found == NULL) return NULL;
    found += strlen(name);
    const char *end = strchr(found, '"');
    if (end == NULL) return NULL;
    *length = (int)(end - found);
    return found;
}

static void uuid(char text[37]) {
    unsigned char bytes[16];
    if (RAND_bytes(bytes, sizeof bytes) != 1) fail("RAND_bytes");
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    for (int i = 0, at = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text[at++] = '-';
        text[at++] = "0123456789abcdef"[bytes[i] >> 4];
        text[at++] = "0123456789abcdef"[bytes[i] & 15];
    }
    text[36] = 0;
}

static long milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Writes the answer to a whole request; eligibility has the same answer without signatures. */
static void answer(struct client *client, EVP_MD_CTX *hash, EVP_PKEY_CTX *signer) {
    const char *body = strstr(client->request, "\r\n\r\n"), *offer;
    int signs = strncmp(client->request, "POST /v1/signatures", 19) == 0, bundle_length, account_length, product_length;
    int offer_length, count = 0;
    const char *bundle = value(body, "\"bundleId\":\"", &bundle_length);
    const char *account = value(body, "\"appAccountToken\":\"", &account_length);
    const char *product = value(body, "\"productId\":\"", &product_length);
    if (bundle == NULL) bundle = "com.example.reader", bundle_length = 18;
    if (account == NULL) account = "", account_length = 0;
    char json[ANSWER - 256], payload[1024], encoded[128], nonce[37];
    int at = snprintf(json, sizeof json,
                      "{\"bundleId\":\"%.*s\",\"account\":{\"appAccountToken\":\"%.*s\"},\"decisions\":[",
                      bundle_length, bundle, account_length, account);
    client->records = 0;
    do {
        if (product == NULL) {
            product = "com.example.reader.pro.monthly", product_length = 30;
            offer = "comeback50", offer_length = 10;
        } else {
            offer = value(body, "\"offerId\":\"", &offer_length);
            if (offer == NULL) break;
        }
        at += snprintf(json + at, sizeof json - (size_t)at,
                       "%s{\"productId\":\"%.*s\",\"offerId\":\"%.*s\",\"verdict\":\"eligible\",\"reason\":\"active\"",
                       count ? "," : "", product_length, product, offer_length, offer);
        if (signs) {
            unsigned char digest[32], signature[80];
            size_t length = sizeof signature;
            long time = milliseconds();
            uuid(nonce);
            int size = snprintf(payload, sizeof payload,
                                "%.*s" SEPARATOR KEY_ID SEPARATOR "%.*s" SEPARATOR "%.*s" SEPARATOR "%.*s" SEPARATOR
                                "%s" SEPARATOR "%ld",
                                bundle_length, bundle, product_length, product, offer_length, offer, account_length,
                                account, nonce, time);
            if (EVP_DigestInit_ex2(hash, NULL, NULL) != 1 || EVP_DigestUpdate(hash, payload, (size_t)size) != 1 ||
                EVP_DigestFinal_ex(hash, digest, NULL) != 1 ||
                EVP_PKEY_sign(signer, signature, &length, digest, sizeof digest) != 1)
                fail("signing");
            EVP_EncodeBlock((unsigned char *)encoded, signature, (int)length);
            at += snprintf(json + at, sizeof json - (size_t)at,
                           ",\"discount\":{\"identifier\":\"%.*s\",\"keyIdentifier\":\"" KEY_ID
                           "\",\"nonce\":\"%s\",\"timestamp\":%ld,\"signature\":\"%s\"}",
                           offer_length, offer, nonce, time, encoded);
            client->records++;
        }
        at += snprintf(json + at, sizeof json - (size_t)at, "}");
        body = offer;
        product = value(body, "\"productId\":\"", &product_length);
    } while (++count < OFFERS && product != NULL);
    at += snprintf(json + at, sizeof json - (size_t)at, "]}");
    client->answer_length = (size_t)snprintf(
        client->answer, sizeof client->answer,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", at, json);
    client->length = 0;
}

static void send_answer(struct client *client) {
    /* A client that does not read its answer, or has gone, is not this program's concern. */
    if (write(client->file, client->answer, client->answer_length) < 0) return;
}

/* Whether all of a request has come. */
static int is_whole(struct client *client) {
    client->request[client->length] = 0;
    const char *end = strstr(client->request, "\r\n\r\n"), *length = strcasestr(client->request, "content-length:");
    return end != NULL && length != NULL &&
           (size_t)(end + 4 - client->request) + (size_t)atol(length + 15) <= client->length;
}

static struct client *taken(struct list *list) {
    pthread_mutex_lock(&list->lock);
    struct client *first = list->first;
    list->first = NULL;
    pthread_mutex_unlock(&list->lock);
    return first;
}

static void *run_loop(void *argument) {
    int loop = *(int *)argument, accepted = 0, one = 1;
    /* The listener has no client, the wake has the loop's own list. */
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
    struct list *answers = &to_answer[loop];
    if (loop == 0) epoll_ctl(polls[loop], EPOLL_CTL_ADD, listener, &event);
    event.data.ptr = answers;
    epoll_ctl(polls[loop], EPOLL_CTL_ADD, wakes[loop], &event);
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    EVP_PKEY_CTX *signer = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (hash == NULL || signer == NULL || EVP_DigestInit_ex2(hash, EVP_sha256(), NULL) != 1 ||
        EVP_PKEY_sign_init(signer) != 1 || EVP_PKEY_CTX_set_signature_md(signer, EVP_sha256()) != 1)
        fail("signing");
    for (;;) {
        struct client *whole = NULL, *last = NULL;
        int count = epoll_wait(polls[loop], events, 256, -1);
        for (int i = 0; i < count; i++) {
            struct client *client = events[i].data.ptr;
            if (client == NULL) {
                int file = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (file < 0) continue;
                setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                if ((client = calloc(1, sizeof *client)) == NULL) fail("calloc");
                client->file = file, client->loop = accepted++ % LOOPS;
                event.data.ptr = client;
                epoll_ctl(polls[client->loop], EPOLL_CTL_ADD, file, &event);
            } else if (events[i].data.ptr == answers) {
                eventfd_t ignored;
                eventfd_read(wakes[loop], &ignored);
                for (client = taken(answers); client != NULL; client = client->next) send_answer(client);
            } else {
                ssize_t size = read(client->file, client->request + client->length, REQUEST - client->length);
                if (size <= 0) {
                    close(client->file);
                    free(client);
                    continue;
                }
                client->length += (size_t)size;
                if (is_whole(client)) client->next = whole, whole = client;
            }
        }
        struct client *signing = whole;
        whole = NULL;
        while (signing != NULL) {
            struct client *next = signing->next;
            answer(signing, hash, signer);
            if (signing->records == 0) {
                send_answer(signing);
            } else {
                signing->next = whole, whole = signing;
                if (last == NULL) last = signing;
            }
            signing = next;
        }
        if (whole == NULL) continue;
        pthread_mutex_lock(&to_write.lock);
        last->next = to_write.first, to_write.first = whole;
        pthread_cond_signal(&written_to);
        pthread_mutex_unlock(&to_write.lock);
    }
    return NULL;
}

static void *write_ledger(void *argument) {
    char *records = calloc(CLIENTS * OFFERS, RECORD);
    off_t place = 0;
    if (records == NULL) fail("calloc");
    for (;;) {
        pthread_mutex_lock(&to_write.lock);
        while (to_write.first == NULL) pthread_cond_wait(&written_to, &to_write.lock);
        struct client *client = to_write.first;
        to_write.first = NULL;
        pthread_mutex_unlock(&to_write.lock);
        size_t size = 0;
        for (struct client *each = client; each != NULL; each = each->next)
            for (int i = 0; i < each->records && size < (size_t)CLIENTS * OFFERS * RECORD; i++, size += RECORD)
                memcpy(records + size, each->answer + 100, RECORD);
        if (pwrite(ledger, records, size, place) != (ssize_t)size || fdatasync(ledger) != 0) fail("ledger");
        /* Around in a file that is there already, as SQLite does with its log. */
        place = place + (off_t)size > LEDGER / 2 ? 0 : place + (off_t)size;
        int wake[LOOPS] = {0};
        for (struct client *next; client != NULL; client = next) {
            next = client->next;
            struct list *answers = &to_answer[client->loop];
            pthread_mutex_lock(&answers->lock);
            client->next = answers->first, answers->first = client;
            pthread_mutex_unlock(&answers->lock);
            wake[client->loop] = 1;
        }
        for (int loop = 0; loop < LOOPS; loop++)
            if (wake[loop]) eventfd_write(wakes[loop], 1);
    }
    return argument;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: %s KEY.p8 PORT LEDGER\n", arguments[0]);
        return 64;
    }
    FILE *file = fopen(arguments[1], "r");
    key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;
    if (key == NULL) fail(arguments[1]);
    fclose(file);
    char *zeros = calloc(1, LEDGER);
    ledger = open(arguments[3], O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (zeros == NULL || ledger < 0 || pwrite(ledger, zeros, LEDGER, 0) != LEDGER || fsync(ledger) != 0)
        fail(arguments[3]);
    free(zeros);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[2])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, CLIENTS) != 0)
        fail(arguments[2]);
    pthread_t thread;
    static int loops[LOOPS] = {0, 1};
    for (int loop = 0; loop < LOOPS; loop++) {
        polls[loop] = epoll_create1(EPOLL_CLOEXEC);
        wakes[loop] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (polls[loop] < 0 || wakes[loop] < 0) fail("epoll");
    }
    for (int loop = 0; loop < LOOPS; loop++)
        if (pthread_create(&thread, NULL, run_loop, &loops[loop]) != 0) fail("pthread_create");
    if (pthread_create(&thread, NULL, write_ledger, NULL) != 0) fail("pthread_create");
    pause();
    return 0;
}
