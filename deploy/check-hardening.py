#!/usr/bin/env python3
"""Checks that the C in an executable was compiled with the flags of deploy/build-flags.sh and deploy/hardened-cc.

usage: deploy/check-hardening.py EXECUTABLE        not stripped, as the build leaves it

- -fcf-protection (arm64: -mbranch-protection=standard): every global function of the C begins with a mark of where jumps may
  land, or with one that signs the return address.
- -fstack-protector-strong: libraries that have buffers on the stack call __stack_chk_fail.
- _FORTIFY_SOURCE: the C calls functions of glibc that check the size, such as __memcpy_chk.

Needs nm, objdump and readelf of binutils.
"""

import collections
import re
import subprocess
import sys

# The C in the executable, by what its functions' names begin with, and whether a function of it has a buffer on the stack.
LIBRARIES = {
    "CSigningMemory": (r"csigning_", False),
    "llhttp": (r"c_nio_llhttp_", False),
    "BoringSSL of swift-nio-ssl": (r"CNIOBoringSSL_", True),
    "BoringSSL of swift-crypto": (r"CCryptoBoringSSL_", True),
    "libyaml": (r"yaml_", True),
}
# endbr64 of x86-64; bti c and paciasp of arm64. On arm64 `bti` is in the space of hints, as a no-operation of old processors.
LANDINGS = {"EM_X86_64": {b"\xf3\x0f\x1e\xfa"}, "EM_AARCH64": {b"\x5f\x24\x03\xd5", b"\x3f\x23\x03\xd5"}}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Executable:
    def __init__(self, path):
        self.bytes = open(path, "rb").read()
        machine = output("readelf", "--file-header", path)
        self.machine = "EM_AARCH64" if "AArch64" in machine else "EM_X86_64" if "X86-64" in machine else sys.exit(machine)
        section = re.search(r" \.text +PROGBITS +([0-9a-f]+) ([0-9a-f]+)", output("readelf", "--sections", "--wide", path))
        self.offset = int(section[2], 16) - int(section[1], 16)
        # Address, size, type and name of each function.
        listed = output("nm", "--defined-only", "--print-size", path)
        self.functions = [
            (int(address, 16), int(size, 16), kind, name)
            for address, size, kind, name in re.findall(r"^([0-9a-f]+) ([0-9a-f]+) ([TtWw]) (\S+)$", listed, re.MULTILINE)
        ]
        stubs = output("objdump", "--disassemble", "--section=.plt", "--no-show-raw-insn", path)
        self.stubs = {
            int(address, 16): name for address, name in re.findall(r"^([0-9a-f]+) <(__\w+_(?:chk|chk_fail))@plt>:", stubs, re.MULTILINE)
        }

    def code(self, address, size):
        return self.bytes[address + self.offset : address + self.offset + size]

    def calls(self, address, size):
        """Which checking functions of glibc a function calls, by the distance in the instruction."""
        code = self.code(address, size)
        if self.machine == "EM_X86_64":
            places = ((at, int.from_bytes(code[at + 1 : at + 5], "little", signed=True) + 5)
                      for at in range(len(code) - 4) if code[at] in (0xE8, 0xE9))
        else:
            words = ((at, int.from_bytes(code[at : at + 4], "little")) for at in range(0, len(code) - 3, 4))
            places = ((at, (word & 0x3FFFFFF ^ 0x2000000) - 0x2000000 << 2) for at, word in words if word >> 26 in (0x25, 0x05))
        return [self.stubs[address + at + distance] for at, distance in places if address + at + distance in self.stubs]


def faults(path):
    executable = Executable(path)
    checked = collections.Counter()
    for library, (prefix, has_buffers) in LIBRARIES.items():
        # A method of C++ has the prefix within its name.
        own = [each for each in executable.functions if re.match(prefix, each[3]) or re.match(rf"_Z.*{prefix}", each[3])]
        if not own:
            yield f"{library} is not in it, or its names were stripped."
            continue
        entered = [each for each in own if each[2] == "T"]
        bare = [name for address, _, _, name in entered if executable.code(address, 4) not in LANDINGS[executable.machine]]
        if bare:
            yield f"{library}: {len(bare)} of {len(entered)} global functions have no mark for jumps, such as {bare[0]}."
        calls = collections.Counter(name for address, size, _, _ in own for name in executable.calls(address, size))
        guarded = calls.pop("__stack_chk_fail", 0)
        if has_buffers and not guarded:
            yield f"{library}: no function guards its stack."
        checked.update(calls)
        print(f"   {library}: {len(entered)} global functions, stack guarded in {guarded} places, {calls.total()} checked copies")
    if not checked:
        yield "No C of it calls a function that checks sizes, such as __memcpy_chk."


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(faults(sys.argv[1]))
    for fault in found:
        print(f"{sys.argv[1]}: {fault}", file=sys.stderr)
    sys.exit(1 if found else 0)
