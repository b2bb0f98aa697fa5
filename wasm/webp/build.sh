#!/bin/sh
# Builds webp.wasm: libwebp 1.5.0 (upstream archive of Debian 13's source package) and the C code in this folder. Needs clang-19,
# lld-19, wasi-libc, libclang-rt-19-dev-wasm32, emscripten, and apt with a deb-src entry of Debian 13. Only emscripten's
# headers are used: they implement SSE2, which libwebp's fast paths use, with WebAssembly vectors.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/libwebp
archive=libwebp_1.5.0.orig.tar.gz
simd=/usr/share/emscripten/system/include/compat
mkdir -p "$cache"
cd "$cache"
[ -e "$archive" ] || apt-get source --download-only libwebp=1.5.0-0.1
echo "7d6fab70cf844bf6769077bd5d7a74893f8ffd4dfb42861745750c63c2a5c92c  $archive" | sha256sum --check --quiet
rm -rf libwebp-1.5.0
tar xzf "$archive"
objects=$(mktemp -d)
trap 'rm -r "$objects"' EXIT
flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I$cache/libwebp-1.5.0 -O3 -msimd128 -mbulk-memory -flto
  -ffunction-sections -fdata-sections -fno-ident -DNDEBUG -DWEBP_DISABLE_STATS"
cd "$cache/libwebp-1.5.0"
for file in src/enc/*.c src/dec/*.c src/dsp/*.c src/utils/*.c sharpyuv/*.c; do
  case $file in *thread_utils*|*_neon.c|*_msa.c|*_mips*.c|*_sse41.c) continue ;; esac
  # Defines EMSCRIPTEN, because cpu.c only then reports SSE2 support for WebAssembly.
  clang-19 $flags -w -D__SSE__ -D__SSE2__ -DEMSCRIPTEN -I$simd -c "$file" -o "$objects/$(echo "$file" | tr / _).o"
done
for file in src/utils/thread_utils.c; do clang-19 $flags -w -c $file -o "$objects/thread_utils.o"; done
for file in compare encode exports rows strips viewer; do
  clang-19 $flags -Wall -Wextra -I"$here/../measure" -c "$here/$file.c" -o "$objects/engine-$file.o"
done
for file in measure pixels; do clang-19 $flags -Wall -Wextra -c "$here/../measure/$file.c" -o "$objects/$file.o"; done
clang-19 $flags -Wall -Wextra -c "$here/../common/allocate.c" -o "$objects/allocate.o"
clang-19 $flags -Wall -Wextra -DHEAP_LIMIT_BYTES=75497472 -DHEAP_LIMIT_FROM_HOST -c "$here/../common/heap.c" -o "$objects/heap.o"
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize "$objects"/*.o -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" -s --gc-sections --lto-O3 \
  --import-memory --export-memory --initial-memory=1048576 --max-memory=2147483648 -z stack-size=262144 -o "$here/webp.wasm"
sha256sum "$here/webp.wasm"
