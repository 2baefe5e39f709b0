#!/usr/bin/env bash
# NSS's PKCS#11 module (libsoftokn3) refuses C_Initialize(NULL), which the standard lets every application call.
#
# PKCS#11 says of the argument: NULL, or a CK_C_INITIALIZE_ARGS whose pReserved is NULL. NSS 3.87 wants a text in pReserved,
# and answers everything else with CKR_ARGUMENTS_BAD (3.110, Debian 13, takes NULL, and has a token without keys); other modules answer that text with CKR_ARGUMENTS_BAD. So a program that
# is to work with all modules needs a setting for each.

# Seen 2026-11-28 with NSS 3.87.1 and SoftHSM 2.6.1 (0x0: CKR_OK, 0x7: CKR_ARGUMENTS_BAD):
#| NSS: NULL 0x7, without a text 0x7, with a text 0x0
#| SoftHSM: NULL 0x0, without a text 0x0, with a text 0x7

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

cat >look.py <<'PYTHON'
import ctypes, os, sys

name, path = sys.argv[1:]

class Arguments(ctypes.Structure):
    _fields_ = [("mutexes", ctypes.c_void_p * 4), ("flags", ctypes.c_ulong), ("reserved", ctypes.c_char_p)]

def result(argument):
    # A process of its own for each: a module is initialised once.
    read, write = os.pipe()
    if os.fork() == 0:
        module, functions = ctypes.CDLL(path), ctypes.c_void_p()
        assert module.C_GetFunctionList(ctypes.byref(functions)) == 0
        # The list begins with the version, and then C_Initialize.
        address = ctypes.cast(functions.value + 8, ctypes.POINTER(ctypes.c_void_p))[0]
        code = ctypes.CFUNCTYPE(ctypes.c_ulong, ctypes.c_void_p)(address)(argument and ctypes.addressof(argument))
        os.write(write, f"{code:#x}".encode())
        os._exit(0)
    os.close(write)
    os.wait()
    return os.read(read, 100).decode()

locking, text = 2, b"configDir='' flags=readOnly,noCertDB,noModDB,forceOpen,optimizeSpace"
plain, told = Arguments(flags=locking), Arguments(flags=locking, reserved=text)
print(f"{name}: NULL {result(None)}, without a text {result(plain)}, with a text {result(told)}")
PYTHON

debian libnss3=2:3.87.1-1+deb12u4 libnspr4=2:4.35-1 libsqlite3-0=3.40.1-2+deb12u2 libsofthsm2=2.6.1-2.1
mkdir tokens
echo "directories.tokendir = $work/tokens" >softhsm2.conf
libraries=$(echo "$work"/debian/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$libraries SOFTHSM2_CONF=$work/softhsm2.conf
{
    python3 look.py NSS "$libraries/libsoftokn3.so"
    python3 look.py SoftHSM "$work/debian/usr/lib/softhsm/libsofthsm2.so"
} | compare
