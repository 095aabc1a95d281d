/*
 * Completions. Each shell gets one script with the commands, their flags and the flags'
 * values. Only for what is in the vault it runs vaultd on a key press (complete.h): notes,
 * tags and folders; where there is no vault, the shell offers files.
 */
#include "app/cli/docs.h"
#include "app/offer/tools.h"

/* --- what can follow --- */

enum kind { NOTHING, TEXT, FILES, FOLDERS, WORDS, VAULT };

struct values {
    enum kind kind;
    const char *words; /* for WORDS, separated by spaces; for VAULT, what to complete */
    bool list;         /* several can be given, separated by commas */
};

static struct values tool_set_names(struct arena *a)
{
    struct sbuf names = SBUF_ON(a);
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        sbuf_printf(&names, "%s%s", s == tool_sets ? "" : " ", s->name);
    return (struct values){WORDS, arena_str(a, sbuf_str(&names)).p, true};
}

static struct values values_of(struct arena *a, const struct option *o)
{
    const char *value = o->value != NULL ? o->value : "";
    if (o->type == OPTION_SWITCH)
        return (struct values){NOTHING};
    if (o->type == OPTION_CHOICE) {
        struct sbuf words = SBUF_ON(a);
        sbuf_join(&words, o->choices, " ");
        return (struct values){WORDS, arena_str(a, sbuf_str(&words)).p, false};
    }
    if (strcmp(value, "SET,...") == 0)
        return tool_set_names(a);
    if (strcmp(value, "TAG") == 0)
        return (struct values){VAULT, "tags"};
    if (strcmp(o->flag, "folder") == 0)
        return (struct values){VAULT, "folders"};
    return (struct values){strcmp(value, "FILE") == 0     ? FILES
                           : strcmp(value, "FOLDER") == 0 ? FOLDERS
                                                          : TEXT};
}

/* The first argument, without brackets: "add|list|revoke", "NOTE|changes|graph". */
static str first_argument(const struct command_info *c)
{
    str first = str_c(c->arguments);
    first = str_slice(first, 0, str_find_char(first, ' '));
    return str_starts(first, STR("[")) ? str_slice(first, 1, first.n - 1) : first;
}

static bool is_literal(str word)
{
    return word.n > 0 && word.p[0] >= 'a' && word.p[0] <= 'z';
}

/* The literal words in it, separated by spaces; else "". */
static const char *argument_words(struct arena *a, const struct command_info *c)
{
    struct sbuf words = SBUF_ON(a);
    str rest = first_argument(c), word;
    while (str_next(&rest, '|', &word))
        if (is_literal(word))
            sbuf_printf(&words, "%s" STR_FMT, words.n > 0 ? " " : "", STR_ARG(word));
    return arena_str(a, sbuf_str(&words)).p;
}

/* What to complete from the vault as its first argument, or "". */
static const char *argument_vault(const struct command_info *c)
{
    static const struct {
        const char *argument, *what;
    } rows[] = {
        {"NOTE", "notes"}, {"PATH", "notes"},     {"FROM", "notes"},
        {"TAG", "tags"},   {"FOLDER", "folders"},
    };
    str rest = first_argument(c), word;
    while (str_next(&rest, '|', &word))
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            if (str_eq(word, str_c(rows[i].argument)))
                return rows[i].what;
    return "";
}

static const struct option *options_of(const struct command_info *c)
{
    static const struct option none[] = {{0}};
    return c->options != NULL ? c->options : none;
}

/* Text for single quotes, with a backslash before each character of special. */
static void docs_completion_add_quoted(const char *text, const char *special,
                                       const char *quote, struct sbuf *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            sbuf_add(out, str_c(quote));
            continue;
        }
        if (strchr(special, *text) != NULL)
            sbuf_char(out, '\\');
        sbuf_char(out, *text);
    }
}

/* --- bash --- */

