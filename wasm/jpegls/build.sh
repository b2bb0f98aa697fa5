#!/bin/sh
# Builds jpegls.wasm from the JPEG-LS coder in this folder, without downloads. Needs: clang-19 lld-19 wasi-libc.
set -eu
cd "$(dirname "$(realpath "$0")")"
cache=../.cache/jpegls
mkdir -p "$cache"
clang-19 --target=wasm32-wasi -nostdlibinc -isystem /usr/include/wasm32-wasi -O3 -mbulk-memory -Wall -Wextra \
  -ffile-prefix-map="$PWD"=. -c jpegls.c -o "$cache/jpegls.o"
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi "$cache/jpegls.o" -lc -s --gc-sections --max-memory=16777216 \
  -z stack-size=65536 -o jpegls.wasm
