#!/bin/sh
# Builds flac.wasm: libFLAC 1.5.0 (Debian source package flac 1.5.0+ds-2) and glue.c.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, and apt with a deb-src entry of Debian 13.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/flac
orig=flac_1.5.0+ds.orig.tar.xz
hash=51d6a5bf5a37b67f9af847daa07c07091f6bf1583d5abb7fbb064bc68428b0f1

mkdir -p "$cache"
cd "$cache"
[ -e "$orig" ] || apt-get source --download-only --tar-only flac=1.5.0+ds-2
echo "$hash  $orig" | sha256sum --check --quiet
rm -rf flac && mkdir flac
tar xJf "$orig" -C flac --strip-components=1
cd flac

cat > config.h <<'H'
#define CPU_IS_BIG_ENDIAN 0
#define CPU_IS_LITTLE_ENDIAN 1
#define ENABLE_64_BIT_WORDS 1
#define HAVE_FSEEKO 1
#define HAVE_INTTYPES_H 1
#define HAVE_LROUND 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define FLAC__HAS_OGG 0
#define FLAC__NO_ASM 1
#define PACKAGE_VERSION "1.5.0"
#define NDEBUG 1
H
flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I. -Iinclude -Isrc/libFLAC/include -DHAVE_CONFIG_H -DFLAC__NO_DLL
  -D_POSIX_C_SOURCE=200809L -D_GNU_SOURCE -O3 -msimd128 -mbulk-memory -fassociative-math -fno-signed-zeros -fno-trapping-math -freciprocal-math -w -ffile-prefix-map=$PWD=."
objects=
for source in bitmath bitreader bitwriter cpu crc fixed float format lpc md5 memory metadata_object stream_decoder stream_encoder stream_encoder_framing window; do
  clang-19 $flags -c "src/libFLAC/$source.c" -o "$source.o"
  objects="$objects $source.o"
done
clang-19 $flags -Wall -c "$here/glue.c" -o glue.o
clang-19 $flags -Wall -DHEAP_INITIAL_BYTES=2621440 -DHEAP_LIMIT_BYTES='(32u << 20)' -c "$here/../common/heap.c" -o heap.o
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi $objects glue.o heap.o -lc -lm \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --import-memory --export-memory --initial-memory=2621440 --max-memory=100663296 -z stack-size=262144 -o "$here/flac.wasm"
