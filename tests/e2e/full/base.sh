#!/usr/bin/env bash
# base.sh FOLDER [RELEASE]: a new Debian system, made once: the release and mirrors of this machine, or another release.
set -euo pipefail
base=$1
exec 9>"$base.lock"
flock 9
[ ! -f "$base.made" ] || exit 0
. /etc/os-release
release=${2:-$VERSION_CODENAME}
sources=$(apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u)
mirror=$(awk -v release="$VERSION_CODENAME" '$3 == release { print $2; exit }' <<<"$sources")
[ -e "$base/etc/os-release" ] || debootstrap --variant=minbase "$release" "$base" "$mirror"
[ "$release" != "$VERSION_CODENAME" ] || echo "$sources" >"$base/etc/apt/sources.list"
cp -L /etc/resolv.conf /etc/hosts "$base/etc/"
chroot "$base" apt-get update -qq
touch "$base.made"