static void bash_value(const struct option *o, struct sbuf *out)
{
    static const char *const kinds[] = {
        [TEXT] = "@text", [FILES] = "@file", [FOLDERS] = "@directory", [VAULT] = "%"};
    struct values v = values_of(out->arena, o);
    if (v.kind == NOTHING)
        return;
    sbuf_add(out, STR("    "));
    if (o->letter != 0)
        sbuf_printf(out, "-%c | ", o->letter);
    sbuf_printf(out, "--%s) values='%s%s' ;;\n", o->flag,
                v.kind == WORDS ? "" : kinds[v.kind], v.words != NULL ? v.words : "");
}

static void bash_command(const struct command_info *c, bool fallback, struct sbuf *out)
{
    sbuf_printf(out, "  %s)\n    flags='", fallback ? "*" : c->name);
    for (const struct option *o = options_of(c); o->flag != NULL; o++) {
        if (o->letter != 0)
            sbuf_printf(out, "-%c ", o->letter);
        sbuf_printf(out, "--%s ", o->flag);
    }
    sbuf_add(out, STR("'\n    case $prev in\n"));
    for (const struct option *o = options_of(c); o->flag != NULL; o++)
        bash_value(o, out);
    sbuf_add(out, STR("    esac\n"));
    const char *words = argument_words(out->arena, c);
    if (words[0] != '\0')
        sbuf_printf(out, "    arguments='%s'\n", words);
    const char *vault = argument_vault(c);
    if (vault[0] != '\0')
        sbuf_printf(out, "    vault='%s'\n", vault);
    sbuf_add(out, STR("    ;;\n"));
}

static const char bash_head_comment[] =
    "# Completions for bash, generated by vaultd docs bash\n\n";

static const char bash_head[] =
    "_vaultd() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  local command='' flags='' values='' arguments='' vault='' commands='";

static const char bash_which[] = "'\n"
                                 "  # bash splits --flag=value into three words\n"
                                 "  if [[ $cur == '=' ]]; then\n"
                                 "    cur=''\n"
                                 "  elif [[ $prev == '=' ]]; then\n"
                                 "    prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                 "  fi\n"
                                 "  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
                                 "  case $command in\n";

static const char bash_vault[] =
    "# What vaultd knows of the vault; $1: notes, tags or folders\n"
    "_vaultd_offer() {\n"
    "  local typed=${2//\\\\/}\n"
    "  mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" complete \"$1\" "
    "\"${typed#[\\\"\\']}\" \"${COMP_WORDS[@]:1}\" 2>/dev/null)\n"
    "  [[ $1 == tags ]] || compopt -o filenames\n"
    "}\n\n";

static const char bash_tail[] =
    "  esac\n"
    "  if [[ -z $values && -n $vault && $cur != -* ]] && ((COMP_CWORD == 2)); then\n"
    "    values=%$vault\n"
    "  fi\n"
    "  case $values in\n"
    "  @text) return ;;\n"
    "  %*)\n"
    "    _vaultd_offer \"${values:1}\" \"$cur\"\n"
    "    local word\n"
    "    ((COMP_CWORD == 2)) && for word in $arguments; do\n"
    "      [[ $word == \"$cur\"* ]] && COMPREPLY+=(\"$word\")\n"
    "    done\n"
    "    return ;;\n"
    "  @file | @directory)\n"
    "    compopt -o filenames\n"
    "    mapfile -t COMPREPLY < <(compgen -A \"${values:1}\" -- \"$cur\")\n"
    "    return ;;\n"
    "  esac\n"
    "  if [[ -z $values && $cur == -* ]]; then\n"
    "    values=$flags\n"
    "  elif [[ -z $values ]] && ((COMP_CWORD == 1)); then\n"
    "    values=$commands\n"
    "  elif [[ -z $values ]] && ((COMP_CWORD == 2)); then\n"
    "    values=$arguments\n"
    "  fi\n"
    "  # after the last comma of a list\n"
    "  local before=${cur%\"${cur##*,}\"}\n"
    "  mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$values\" -- "
    "\"${cur##*,}\")\n"
    "}\n"
    "complete -o bashdefault -o default -F _vaultd vaultd\n";

void docs_bash(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, str_c(bash_head_comment));
    sbuf_add(out, str_c(bash_vault));
    sbuf_add(out, str_c(bash_head));
    for (const struct command_info *c = commands; c->name != NULL; c++)
        sbuf_printf(out, "%s%s", c == commands ? "" : " ", c->name);
    sbuf_add(out, str_c(bash_which));
    for (const struct command_info *c = commands + 1; c->name != NULL; c++)
        bash_command(c, false, out);
    bash_command(commands, true, out); /* without a command, vaultd serves */
    sbuf_add(out, str_c(bash_tail));
}

