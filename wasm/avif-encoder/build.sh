#!/bin/sh
# Builds avif-encoder.wasm: libaom 3.12.1 without decoder and threads, libsharpyuv of libwebp 1.5.0, and encode.c.
# Needs clang-19, lld-19, wasi-libc, libclang-rt-19-dev-wasm32, perl, emscripten, and apt with a deb-src entry of Debian
# 13. Only emscripten's headers are used: they implement SSE2 to SSE4.1 with WebAssembly vectors.
set -eu
here=$(dirname "$(realpath "$0")")
cache=$here/../.cache/avif-encoder
simd=/usr/share/emscripten/system/include/compat
aom=aom_3.12.1.orig.tar.gz
webp=libwebp_1.5.0.orig.tar.gz

mkdir -p "$cache"
cd "$cache"
[ -e "$aom" ] || apt-get source --download-only --tar-only aom=3.12.1-1+deb13u1
[ -e "$webp" ] || apt-get source --download-only --tar-only libwebp=1.5.0-0.1
sha256sum --check --quiet <<HASHES
40c929a41b2a59c24319a699c358351422829b3ae646de31b18cbabed0191962  $aom
7d6fab70cf844bf6769077bd5d7a74893f8ffd4dfb42861745750c63c2a5c92c  $webp
HASHES
rm -rf aom-3.12.1 libwebp-1.5.0 generated
tar xzf "$aom"
tar xzf "$webp"
mkdir -p generated/config
cd aom-3.12.1
for name in aom_dsp:aom_dsp/aom_dsp_rtcd_defs.pl aom_scale:aom_scale/aom_scale_rtcd.pl av1:av1/common/av1_rtcd_defs.pl; do
  perl build/cmake/rtcd.pl --arch=x86 --require-sse2 --require-ssse3 --require-sse4_1 --disable-mmx --disable-sse4_2 --disable-avx --disable-avx2 --sym="${name%%:*}_rtcd" \
    --config="$here/shim/config/aom_config.h" "${name#*:}" > "../generated/config/${name%%:*}_rtcd.h"
done
# Functions whose vector variant is assembly, or calls it, get their C variant, which the compiler turns into vectors.
blocks='[0-9]+x[0-9]+'
sed -E -i "s/^#define (aom_(highbd_)?sad(_skip_)?$blocks(x4d|_avg)?|aom_highbd_(8|10|12)_((sub_pixel_(avg_)?)?variance|mse)$blocks|\
aom_sub_pixel_(avg_)?variance$blocks|aom_(highbd_)?convolve8_(horiz|vert)|aom_scaled_2d|aom_subtract_block|av1_block_error|\
aom_(dc|dc_128|dc_left|dc_top|h|v)_predictor_(4x4|8x8|16x16|32x32)|aom_highbd_(dc|v)_predictor_(4x4|8x8|16x16|32x32)) .*/#define \1 \1_c/" \
  ../generated/config/*.h

objects=$cache/objects
mkdir -p "$objects"
flags="--target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -I$here/shim -I$cache/generated -I. -I$cache/libwebp-1.5.0
  -O3 -msimd128 -mbulk-memory -flto -ffunction-sections -fdata-sections -fno-math-errno -fno-ident -DNDEBUG
  -ffile-prefix-map=$cache=. -ffile-prefix-map=$here=."
vectors="-D__SSE__ -D__SSE2__ -D__SSE3__ -D__SSSE3__ -D__SSE4_1__ -I$simd"
find aom/src aom_dsp aom_mem aom_scale aom_util av1/common av1/encoder av1/av1_cx_iface.c av1/arg_defs.c common/args_helper.c \
  third_party/fastfeat third_party/vector -name '*.c' |
  grep -vE '/(arm|ppc|riscv)/|avx|sse42|vmaf|butteraugli|saliency|deltaq4|fastssim|psnrhvs|aom_decoder|bitreader\.c|binary_codes_reader|entdec|temporal_denoiser|thirdpass|_rtcd\.c|cdef_block_ssse3' |
  sort > sources.txt
# What only films need is compiled small: motion search, prediction from other frames, rate control.
films='mcomp|motion|interp_search|firstpass|temporal_filter|tpl_model|svc_|ratectrl|gop_structure|pass2_|compound_type|optical_flow|nonrd_|level|lookahead|wedge|encode_strategy|aq_cyclic|superres|external_partition|masked|obmc|blend_a64|convolve|flow_estimation|noise_|pyramid|grain_table|fft|reconinter|warp|mvref|resize|scale|sad|subpixel|arg_defs|args_helper|fastfeat|vector'
xargs -P 2 -I{} sh -c 'file={}; case $file in */x86/*) more=$3 ;; *) more= ;; esac
  if echo "$file" | grep -qE "$4"; then more="$more -Oz"; fi
  clang-19 $2 $more -std=gnu11 -w -c "$file" -o "$1/$(echo "$file" | tr / _).o"' - "$objects" "$flags" "$vectors" "$films" < sources.txt
for file in sharpyuv/sharpyuv sharpyuv/sharpyuv_cpu sharpyuv/sharpyuv_csp sharpyuv/sharpyuv_dsp sharpyuv/sharpyuv_gamma sharpyuv/sharpyuv_sse2; do
  clang-19 $flags -w -D__SSE__ -D__SSE2__ -DEMSCRIPTEN -I"$simd" -c "$cache/libwebp-1.5.0/$file.c" -o "$objects/$(basename "$file").o"
done
for file in avif-encoder/encode common/allocate common/heap; do
  clang-19 $flags -Wall -Wextra -DHEAP_INITIAL_BYTES=4194304 -DHEAP_LIMIT_BYTES=100663296 -DHEAP_LIMIT_FROM_HOST -c "$here/../$file.c" -o "$objects/own-$(basename "$file").o"
done
# Calls the linker directly, because clang's driver would run any wasm-opt that it finds in PATH.
wasm-ld-19 --no-entry -m wasm32 -L/usr/lib/wasm32-wasi /usr/lib/wasm32-wasi/crt1-reactor.o --export=_initialize "$objects"/*.o -lc \
  "$(clang-19 --target=wasm32-wasi --print-libgcc-file-name)" -s --gc-sections --lto-O3 --stack-first \
  --import-memory --export-memory --initial-memory=4194304 --max-memory=100663296 -z stack-size=1048576 -o "$here/avif-encoder.wasm"
sha256sum "$here/avif-encoder.wasm"
