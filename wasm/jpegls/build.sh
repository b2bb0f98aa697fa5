#!/bin/sh
# Builds jpegls.wasm from the JPEG-LS coder in this folder, without downloads. Needs: clang-19 lld-19 wasi-libc.
set -eu
cd "$(dirname "$(realpath "$0")")"
cache=../.cache/jpegls
mkdir -p "$cache"
for source in jpegls ../common/heap; do
  clang-19 --target=wasm32-wasi -nostdlibinc -isystem /usr/include/wasm32-wasi -O3 -mbulk-memory -Wall -Wextra \
    -DHEAP_INITIAL_BYTES=4456448 -ffile-prefix-map="$PWD"=. -c "$source.c" -o "$cache/$(basename "$source").o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi "$cache/jpegls.o" "$cache/heap.o" -lc -s --gc-sections \
  --import-memory --export-memory --initial-memory=4456448 --max-memory=100663296 \
  -z stack-size=65536 -o jpegls.wasm