/* --- zsh --- */

static void zsh_values(const struct option *o, struct sbuf *out)
{
    struct values v = values_of(out->arena, o);
    if (v.kind == NOTHING)
        return;
    sbuf_char(out, ':');
    docs_completion_add_quoted(o->value != NULL ? o->value : "VALUE", ":", "", out);
    static const char *const actions[] = {
        [TEXT] = ": ", [FILES] = ":_files", [FOLDERS] = ":_files -/"};
    if (v.kind == VAULT)
        sbuf_printf(out, ": _vaultd_offer %s", v.words);
    else if (v.kind != WORDS)
        sbuf_add(out, str_c(actions[v.kind]));
    else if (v.list)
        sbuf_printf(out, ":_values -s , set %s", v.words);
    else
        sbuf_printf(out, ":(%s)", v.words);
}

static void zsh_spec(const struct option *o, const char *flag, const char *glue,
                     struct sbuf *out)
{
    sbuf_add(out, STR("      '"));
    if (o->type == OPTION_LIST)
        sbuf_char(out, '*');
    else if (o->letter != 0)
        sbuf_printf(out, "(-%c --%s)", o->letter, o->flag);
    sbuf_printf(out, "%s%s[", flag, o->type == OPTION_SWITCH ? "" : glue);
    docs_completion_add_quoted(o->about, "[]:", "'\\''", out);
    sbuf_char(out, ']');
    zsh_values(o, out);
    sbuf_add(out, STR("' \\\n"));
}

static void zsh_command(const struct command_info *c, bool fallback, struct sbuf *out)
{
    sbuf_printf(out, "  %s)\n    _arguments -s \\\n", fallback ? "*" : c->name);
    for (const struct option *o = options_of(c); o->flag != NULL; o++) {
        char letter[3] = {'-', o->letter, '\0'};
        if (o->letter != 0)
            zsh_spec(o, letter, "+", out);
        zsh_spec(o, arena_printf(out->arena, "--%s", o->flag).p, "=", out);
    }
    const char *words = argument_words(out->arena, c);
    const char *vault = argument_vault(c);
    if (vault[0] != '\0')
        sbuf_printf(out, "      '1:argument: _vaultd_offer %s%s%s' \\\n", vault,
                    words[0] != '\0' ? " " : "", words);
    else if (words[0] != '\0')
        sbuf_printf(out, "      '1:argument:(%s)' \\\n", words);
    sbuf_add(out, STR("      '*:file:_files'\n    ;;\n"));
}

static const char zsh_vault[] =
    "# What vaultd knows of the vault: notes, tags or folders; then words that also fit\n"
    "_vaultd_offer() {\n"
    "  local -a found\n"
    "  local what=$1\n"
    "  shift\n"
    "  found=(\"${(@f)$($_vaultd_program complete $what \"${(Q)PREFIX}\" "
    "\"${(@Q)words[2,-1]}\" 2>/dev/null)}\")\n"
    "  found=(${found:#} $*)\n"
    "  (($#found)) || { [[ $what == notes ]] && _files; return }\n"
    "  compadd -M 'm:{a-zA-Z}={A-Za-z}' -a found\n"
    "}\n\n";

void docs_zsh(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("#compdef vaultd\n"
                      "# generated by vaultd docs zsh\n\n"));
    sbuf_add(out, str_c(zsh_vault));
    sbuf_add(out, STR("_vaultd() {\n"
                      "  local _vaultd_program=$words[1]\n"
                      "  local -a commands=(\n"));
    for (const struct command_info *c = commands; c->name != NULL; c++) {
        sbuf_printf(out, "    '%s:", c->name);
        docs_completion_add_quoted(c->about, ":", "'\\''", out);
        sbuf_add(out, STR("'\n"));
    }
    sbuf_add(out, STR("  )\n"
                      "  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
                      "    _describe -t commands command commands\n"
                      "    return\n"
                      "  fi\n"
                      "  local command=$words[2]\n"
                      "  if [[ $command != -* ]]; then\n"
                      "    shift words\n"
                      "    ((CURRENT--))\n"
                      "  fi\n"
                      "  case $command in\n"));
    for (const struct command_info *c = commands + 1; c->name != NULL; c++)
        zsh_command(c, false, out);
    zsh_command(commands, true, out);
    sbuf_add(out, STR("  esac\n}\n\n_vaultd \"$@\"\n"));
}

