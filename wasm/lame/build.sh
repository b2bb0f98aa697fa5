#!/bin/sh
# Builds lame.wasm: the encoder of LAME 3.100 (Debian source package lame 3.100-6) and glue.c.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32, and apt with a deb-src entry.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/lame
orig=lame_3.100.orig.tar.gz
hash=ddfe36cab873794038ae2c1210557ad34857a4b6bdc515785d1da9e175b1da1e

mkdir -p "$cache"
cd "$cache"
[ -e "$orig" ] || apt-get source --download-only lame=3.100-6
echo "$hash  $orig" | sha256sum --check --quiet
rm -rf lame-3.100
tar xzf "$orig"
cd lame-3.100

# LAME's config.h for wasm32-wasi, in place of configure's output.
cat > config.h <<'H'
#define STDC_HEADERS 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STRING_H 1
#define HAVE_STRCHR 1
#define HAVE_MEMCPY 1
#define HAVE_ERRNO_H 1
#define HAVE_FCNTL_H 1
#define HAVE_LIMITS_H 1
#define PACKAGE "lame"
#define VERSION "3.100"
#define TAKEHIRO_IEEE754_HACK 1
#define USE_FAST_LOG 1
#define NOANALYSIS 1
typedef long double ieee854_float80_t;
typedef double ieee754_float64_t;
typedef float ieee754_float32_t;
H
flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I. -Iinclude -Ilibmp3lame -DHAVE_CONFIG_H -DNDEBUG
  -O3 -msimd128 -mbulk-memory -ffast-math -flto -w -ffile-prefix-map=$PWD=."
objects=
for source in libmp3lame/*.c "$here/glue.c"; do
  case $source in *mpglib_interface.c) continue ;; esac
  object=$(basename "$source" .c).o
  clang-19 $flags -c "$source" -o "$object"
  objects="$objects $object"
done
clang-19 $flags -Wall -DHEAP_LIMIT_BYTES='(32u << 20)' -c "$here/../common/heap.c" -o heap.o
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi $objects heap.o -lc -lm \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" \
  -s --gc-sections --lto-O3 --import-memory --export-memory --initial-memory=1048576 --max-memory=100663296 -z stack-size=262144 -o "$here/lame.wasm"
