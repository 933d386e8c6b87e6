#compdef relais
# zsh completion of relais: the program itself says what may follow
_relais() {
	local -a list=("${(@f)$(${~words[1]} complete-words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ $list == :files ]]; then
		compset -P '--*='
		_files
	elif [[ -n $list ]]; then
		list=("${(@)list/$'\t'/:}")
		_describe relais list
	fi
}
if [[ $funcstack[1] == _relais ]]; then _relais "$@"; else compdef _relais relais; fi
