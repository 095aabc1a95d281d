# The machines that packages are made for: amd64 and arm64, as Debian calls them, run Linux; macos-amd64, macos-arm64,
# macos-universal (both in one file) and windows-amd64 do not. Sourced by the scripts that build packages.
. "$top/scripts/install.sh"

# machine_of ARCH: what uname -m says there.
machine_of() {
  case $1 in
    *amd64) echo x86_64 ;;
    macos-arm64) echo arm64 ;;
    macos-universal) echo universal ;;
    arm64) echo aarch64 ;;
  esac
}

# system_of ARCH: as npm calls it.
system_of() {
  case $1 in
    macos-*) echo darwin ;;
    windows-*) echo win32 ;;
    *) echo linux ;;
  esac
}

# make_tree ARCH: build the program, and print the tree to install.
make_tree() {
  case $1 in
    macos-* | windows-*) "$top/packaging/${1%-*}/build" "${1##*-}" ;;
    *) "$top/packaging/static/build" "$1" ;;
  esac
}

# make_trees ARCH...: the same for several, as SYSTEM-MACHINE=TREE.
make_trees() {
  local arch tree
  for arch in "$@"; do
    tree=$(make_tree "$arch" | tail -n 1) || return
    echo "$(system_of "$arch")-$(machine_of "$arch")=$tree"
  done
}

# copy_licenses FOLDER FILE...: copy the licences of the Debian packages whose code is in a program, because it contains these files,
# to FOLDER/licenses, and list their sources in FOLDER/libraries.tsv. A FILE that this system does not have is ignored.
copy_licenses() {
  local package packages folder=$1
  shift
  mkdir -p "$folder/licenses"
  packages=$({ ls "$@" 2>/dev/null || true; } | xargs -n1 realpath | sort -u | xargs dpkg -S | cut -d: -f1 | sort -u)
  for package in $packages; do cp -L "/usr/share/doc/$package/copyright" "$folder/licenses/$package"; done
  list_libraries $packages >"$folder/libraries.tsv"
  # Debian's files only name the common licences.
  grep -oh '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$folder"/licenses/* | sort -u | while read -r name; do
    cp -L "$name" "$folder/licenses/"
  done
}

# list_libraries PACKAGE...: the sources of Debian packages, as rows of libraries.tsv: name, version, where it is from.
list_libraries() {
  dpkg-query -W -f '${source:Package}\t${source:Version}\tdebian\n' "$@" |
    sed 's/^\(node-undici\)\(\t.*\)/llhttp\2:\1/' | LC_ALL=C sort -u # where Debian 12 has llhttp
}

is_this_machine() { [ "$1" = "$(dpkg --print-architecture)" ]; }

# prepare ARCH LIBRARY...: install what a build for ARCH needs, and more libraries; cross has the options for meson.
prepare() {
  local arch=$1 name libraries=""
  shift
  cross=()
  if is_this_machine "$arch"; then
    install_packages $BUILD_PACKAGES "$@"
    return
  fi
  [ -f "$top/packaging/cross/$arch.ini" ] || { echo "./package: build for $arch on a machine that is $arch" >&2; return 1; }
  for name in $LIBRARY_PACKAGES "$@"; do libraries="$libraries $name:$arch"; done
  install_packages $TOOL_PACKAGES "crossbuild-essential-$arch" qemu-user-static $libraries
  cross=(--cross-file "$top/packaging/cross/$arch.ini")
}
