# What zsh offers for a line: zsh -f complete.zsh FOLDER LINE, with the scripts in FOLDER.
# An interactive shell on a terminal of its own gets the line and a tab; its compadd tells.
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell "PROMPT=; fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D"
zpty -w shell '
compadd() {
  local -a hits
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] || { builtin compadd -A hits "$@"; print -rl -- "<hit>"$^hits"</hit>" }
  builtin compadd "$@"
}
zle -C offer complete-word offer
offer() { _main_complete; compstate[insert]=; compstate[list]=; print "<end>" }
bindkey "^I" offer'
zpty -w shell 'print "<re""ady>"'
zpty -r -m shell seen '*<ready>*'
zpty -n -w shell "$2"$'\t'
zpty -r -m shell seen '*<end>*'
print -r -- $seen | grep -o '<hit>[^<]*</hit>' | sed 's/<[^>]*>//g'
zpty -d shell
