#!/bin/sh
# Shows the map of this stick in the browser, and writes nothing to the stick.
# Montre la carte de cette clé dans le navigateur, et n'écrit rien sur la clé.
set -u

# fail says what is wrong, and keeps the window until somebody has read it.
fail() {
	printf '\n%s\n' "$@" >&2
	if [ -t 0 ]; then
		printf '\nPress Enter to close this window. / Appuyez sur Entrée pour fermer cette fenêtre. '
		read -r _
	fi
	exit 1
}

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
case $(uname -s) in
Darwin) system=darwin ;;
*) system=linux ;;
esac
case $(uname -m) in
x86_64 | amd64) machine=amd64 ;;
aarch64 | arm64) machine=arm64 ;;
*) machine=$(uname -m) ;;
esac
program=$here/programs/relais-$system-$machine
[ -f "$program" ] || fail "This stick has no program for this computer ($system, $machine)." \
	"Cette clé n'a pas de programme pour cet ordinateur ($system, $machine)."

copy=
stop() { [ -z "$copy" ] || rm -rf "$copy"; }
trap stop EXIT
trap 'exit 130' HUP INT TERM # sh ends without the trap of EXIT when a signal ends it
if ! "$program" version >/dev/null 2>&1; then
	# Many systems run nothing from a stick. cat leaves behind the mark that macOS gives to what was downloaded.
	copy=$(mktemp -d "${TMPDIR:-/tmp}/relais.XXXXXX") || fail "No temporary folder. / Pas de dossier temporaire."
	echo "This computer runs no programs from the stick: a copy in $copy runs, and is removed at the end."
	echo "Cet ordinateur n'exécute aucun programme de la clé : une copie dans $copy tourne, et sera supprimée à la fin."
	cat "$program" >"$copy/relais" && chmod 700 "$copy/relais" || fail "The copy failed. / La copie a échoué."
	program=$copy/relais
	"$program" version >/dev/null || fail "This computer refuses to run the program: see READ ME.txt." \
		"Cet ordinateur refuse d'exécuter le programme : voir LISEZ-MOI.txt."
fi
code=0 closed=
"$program" open "$here" &
trap 'closed=1; kill $! 2>/dev/null' HUP INT TERM
wait $! || code=$?
if [ "$closed" ]; then # the wait ended with a signal, and the program ends with it too
	wait $!
	exit 0
fi
[ $code = 0 ] || fail "The map could not be shown. / La carte n'a pas pu être montrée."
