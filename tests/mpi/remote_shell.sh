#!/bin/sh
# Stands for ssh: runs the command here, under the name of the host, with nothing of the environment.
# It needs the right to make a namespace for the name (root has it).
while [ $# -gt 0 ]; do
  case "$1" in
    -l | -o | -p) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=$1
shift
# shellcheck disable=SC2016  # expanded inside
exec env -i PATH="$PATH" HOME="$HOME" unshare --uts sh -c '
  echo "$1" >/proc/sys/kernel/hostname
  shift
  exec sh -c "$*"' sh "$host" "$@"
