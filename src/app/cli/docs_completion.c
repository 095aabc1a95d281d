/*
 * Scripts for the shells: on a key press, each asks vaultd what fits (complete.h).
 */
#include "app/cli/docs.h"

void docs_bash(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("# Completions for bash, printed by vaultd docs bash\n"
                      "_vaultd() {\n"
                      "  local typed=${COMP_WORDS[COMP_CWORD]//\\\\/}\n"
                      "  typed=${typed#[\\\"\\']}\n"
                      "  mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" complete "
                      "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\" \"$typed\" 2>/dev/null)\n"
                      "  ((${#COMPREPLY[@]})) || return\n"
                      "  local more=${COMPREPLY[-1]}\n"
                      "  unset 'COMPREPLY[-1]'\n"
                      "  COMPREPLY=(\"${COMPREPLY[@]%%$'\\t'*}\")\n"
                      "  [[ $more == : ]] || compopt -o filenames\n"
                      "  case $more in\n"
                      "  :files) mapfile -t COMPREPLY < <(compgen -A file -- "
                      "\"${typed#=}\") ;;\n"
                      "  :folders) mapfile -t COMPREPLY < <(compgen -A directory -- "
                      "\"${typed#=}\") ;;\n"
                      "  esac\n"
                      "}\n"
                      "complete -o bashdefault -o default -F _vaultd vaultd\n"));
}

void docs_zsh(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("#compdef vaultd\n"
                      "# Completions for zsh, printed by vaultd docs zsh\n"
                      "_vaultd() {\n"
                      "  local -a found shown\n"
                      "  found=(\"${(@f)$($words[1] complete "
                      "\"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" "
                      "2>/dev/null)}\")\n"
                      "  local more=$found[-1]\n"
                      "  found[-1]=()\n"
                      "  shown=(\"${found[@]/$'\\t'/  -- }\")\n"
                      "  found=(\"${found[@]%%$'\\t'*}\")\n"
                      "  (($#found)) && compadd -M 'm:{a-zA-Z}={A-Za-z}' -l -d shown "
                      "-a found\n"
                      "  case $more in\n"
                      "  :files) _files ;;\n"
                      "  :folders) _files -/ ;;\n"
                      "  esac\n"
                      "}\n\n"
                      "_vaultd \"$@\"\n"));
}

void docs_fish(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("# Completions for fish, printed by vaultd docs fish\n"
                      "function __vaultd_offer\n"
                      "    set -l words (commandline -opc)\n"
                      "    set -l found ($words[1] complete $words[2..] "
                      "(commandline -ct) 2>/dev/null)\n"
                      "    set -l more $found[-1]\n"
                      "    set -e found[-1]\n"
                      "    set -q found[1]; and printf '%s\\n' $found\n"
                      "    switch \"$more\"\n"
                      "        case :files\n"
                      "            __fish_complete_path (commandline -ct)\n"
                      "        case :folders\n"
                      "            __fish_complete_directories (commandline -ct)\n"
                      "    end\n"
                      "end\n"
                      "complete -c vaultd -f -a '(__vaultd_offer)'\n"));
}
