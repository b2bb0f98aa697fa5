#!/bin/sh
# Builds opus.wasm: encoder and decoder of libopus 1.5.2 (Debian source package opus 1.5.2-2) and glue.c.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, and apt with a deb-src entry of Debian 13.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/opus
orig=opus_1.5.2.orig.tar.gz
hash=65c1d2f78b9f2fb20082c38cbe47c951ad5839345876e46941612ee87f9a7ce1

mkdir -p "$cache"
cd "$cache"
[ -e "$orig" ] || apt-get source --download-only opus=1.5.2-2
echo "$hash  $orig" | sha256sum --check --quiet
rm -rf opus-1.5.2
tar xzf "$orig"
cd opus-1.5.2

# VAR_ARRAYS: buffers on the stack, whose size is below. Without assembly, and without the neural networks of 1.5.
flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -Iinclude -Icelt -Isilk -Isilk/float -Isrc -I. -DOPUS_BUILD -DVAR_ARRAYS
  -DHAVE_LRINT -DHAVE_LRINTF -DHAVE_STDINT_H -DPACKAGE_VERSION=\"1.5.2\" -DNDEBUG -O3 -msimd128 -mbulk-memory -fno-math-errno -fassociative-math
  -fno-signed-zeros -fno-trapping-math -freciprocal-math -ffile-prefix-map=$PWD=. -ffile-prefix-map=$here=."
objects=
for source in celt/*.c silk/*.c silk/float/*.c src/opus.c src/opus_decoder.c src/opus_encoder.c src/extensions.c src/opus_multistream.c \
  src/opus_multistream_encoder.c src/opus_multistream_decoder.c src/repacketizer.c src/analysis.c src/mlp.c src/mlp_data.c; do
  case $source in *opus_custom_demo.c) continue ;; esac
  object=$(echo "${source%.c}" | tr / -).o
  clang-19 $flags -w -c "$source" -o "$object"
  objects="$objects $object"
done
for file in opus/glue common/heap; do
  clang-19 $flags -Wall -Wextra -DHEAP_INITIAL_BYTES=2097152 -DHEAP_LIMIT_BYTES='(16u << 20)' -c "$here/../$file.c" -o "own-$(basename "$file").o"
  objects="$objects own-$(basename "$file").o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize $objects -lc -lm \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" -s --gc-sections \
  --import-memory --export-memory --initial-memory=2097152 --max-memory=100663296 --stack-first -z stack-size=524288 -o "$here/opus.wasm"
sha256sum "$here/opus.wasm"
