#!/bin/sh
# Builds jxl-encoder.wasm, jxl-picture.wasm or jxl-decoder.wasm, whose build.sh names it: libjxl 0.12.0 with brotli, highway
# and skcms, all in the crate jpegxl-src 0.12.0, lean.patch, and glue.cc of the engine. No code of Rust is used.
# Needs: clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32, make, patch, and
# cargo to fetch the crate. Takes about ten minutes the first time; the engines share the objects.
set -eu
here=$(dirname "$(realpath "$0")")
engine=$1
cache=$here/../.cache/jxl
crate=jpegxl-src-0.12.0
hash=06f56a51e36f688517deebb0b7c10a11c598476936838938495c93764696180a

mkdir -p "$cache/fetch/src"
cache=$(realpath "$cache")
cd "$cache"
if [ ! -e "$crate.crate" ]; then
  # cargo fetches what a package depends on, so it gets a package that depends on the crate.
  : >fetch/src/lib.rs
  printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\njpegxl-src = "=0.12.0"\n' >fetch/Cargo.toml
  CARGO_HOME=$cache/fetch/home cargo fetch --quiet --manifest-path fetch/Cargo.toml
  mv fetch/home/registry/cache/*/"$crate.crate" .
fi
echo "$hash  $crate.crate" | sha256sum --check --quiet

jxl=$cache/libjxl
# Unpacked again when the patch changes, so that no object of another patch is linked.
patched=$(sha256sum <"$here/lean.patch")
if [ "$(cat unpacked 2>/dev/null)" != "$patched" ]; then
  rm -rf "$jxl" objects unpacked
  mkdir -p "$jxl" objects/all objects/jpeg objects/pixels
  tar xzf "$crate.crate" -C "$jxl" --strip-components=2 "$crate/libjxl"
  patch --silent --strip=1 --directory="$jxl" <"$here/lean.patch"
  # Files that CMake would write.
  for name in jxl jxl_cms jxl_threads; do
    macro=$(echo "$name" | tr a-z A-Z)
    printf '#pragma once\n#define %s_EXPORT\n#define %s_NO_EXPORT\n#define %s_DEPRECATED\n' "$macro" "$macro" "$macro" \
      >"$jxl/lib/include/jxl/${name}_export.h"
  done
  sed 's/@JPEGXL_MAJOR_VERSION@/0/; s/@JPEGXL_MINOR_VERSION@/12/; s/@JPEGXL_PATCH_VERSION@/0/' "$jxl/lib/jxl/version.h.in" \
    >"$jxl/lib/include/jxl/version.h"
  echo "$patched" >unpacked
fi

sources_of() { sed -n "/^set(JPEGXL_INTERNAL_$1_SOURCES/,/^)/p" "$jxl/lib/jxl_lists.cmake" | grep -E '\.cc$' | sed 's/^ */lib\//'; }
sources="$(sources_of CMS) $(sources_of DEC_BOX) $(sources_of DEC_JPEG) $(sources_of DEC) $(sources_of ENC)
  third_party/skcms/skcms.cc third_party/skcms/src/skcms_TransformBaseline.cc
  third_party/highway/hwy/targets.cc third_party/highway/hwy/per_target.cc third_party/highway/hwy/aligned_allocator.cc
  third_party/highway/hwy/abort.cc
  $(cd "$jxl" && ls third_party/brotli/c/common/*.c third_party/brotli/c/dec/*.c third_party/brotli/c/enc/*.c)"

system=/usr/include/wasm32-wasi
libcxx=/usr/lib/llvm-19
target="--target=wasm32-wasi --sysroot=/usr"
flags="-O2 -msimd128 -mbulk-memory -fmerge-all-constants -fno-math-errno -ffunction-sections -fdata-sections -fno-ident
  -ffile-prefix-map=$cache=. -ffile-prefix-map=$here=."
flags="$flags -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_MMAN
  -I$jxl -I$jxl/lib/include -I$jxl/third_party/highway -I$jxl/third_party/brotli/c/include -I$jxl/third_party/skcms
  -DJXL_INTERNAL_LIBRARY_BUILD -DJPEGXL_ENABLE_SKCMS=1 -DJPEGXL_ENABLE_TRANSCODE_JPEG=1 -DJPEGXL_ENABLE_BOXES=1"
# skcms would use tail calls, which WebAssembly engines got late.
flags="$flags -DSKCMS_DISABLE_HSW -DSKCMS_DISABLE_SKX -DSKCMS_HAS_MUSTTAIL=0"
cxx="-std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -nostdinc++ -isystem $libcxx/include/wasm32-wasi/c++/v1 -isystem $system"
flags=$(echo $flags)

# rule FOLDER SOURCE COMPILER: one object of the Makefile.
rule() {
  object=$cache/objects/$1/$(echo "$2" | tr / _).o
  printf 'all: %s\n%s: %s\n\t%s -w -c $< -o $@\n' "$object" "$object" "$jxl/$2" "$3"
}
{
  echo "all:"
  for source in $sources; do
    case $source in
    # lean.patch: the encoder of JPEG is without the parts for pixels.
    lib/jxl/enc_frame.cc | lib/jxl/encode.cc)
      rule jpeg "$source" "clang++-19 $target $flags $cxx -DWHITTLE_JPEG_ONLY=1"
      rule pixels "$source" "clang++-19 $target $flags $cxx -DWHITTLE_JPEG_ONLY=0"
      ;;
    *.cc) rule all "$source" "clang++-19 $target $flags $cxx" ;;
    *) rule all "$source" "clang-19 $target -isystem $system $flags" ;;
    esac
  done
} >Makefile
make --jobs="${JOBS:-2}" all >make.log 2>&1 || { grep --max-count=20 error make.log; exit 1; }

case $engine in
jxl-picture) form=pixels ;;
*) form=jpeg ;;
esac
# The glue of all engines has the same name, so each is compiled just before it is linked.
folder=$here/../$engine
clang++-19 $target $flags $cxx -Wall -Wextra -c "$folder/glue.cc" -o glue.o
clang++-19 $target $flags $cxx -Wall -Wextra -c "$here/memory.cc" -o memory.o
clang-19 $target -isystem $system $flags -Wall -Wextra -DHEAP_INITIAL_BYTES=4194304 -DHEAP_LIMIT_BYTES=92274688 -DHEAP_LIMIT_FROM_HOST \
  -c "$here/../common/heap.c" -o heap.o
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L$libcxx/lib/wasm32-wasi -L/usr/lib/wasm32-wasi glue.o memory.o heap.o --start-lib objects/$form/*.o objects/all/*.o --end-lib \
  -lc++ -lc++abi -lc -lm -lwasi-emulated-signal -lwasi-emulated-process-clocks -lwasi-emulated-mman \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" -s --gc-sections --import-memory --export-memory \
  --initial-memory=4194304 --max-memory=2147483648 -z stack-size=1048576 -o "$folder/$engine.wasm"
sha256sum "$folder/$engine.wasm"
