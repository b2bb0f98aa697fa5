#!/bin/sh
# Builds zlib.wasm: the inflating half of zlib 1.3.1 (Debian source package zlib
# 1:1.3.dfsg+really1.3.1-1+deb13u1) and glue.c.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, and apt with a deb-src entry of Debian 13.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/zlib
orig=zlib_1.3.dfsg+really1.3.1.orig.tar.gz
hash=60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb

mkdir -p "$cache"
cd "$cache"
[ -e "$orig" ] || apt-get source --download-only --tar-only zlib=1:1.3.dfsg+really1.3.1-1+deb13u1
echo "$hash  $orig" | sha256sum --check --quiet
rm -rf zlib-1.3.1
tar xzf "$orig"
cd zlib-1.3.1

flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -isystem . -O3 -msimd128 -mbulk-memory -flto
  -ffunction-sections -fdata-sections -fno-ident -ffile-prefix-map=$PWD=. -ffile-prefix-map=$here=."
objects=
for source in adler32 crc32 inffast inflate inftrees zutil; do
  clang-19 $flags -w -c "$source.c" -o "$source.o"
  objects="$objects $source.o"
done
for source in "$here/glue.c" "$here/../common/stream.c" "$here/../common/heap.c"; do
  object=$(basename "$source" .c).engine.o
  clang-19 $flags -Wall -Wextra -c "$source" -o "$object"
  objects="$objects $object"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi $objects -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=1048576 --max-memory=100663296 -z stack-size=65536 \
  -o "$here/zlib.wasm"
