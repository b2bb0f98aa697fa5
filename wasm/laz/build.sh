#!/bin/sh
# Builds laz.wasm from the LAZ encoder in this folder, without downloads. Needs: clang-19 lld-19 wasi-libc.
set -eu
cd "$(dirname "$(realpath "$0")")"
cache=../.cache/laz
mkdir -p "$cache"
flags="--target=wasm32-wasi -nostdlibinc -isystem /usr/include/wasm32-wasi -O3 -mbulk-memory -Wall -Wextra -ffile-prefix-map=$PWD=."
# Excludes coder.c from link-time optimisation, which would inline its functions everywhere and add 20 % to the size.
clang-19 $flags -c coder.c -o "$cache/coder.o"
for source in fields pointwise layered laz; do clang-19 $flags -flto -c "$source.c" -o "$cache/$source.o"; done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi "$cache"/*.o -lc -s --gc-sections --lto-O3 \
  --max-memory=67108864 -z stack-size=65536 -o laz.wasm
