# fish completion of relais: the program itself says what may follow
function __relais_complete
	set -l words (commandline -opc)
	set -l last (commandline -ct)
	set -l program (string replace -r '^~' $HOME -- $words[1])
	set -l list ($program complete-words -- $words[2..] "$last" 2>/dev/null)
	if test "$list" = :files
		set -l option (string match -r '^--[^=]*=' -- $last)
		set list "$option"(__fish_complete_path (string replace -r '^--[^=]*=' '' -- $last))
	end
	printf '%s\n' $list
end
complete -c relais -f -a '(__relais_complete)'
