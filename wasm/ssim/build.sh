#!/bin/sh
# Builds ssim.wasm, which measures SSIM and PSNR, from the C code in this folder and in ../measure.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32.
set -eu
here=$(dirname "$(realpath "$0")")
mkdir -p "$here/../.cache/ssim"
cd "$here/../.cache/ssim"
for source in ssim/ssim measure/measure measure/pixels common/heap; do
  clang-19 --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -O3 -msimd128 -mbulk-memory -flto \
    -Wall -Wextra -ffunction-sections -DHEAP_INITIAL_BYTES=196608 -ffile-prefix-map="$here"=. -c "$here/../$source.c" -o "$(basename $source).o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi ssim.o measure.o pixels.o heap.o -lc "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=196608 --max-memory=100663296 -z stack-size=65536 -o "$here/ssim.wasm"
