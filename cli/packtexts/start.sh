#!/bin/sh
# Shows the map of this pack at http://127.0.0.1:8080/, until Ctrl-C. Another address: sh start.sh 127.0.0.1:9000
# Montre la carte de ce pack sur http://127.0.0.1:8080/, jusqu'à Ctrl-C.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
listen=${1:-127.0.0.1:8080}
case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) echo "relais runs on x86_64 and aarch64; this machine is $(uname -m)" >&2; exit 1 ;;
esac
program=$here/relais-$arch
if [ ! -f "$here/data/pack.json" ]; then
	echo "The pack is not complete: make it again with relais pack." >&2
	exit 1
fi
if [ ! -f "$program" ]; then
	echo "This pack has no program for $arch: get relais for $arch, and run: relais serve --data $here/data" >&2
	exit 1
fi
open=
if command -v xdg-open >/dev/null 2>&1 && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then open=--open; fi
set -- serve --data "$here/data" --listen "$listen" @FLAGS@ $open
if "$program" version >/dev/null 2>&1; then exec "$program" "$@"; fi
copy=$(mktemp -d) # many sticks are mounted so that nothing on them runs
trap 'rm -rf "$copy"' EXIT
cp "$program" "$copy/relais"
chmod 700 "$copy/relais"
"$copy/relais" "$@" &
trap 'kill $! 2>/dev/null || true' INT TERM
wait $! || true
wait $! || true # the first one ends with the signal
