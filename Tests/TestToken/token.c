// A PKCS#11 module for the tests, over another one that TEST_TOKEN_MODULE names. It does as the file says that
// TEST_TOKEN_ORDERS names, one word: `ok`, or at each signature `delay MILLISECONDS`, `fail CODE`, `init CODE` (C_SignInit
// fails), `lame CODE` (fails in the session that signs next, and in the one that is opened in its place), `short` (63
// bytes), `wrong` (another signature), `stray` (another signature, in the session that signs next, as long as it is
// open), `forget` (the session is closed before) and `die`; `hang MILLISECONDS` for each C_OpenSession; `final` and
// `locked` say so of the PIN. Each C_Login adds a byte to the file of that name with `.logins`.

#include <dlfcn.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static CK_FUNCTION_LIST *real, mine;
static CK_SESSION_HANDLE stray;
static CK_SESSION_HANDLE lame;
static int next_is_lame;

static void order(char *word, unsigned long *number) {
    strcpy(word, "ok");
    *number = 0;
    FILE *file = fopen(getenv("TEST_TOKEN_ORDERS"), "r");
    if (file == NULL) return;
    if (fscanf(file, "%15s %lu", word, number) < 1) strcpy(word, "ok");
    fclose(file);
}

static CK_RV sign(
    CK_SESSION_HANDLE session, unsigned char *data, unsigned long data_length, unsigned char *signature,
    unsigned long *length
) {
    char word[16];
    unsigned long number;
    order(word, &number);
    if (strcmp(word, "die") == 0) _exit(77);
    if (strcmp(word, "delay") == 0) usleep(number * 1000);
    if (strcmp(word, "forget") == 0) {
        real->C_CloseSession(session);
        // Once.
        if (truncate(getenv("TEST_TOKEN_ORDERS"), 0) != 0) return CKR_GENERAL_ERROR;
    }
    CK_RV result = real->C_Sign(session, data, data_length, signature, length);
    if (strcmp(word, "lame") == 0) {
        if (lame == 0) lame = session;
        if (lame == session) return number;
    }
    if (strcmp(word, "fail") == 0) return number;
    if (strcmp(word, "short") == 0) *length = 63;
    if (strcmp(word, "stray") == 0 && stray == 0) stray = session;
    if (strcmp(word, "wrong") == 0 || (stray != 0 && session == stray)) signature[40] ^= 1;
    return result;
}

static CK_RV sign_init(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) {
    char word[16];
    unsigned long number;
    order(word, &number);
    return strcmp(word, "init") == 0 ? number : real->C_SignInit(session, mechanism, key);
}

static CK_RV open_session(
    CK_SLOT_ID slot, CK_FLAGS flags, void *application, CK_NOTIFY notify, CK_SESSION_HANDLE *session
) {
    char word[16];
    unsigned long number;
    order(word, &number);
    if (strcmp(word, "hang") == 0) usleep(number * 1000);
    CK_RV result = real->C_OpenSession(slot, flags, application, notify, session);
    if (result == CKR_OK && next_is_lame) {
        lame = *session;
        next_is_lame = 0;
    }
    return result;
}

static CK_RV close_session(CK_SESSION_HANDLE session) {
    if (session == lame) next_is_lame = 1;
    if (session == stray) {
        stray = 0;
        if (truncate(getenv("TEST_TOKEN_ORDERS"), 0) != 0) return CKR_GENERAL_ERROR;
    }
    return real->C_CloseSession(session);
}

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, unsigned char *pin, unsigned long length) {
    char path[1024];
    snprintf(path, sizeof path, "%s.logins", getenv("TEST_TOKEN_ORDERS"));
    FILE *file = fopen(path, "a");
    if (file != NULL) {
        fputc('.', file);
        fclose(file);
    }
    return real->C_Login(session, user, pin, length);
}

static CK_RV token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
    char word[16];
    unsigned long number;
    order(word, &number);
    CK_RV result = real->C_GetTokenInfo(slot, info);
    if (strcmp(word, "final") == 0) info->flags |= CKF_USER_PIN_FINAL_TRY;
    if (strcmp(word, "locked") == 0) info->flags |= CKF_USER_PIN_LOCKED;
    return result;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **functions) {
    if (real == NULL) {
        void *library = dlopen(getenv("TEST_TOKEN_MODULE"), RTLD_NOW | RTLD_LOCAL);
        CK_C_GetFunctionList list = NULL;
        if (library != NULL) *(void **)&list = dlsym(library, "C_GetFunctionList");
        if (list == NULL || list(&real) != CKR_OK) return CKR_GENERAL_ERROR;
        mine = *real;
        mine.C_SignInit = sign_init;
        mine.C_Sign = sign;
        mine.C_OpenSession = open_session;
        mine.C_CloseSession = close_session;
        mine.C_Login = login;
        mine.C_GetTokenInfo = token_info;
    }
    *functions = &mine;
    return CKR_OK;
}
