// The calls of PKCS#11 that sign with a token's key. The types are p11-kit's header alone: the module that the operator
// names is opened with dlopen(3), and nothing is linked.

#ifndef CPKCS11_SHIM_H
#define CPKCS11_SHIM_H

#include <dlfcn.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <signal.h>
#include <string.h>

typedef CK_FUNCTION_LIST *_Nonnull cpkcs11_module;

// Opens a module for good: its functions, or NULL and a sentence of the system's.
//
// p11-kit's client writes to a socket whose other end may be gone, which by default ends the process.
static inline CK_FUNCTION_LIST *_Nullable cpkcs11_open(
    const char *_Nonnull path, const char *_Nullable *_Nonnull reason
) {
    CK_FUNCTION_LIST *functions = NULL;
    signal(SIGPIPE, SIG_IGN);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CK_C_GetFunctionList list = NULL;
    if (library != NULL) *(void **)&list = dlsym(library, "C_GetFunctionList");
    if (list == NULL) {
        *reason = dlerror();
        return NULL;
    }
    *reason = "C_GetFunctionList fails";
    return list(&functions) == CKR_OK ? functions : NULL;
}

// Another part of the process may have initialised it. NSS has its parameters where the standard has a reserved pointer,
// and one more pointer after them.
static inline CK_RV cpkcs11_initialize(cpkcs11_module m, const char *_Nullable parameters) {
    struct { CK_C_INITIALIZE_ARGS standard; void *reserved; } arguments = {{0}};
    arguments.standard.flags = CKF_OS_LOCKING_OK;
    arguments.standard.pReserved = (void *)parameters;
    CK_RV result = m->C_Initialize(&arguments);
    return result == CKR_CRYPTOKI_ALREADY_INITIALIZED ? CKR_OK : result;
}

static inline CK_RV cpkcs11_finalize(cpkcs11_module m) { return m->C_Finalize(NULL); }

// The slots that hold a token, as many as there is room for, or their number alone.
static inline CK_RV cpkcs11_slots(cpkcs11_module m, CK_SLOT_ID *_Nullable slots, CK_ULONG *_Nonnull count) {
    return m->C_GetSlotList(CK_TRUE, slots, count);
}

static inline CK_RV cpkcs11_info(cpkcs11_module m, CK_INFO *_Nonnull info) { return m->C_GetInfo(info); }

static inline CK_RV cpkcs11_slot(cpkcs11_module m, CK_SLOT_ID slot, CK_SLOT_INFO *_Nonnull info) {
    return m->C_GetSlotInfo(slot, info);
}

static inline CK_RV cpkcs11_token(cpkcs11_module m, CK_SLOT_ID slot, CK_TOKEN_INFO *_Nonnull token) {
    return m->C_GetTokenInfo(slot, token);
}

static inline CK_RV cpkcs11_open_session(cpkcs11_module m, CK_SLOT_ID slot, CK_SESSION_HANDLE *_Nonnull session) {
    return m->C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, session);
}

static inline CK_RV cpkcs11_close_session(cpkcs11_module m, CK_SESSION_HANDLE session) {
    return m->C_CloseSession(session);
}

// 1 where the process is logged in to the session's token, 0 where it is not.
static inline CK_RV cpkcs11_is_logged_in(cpkcs11_module m, CK_SESSION_HANDLE session, int *_Nonnull answer) {
    CK_SESSION_INFO info = {0};
    CK_RV result = m->C_GetSessionInfo(session, &info);
    *answer = info.state == CKS_RO_USER_FUNCTIONS || info.state == CKS_RW_USER_FUNCTIONS;
    return result;
}

// As the user, or for the signature that was begun.
static inline CK_RV cpkcs11_login(
    cpkcs11_module m, CK_SESSION_HANDLE session, int is_for_signature, const unsigned char *_Nullable pin, CK_ULONG length
) {
    CK_USER_TYPE user = is_for_signature ? CKU_CONTEXT_SPECIFIC : CKU_USER;
    CK_RV result = m->C_Login(session, user, (unsigned char *)pin, length);
    return result == CKR_USER_ALREADY_LOGGED_IN && !is_for_signature ? CKR_OK : result;
}