/* --- fish --- */

static void fish_option(const struct command_info *c, const struct option *o,
                        struct sbuf *out)
{
    static const char *const kinds[] = {[NOTHING] = "",
                                        [TEXT] = " -x",
                                        [FILES] = " -r -F",
                                        [FOLDERS] =
                                            " -x -a '(__fish_complete_directories)'"};
    struct values v = values_of(out->arena, o);
    sbuf_printf(out, "complete -c vaultd -n '__vaultd_is %s' -l %s", c->name, o->flag);
    if (o->letter != 0)
        sbuf_printf(out, " -s %c", o->letter);
    if (v.kind == VAULT)
        sbuf_printf(out, " -x -a '(__vaultd_offer %s)'", v.words);
    else if (v.kind == WORDS && v.list)
        sbuf_printf(out, " -x -a '(__fish_append , %s)'", v.words);
    else if (v.kind == WORDS)
        sbuf_printf(out, " -x -a '%s'", v.words);
    else
        sbuf_add(out, str_c(kinds[v.kind]));
    sbuf_add(out, STR(" -d '"));
    docs_completion_add_quoted(o->about, "\\", "\\'", out);
    sbuf_add(out, STR("'\n"));
}

static void fish_command(const struct command_info *c, struct sbuf *out)
{
    sbuf_printf(out, "\ncomplete -c vaultd -n __vaultd_first -f -a %s -d '", c->name);
    docs_completion_add_quoted(c->about, "\\", "\\'", out);
    sbuf_add(out, STR("'\n"));
    const char *words = argument_words(out->arena, c);
    if (words[0] != '\0')
        sbuf_printf(
            out,
            "complete -c vaultd -n '__vaultd_is %s; and __vaultd_second' -f -a '%s'\n",
            c->name, words);
    const char *vault = argument_vault(c);
    if (vault[0] != '\0')
        sbuf_printf(out,
                    "complete -c vaultd -n '__vaultd_is %s; and __vaultd_second' -f -a "
                    "'(__vaultd_offer %s)'\n",
                    c->name, vault);
    for (const struct option *o = options_of(c); o->flag != NULL; o++)
        fish_option(c, o, out);
}

void docs_fish(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("# Completions for fish, generated by vaultd docs fish\n\n"
                      "function __vaultd_first\n"
                      "    test (count (commandline -opc)) -eq 1\n"
                      "end\n\n"
                      "function __vaultd_second\n"
                      "    test (count (commandline -opc)) -eq 2\n"
                      "end\n\n"
                      "# What vaultd knows of the vault: notes, tags or folders\n"
                      "function __vaultd_offer\n"
                      "    set -l words (commandline -opc)\n"
                      "    set -l found ($words[1] complete $argv[1] (commandline -ct) "
                      "$words[2..] 2>/dev/null)\n"
                      "    if test (count $found) -gt 0\n"
                      "        printf '%s\\n' $found\n"
                      "    else if test $argv[1] = notes\n"
                      "        __fish_complete_path (commandline -ct)\n"
                      "    end\n"
                      "end\n\n"
                      "# Without a command it serves.\n"
                      "function __vaultd_is\n"
                      "    set -l words (commandline -opc)\n"
                      "    set -l command serve\n"
                      "    if set -q words[2]; and contains -- $words[2]"));
    for (const struct command_info *c = commands; c->name != NULL; c++)
        sbuf_printf(out, " %s", c->name);
    sbuf_add(out, STR("\n        set command $words[2]\n    end\n"
                      "    test $command = $argv[1]\nend\n"));
    for (const struct command_info *c = commands; c->name != NULL; c++)
        fish_command(c, out);
}
