# Install missing Debian packages. Sourced by ./run, ./test, and the package and benchmark scripts.

TOOL_PACKAGES="build-essential pkg-config meson ninja-build libpq-dev" # libpq: the header, for every machine
LIBRARY_PACKAGES="libuv1-dev libutf8proc-dev libssl-dev libxxhash-dev libyaml-dev libpcre2-dev libstemmer-dev libcrypt-dev
  libsqlite3-dev libcurl4-openssl-dev"
BUILD_PACKAGES="$TOOL_PACKAGES $LIBRARY_PACKAGES"
STATIC_PACKAGES="zlib1g-dev" # the archive of SQLite uses it
TEST_PACKAGES="clang libclang-rt-dev clang-tidy lld ccache
  libcmocka-dev libjansson-dev libmd4c-dev libgd3 poppler-utils ripgrep bindfs fuse3 rclone chromium curl ca-certificates
  sentencepiece python3-numpy
  nginx fcgiwrap caddy openssl git openssh-server openssh-client postgresql libpq5
  zsh fish mandoc man-db systemd"
DEB_PACKAGES="debhelper fakeroot"
FULL_PACKAGES="debootstrap lintian exfat-fuse exfatprogs busybox-static musl minisign valgrind $DEB_PACKAGES"

# The HTTP tokenizer: a separate library since Debian 13, C files in node-llhttp before that.
llhttp_package() {
  if apt-cache show libllhttp-dev >/dev/null 2>&1; then echo libllhttp-dev; else echo node-llhttp; fi
}

# What ./test needs. The formatter is pinned, because each version formats in its own way; Debian 13 does not have it.
test_packages() {
  echo $TEST_PACKAGES clang-format-14?
  command -v npm >/dev/null || echo npm
}

# A folder for temporary files: in memory if it has 2 GB to spare, as a container may not.
roomy_folder() {
  local free
  free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
  if [ "${free:-0}" -gt 2000000 ] && [ -w /dev/shm ]; then echo /dev/shm; else echo /tmp; fi
}

# is_installed NAME or NAME:ARCH; without ARCH, for this machine.
is_installed() {
  local arch=${1#*:}
  [ "$arch" != "$1" ] || arch=$(dpkg --print-architecture 2>/dev/null)
  dpkg-query -W -f '${db:Status-Status} ${Architecture}\n' "$1" 2>/dev/null | grep -qxE "installed ($arch|all)"
}

# known_packages NAME...: without the optional ones (NAME?) that this release of Debian does not have.
known_packages() {
  local name
  for name in "$@"; do
    case $name in *'?') ! apt-cache show "${name%?}" >/dev/null 2>&1 || echo "${name%?}" ;; *) echo "$name" ;; esac
  done
}

# install_packages NAME...: print what is installed; use sudo only when needed. NAME:ARCH is a package of another
# architecture, which is added to those that apt knows; NAME? is optional.
install_packages() {
  local missing="" name sudo=""
  for name in $(known_packages "$@"); do is_installed "$name" || missing="$missing $name"; done
  if ! is_installed libllhttp-dev && ! is_installed node-llhttp; then missing="$missing @llhttp"; fi
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || {
    echo "These packages are needed, but this system has no apt-get:$missing" >&2
    return 1
  }
  [ "$(id -u)" = 0 ] || sudo=sudo
  for name in $missing; do
    case $name in *:*) $sudo dpkg --add-architecture "${name#*:}" ;; esac
  done
  echo "Packages to install with apt-get${sudo:+ and sudo}:${missing/ @llhttp/ llhttp}" >&2
  $sudo apt-get update -qq >&2
  missing=$(known_packages "$@" ${missing/@llhttp/$(llhttp_package)}) # now apt knows the optional ones
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# copy_sources FROM TO: copy the project's files, from a clone or without git.
copy_sources() {
  if git -C "$1" rev-parse >/dev/null 2>&1; then
    git -C "$1" ls-files -co --exclude-standard -z
  else
    (cd "$1" && find . \( -name .build -o -name dist -o -name node_modules \) -prune -o -type f -print0)
  fi | tar -C "$1" -c --null -T - | tar -C "$2" -x
}
