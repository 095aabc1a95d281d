#!/bin/sh
# A PostgreSQL for tests, with its data and its socket in FOLDER. It refuses root, so it runs as its own user.
#   postgres.sh start FOLDER [PORT]   also on 127.0.0.1:PORT, where the password of "vaultd" is "right horse"
#   postgres.sh again FOLDER [PORT]   after stop or kill
#   postgres.sh stop|kill FOLDER      kill: with SIGKILL, as when the machine fails
#   postgres.sh freeze|thaw FOLDER    it does nothing in between
#   postgres.sh sql FOLDER DATABASE   statements from stdin
set -eu
verb=$1 folder=$2 self=$(realpath "$0")
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)

as() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi
}

run() {
  options="-k $folder -c fsync=off -c max_connections=200 -c listen_addresses=${1:+127.0.0.1} ${1:+-p $1}"
  # the socket is named after the port
  as "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -o "$options" -w -t 300 start >/dev/null
}

# To all of its processes: the first one starts none while it is stopped, and others may have ended in the meantime.
send() {
  main=$(head -1 "$folder/data/postmaster.pid")
  as kill -STOP "$main"
  as kill "-$1" "$main" $(ps -o pid= --ppid "$main") 2>/dev/null || true
}

# The data folder of a new server, made once: a copy takes a tenth of the time of initdb. The name has the checksum of
# this script, so a change here makes another one; the folder belongs to the user of the server, who must own it.
template() {
  made=/tmp/vaultd-postgres-template-$(id -u)-$(basename "$(dirname "$bin")")-$(cksum <"$self" | cut -d' ' -f1)
  mkdir -p "$made"
  [ -O "$made" ] || { echo "$made belongs to another user; remove it" >&2; exit 1; }
  chmod 755 "$made"
  exec 9>"$made/lock"
  flock 9
  if [ ! -e "$made/ready" ]; then
    rm -rf "$made/cluster"
    mkdir "$made/cluster"
    [ "$(id -u)" != 0 ] || chown postgres "$made/cluster"
    printf 'right horse\n' >"$made/password"
    (cd "$made/cluster" && as "$bin/initdb" -D "$made/cluster/data" -U vaultd -A trust --pwfile="$made/password" -E UTF8 \
      --locale=C.UTF-8 --wal-segsize=1 --no-sync >/dev/null)
    printf 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n' >"$made/cluster/data/pg_hba.conf"
    touch "$made/ready"
  fi
  exec 9>&-
}

case $verb in
start)
  mkdir -p "$folder"
  chmod 755 "$folder"
  [ "$(id -u)" != 0 ] || chown postgres "$folder"
  cd "$folder"
  template
  cp -a --reflink=auto "$made/cluster/data" "$folder/data"
  run "${3:-}"
  ;;
again) cd "$folder" && run "${3:-}" ;;
stop) cd "$folder" && as "$bin/pg_ctl" -D "$folder/data" -m fast -w -t 300 stop >/dev/null ;;
kill) send KILL && while [ -e "/proc/$main" ]; do sleep 0.02; done ;;
freeze) send STOP ;;
thaw) send CONT ;;
sql)
  port=$(ls -a "$folder" | sed -n 's/^\.s\.PGSQL\.\([0-9]*\)$/\1/p')
  as "$bin/psql" -h "$folder" -p "$port" -U vaultd -d "$3" -q -X -v ON_ERROR_STOP=1 -f - >/dev/null
  ;;
esac
