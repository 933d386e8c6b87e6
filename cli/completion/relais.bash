# bash completion of relais: the program itself says what may follow
_relais() {
	local cur=${COMP_WORDS[COMP_CWORD]#=} list # --option=value comes as three words
	list=$("${COMP_WORDS[0]/#\~/$HOME}" complete-words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	if [[ $list == :files ]]; then
		COMPREPLY=($(compgen -f -- "$cur"))
		compopt -o filenames 2>/dev/null
	else
		COMPREPLY=($(compgen -W "$(cut -f 1 <<<"$list")" -- "$cur"))
	fi
}
complete -F _relais relais
