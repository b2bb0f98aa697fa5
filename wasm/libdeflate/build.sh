#!/bin/sh
# Builds libdeflate.wasm: libdeflate 1.14 (Debian source package libdeflate 1.14-1), the patches in this folder and
# glue.c. Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, patch, and apt with a deb-src entry.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/libdeflate
orig=libdeflate_1.14.orig.tar.gz
hash=89e7df898c37c3427b0f39aadcf733731321a278771d20fc553f92da8d4808ac

mkdir -p "$cache"
cd "$cache"
[ -e "$orig" ] || apt-get source --download-only libdeflate=1.14-1
echo "$hash  $orig" | sha256sum --check --quiet
rm -rf libdeflate-1.14
tar xzf "$orig"
cd libdeflate-1.14

# Adds compression in segments, for data that does not fit in memory.
patch -s -p1 <"$here/segments.patch"
# Adds thorough.h: slower and smaller compression for small data that is stored for long.
patch -s -p1 <"$here/thorough.patch"
# Ends the passes over a block that find the same path again. The output is the same, 8 % faster at level 12.
patch -s -p1 <"$here/passes.patch"
# Compares the lengths of a match four at a time. The output is the same, up to twice as fast where data repeats.
patch -s -p1 <"$here/lengths.patch"
# Uses 64-bit words, which WebAssembly supports although its size_t has 32 bits. The output is the same, but faster.
sed -i 's/^typedef size_t machine_word_t;$/typedef u64 machine_word_t;/' common_defs.h

flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I. -I$here -O3 -msimd128 -mbulk-memory
  -flto -ffunction-sections -fdata-sections -Wall -Wno-unused-function -ffile-prefix-map=$PWD=."
objects=
for source in lib/*.c "$here/glue.c" "$here/../common/heap.c"; do
  object=$(basename "$source" .c).o
  clang-19 $flags -c "$source" -o "$object"
  objects="$objects $object"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi $objects -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=1048576 --max-memory=100663296 -z stack-size=65536 -o "$here/libdeflate.wasm"
