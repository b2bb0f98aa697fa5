#!/bin/sh
# Our own LAZ encoder, to laz.wasm beside this script. Nothing is fetched. Needs: clang-19 lld-19 wasi-libc.
set -eu
cd "$(dirname "$(realpath "$0")")"
cache=../.cache/laz
mkdir -p "$cache"
flags="--target=wasm32-wasi -nostdlibinc -isystem /usr/include/wasm32-wasi -O3 -mbulk-memory -Wall -Wextra -ffile-prefix-map=$PWD=."
# The coder stays out of link-time optimisation: its calls would be inlined everywhere, for a fifth more bytes.
clang-19 $flags -c coder.c -o "$cache/coder.o"
for source in fields pointwise layered laz; do clang-19 $flags -flto -c "$source.c" -o "$cache/$source.o"; done
# The linker is called by hand: clang's driver would run any wasm-opt it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi "$cache"/*.o -lc -s --gc-sections --lto-O3 \
  --max-memory=67108864 -z stack-size=65536 -o laz.wasm
