# The machines that packages are made for: amd64 and arm64, as Debian calls them, run Linux; macos-amd64 and macos-arm64
# do not. Sourced by the scripts that build packages.
. "$top/scripts/install.sh"

# machine_of ARCH: what uname -m says there.
machine_of() {
  case $1 in
    *amd64) echo x86_64 ;;
    macos-arm64) echo arm64 ;;
    arm64) echo aarch64 ;;
  esac
}

# system_of ARCH: as npm calls it.
system_of() {
  case $1 in
    macos-*) echo darwin ;;
    *) echo linux ;;
  esac
}

# make_tree ARCH: build the program, and print the tree to install.
make_tree() {
  case $1 in
    macos-*) "$top/packaging/macos/build" "${1#macos-}" ;;
    *) "$top/packaging/static/build" "$1" ;;
  esac
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
