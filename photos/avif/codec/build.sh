#!/bin/sh
# Compiles dav1d, the AV1 decoder of VideoLAN, to WebAssembly, from the source package
# of Debian 12 with Debian's patches. Needs clang-14 lld-14 wasi-libc
# libclang-rt-14-dev-wasm32 dpkg-dev xz-utils, and Debian 12 in apt's own configuration.
#
#   build.sh FOLDER     builds in FOLDER, and leaves dav1d.wasm.gz there
set -eu

version=1.0.0-2+deb12u1
codec=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"

# Sources are mostly not in the lists of a machine: apt is given lists and
# configuration of this folder, made from its own, so that the machine's stay.
fetch() {
    mkdir -p apt/lists/partial apt/parts
    for list in $(find /etc/apt/sources.list /etc/apt/sources.list.d -name '*.list' -o -name '*.sources' 2>/dev/null); do
        # only Debian has it: others may have no sources at all
        case $list in
        *.sources) grep -q debian-archive "$list" && sed 's/^Types:.*/Types: deb-src/' "$list" >apt/parts/"${list##*/}" ;;
        *) sed -n '/debian/s/^deb /deb-src /p' "$list" >apt/parts/"${list##*/}" ;;
        esac || true
    done
    set -- -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/apt/parts" \
        -o Dir::State::lists="$PWD/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User=
    apt-get "$@" -qq update
    apt-get "$@" -qq source --download-only --only-source "dav1d=$version"
}

[ -e "dav1d_$version.dsc" ] || fetch
sha256sum --check --strict "$codec/sources.sha256"
rm -rf dav1d obj
dpkg-source --no-check -x "dav1d_$version.dsc" dav1d >/dev/null
sed 's/@DAV1D_API_VERSION_MAJOR@/6/; s/@DAV1D_API_VERSION_MINOR@/6/; s/@DAV1D_API_VERSION_PATCH@/0/' \
    dav1d/include/dav1d/version.h.in >dav1d/include/dav1d/version.h

mkdir obj
compile() { # source, object, further flags
    source=$1 object=$2
    shift 2
    clang-14 --target=wasm32-wasi -std=c11 -O3 -msimd128 -DNDEBUG -D_GNU_SOURCE -fvisibility=hidden -w \
        -I"$codec/include" -Idav1d -Idav1d/include -Idav1d/include/dav1d "$@" -c "$source" -o "obj/$object.o"
}
for name in cdf cpu data decode dequant_tables getbits intra_edge itx_1d lf_mask lib log mem msac \
    obu picture qm ref refmvs scan tables thread_task warpmv wedge; do
    compile "dav1d/src/$name.c" "$name"
done
for name in cdef_apply cdef fg_apply filmgrain ipred_prepare ipred itx lf_apply loopfilter \
    looprestoration lr_apply mc recon; do
    compile "dav1d/src/${name}_tmpl.c" "${name}_8" -DBITDEPTH=8
    compile "dav1d/src/${name}_tmpl.c" "${name}_16" -DBITDEPTH=16
done
compile "$codec/shim.c" shim

# A reactor: it is called, it has no main. --stack-first makes a stack that grows too
# far a trap. --wrap is for shim.c to stand before a function of dav1d.
LC_ALL=C clang-14 --target=wasm32-wasi -mexec-model=reactor \
    -Wl,--wrap=dav1d_filter_sbrow_8bpc -Wl,--wrap=dav1d_filter_sbrow_16bpc \
    -Wl,--stack-first -Wl,-z,stack-size=1048576 -Wl,--strip-all -Wl,--gc-sections \
    $(LC_ALL=C ls obj/*.o) -o dav1d.wasm
gzip -9 -n <dav1d.wasm >dav1d.wasm.gz