// Objects of a class, with this label and this id where they are given, as many as there is room for; a failed call's name.
static inline CK_RV cpkcs11_find(
    cpkcs11_module m, CK_SESSION_HANDLE session, CK_OBJECT_CLASS class,
    const char *_Nullable label, CK_ULONG label_length, const unsigned char *_Nullable id, CK_ULONG id_length,
    CK_OBJECT_HANDLE *_Nonnull objects, CK_ULONG *_Nonnull count, const char *_Nullable *_Nonnull step
) {
    CK_ATTRIBUTE wanted[3] = {{CKA_CLASS, &class, sizeof class}};
    CK_ULONG attributes = 1, room = *count;
    if (label != NULL) wanted[attributes++] = (CK_ATTRIBUTE){CKA_LABEL, (void *)label, label_length};
    if (id != NULL) wanted[attributes++] = (CK_ATTRIBUTE){CKA_ID, (void *)id, id_length};
    *step = "C_FindObjectsInit";
    CK_RV result = m->C_FindObjectsInit(session, wanted, attributes);
    if (result != CKR_OK) return result;
    *step = "C_FindObjects";
    // A module may hand out fewer than there is room for.
    CK_ULONG found = 0, more = 0;
    do {
        result = m->C_FindObjects(session, objects + found, room - found, &more);
        found += more;
    } while (result == CKR_OK && more > 0 && found < room);
    *count = found;
    CK_RV end = m->C_FindObjectsFinal(session);
    if (result != CKR_OK) return result;
    *step = "C_FindObjectsFinal";
    return end;
}

// In: the room there is. Out: the length of the attribute.
static inline CK_RV cpkcs11_attribute(
    cpkcs11_module m, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type,
    void *_Nonnull value, CK_ULONG *_Nonnull length
) {
    CK_ATTRIBUTE attribute = {type, value, *length};
    CK_RV result = m->C_GetAttributeValue(session, object, &attribute, 1);
    *length = result == CKR_OK && attribute.ulValueLen <= *length ? attribute.ulValueLen : 0;
    return result;
}

static inline CK_RV cpkcs11_sign_init(cpkcs11_module m, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key) {
    CK_MECHANISM mechanism = {CKM_ECDSA, NULL, 0};
    return m->C_SignInit(session, &mechanism, key);
}

// Signs a SHA-256 of 32 bytes; in: the room there is, out: the length, of which the module may say anything.
static inline CK_RV cpkcs11_sign(
    cpkcs11_module m, CK_SESSION_HANDLE session, const unsigned char *_Nonnull digest,
    unsigned char *_Nonnull signature, CK_ULONG *_Nonnull length
) {
    return m->C_Sign(session, (unsigned char *)digest, 32, signature, length);
}

// The name of a result, NULL for one that the standard does not have.
static inline const char *_Nullable cpkcs11_name(CK_RV result) {
    static const struct { CK_RV result; const char *name; } names[] = {
#define NAME(result) {result, #result}
        NAME(CKR_HOST_MEMORY), NAME(CKR_SLOT_ID_INVALID), NAME(CKR_GENERAL_ERROR), NAME(CKR_FUNCTION_FAILED),
        NAME(CKR_ARGUMENTS_BAD), NAME(CKR_CANT_LOCK), NAME(CKR_NEED_TO_CREATE_THREADS), NAME(CKR_ATTRIBUTE_SENSITIVE),
        NAME(CKR_ATTRIBUTE_TYPE_INVALID), NAME(CKR_DATA_LEN_RANGE), NAME(CKR_DEVICE_ERROR), NAME(CKR_DEVICE_MEMORY),
        NAME(CKR_DEVICE_REMOVED), NAME(CKR_FUNCTION_CANCELED), NAME(CKR_FUNCTION_NOT_SUPPORTED),
        NAME(CKR_KEY_HANDLE_INVALID), NAME(CKR_KEY_TYPE_INCONSISTENT), NAME(CKR_KEY_FUNCTION_NOT_PERMITTED),
        NAME(CKR_MECHANISM_INVALID), NAME(CKR_OBJECT_HANDLE_INVALID), NAME(CKR_OPERATION_ACTIVE),
        NAME(CKR_OPERATION_NOT_INITIALIZED), NAME(CKR_PIN_INCORRECT), NAME(CKR_PIN_INVALID), NAME(CKR_PIN_LEN_RANGE),
        NAME(CKR_PIN_EXPIRED), NAME(CKR_PIN_LOCKED), NAME(CKR_SESSION_CLOSED), NAME(CKR_SESSION_COUNT),
        NAME(CKR_SESSION_HANDLE_INVALID), NAME(CKR_TOKEN_NOT_PRESENT), NAME(CKR_TOKEN_NOT_RECOGNIZED),
        NAME(CKR_USER_NOT_LOGGED_IN), NAME(CKR_USER_PIN_NOT_INITIALIZED), NAME(CKR_USER_ANOTHER_ALREADY_LOGGED_IN),
        NAME(CKR_CURVE_NOT_SUPPORTED), NAME(CKR_BUFFER_TOO_SMALL), NAME(CKR_CRYPTOKI_NOT_INITIALIZED),
        NAME(CKR_FIPS_SELF_TEST_FAILED), NAME(CKR_FUNCTION_REJECTED),
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].result == result) return names[i].name;
    }
    return NULL;
}

#endif
