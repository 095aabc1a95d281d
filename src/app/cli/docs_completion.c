/*
 * Completions. Each shell gets one script, which asks nobody while a key is pressed: the
 * commands, their flags and the values of these are written into it.
 */
#include "app/cli/docs.h"
#include "app/offer/tools.h"

/* --- what can follow --- */

enum kind { NOTHING, TEXT, FILES, FOLDERS, WORDS };

struct values {
    enum kind kind;
    const char *words; /* of WORDS, with blanks between */
    bool list;         /* several of them, with commas between */
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
    return (struct values){strcmp(value, "FILE") == 0     ? FILES
                           : strcmp(value, "FOLDER") == 0 ? FOLDERS
                                                          : TEXT};
}

/* Of "add|list|revoke NAME" or "[status]" the words that can be typed, with blanks
 * between; else "". */
static const char *argument_words(struct arena *a, const struct command_info *c)
{
    str first = str_c(c->arguments);
    first = str_slice(first, 0, str_find_char(first, ' '));
    if (str_starts(first, STR("[")))
        first = str_slice(first, 1, first.n - 1);
    if (first.n == 0 || first.p[0] < 'a' || first.p[0] > 'z')
        return "";
    struct sbuf words = SBUF_ON(a);
    str word;
    while (str_next(&first, '|', &word))
        sbuf_printf(&words, "%s" STR_FMT, words.n > 0 ? " " : "", STR_ARG(word));
    return arena_str(a, sbuf_str(&words)).p;
}

static const struct option *options_of(const struct command_info *c)
{
    static const struct option none[] = {{0}};
    return c->options != NULL ? c->options : none;
}

/* Text between single quotes, each of special with a backslash before it. */
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
        [TEXT] = "@text", [FILES] = "@file", [FOLDERS] = "@directory"};
    struct values v = values_of(out->arena, o);
    if (v.kind == NOTHING)
        return;
    sbuf_add(out, STR("    "));
    if (o->letter != 0)
        sbuf_printf(out, "-%c | ", o->letter);
    sbuf_printf(out, "--%s) values='%s' ;;\n", o->flag,
                v.kind == WORDS ? v.words : kinds[v.kind]);
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
    sbuf_add(out, STR("    ;;\n"));
}

static const char bash_head[] =
    "# Completions of vaultd for bash; made by vaultd docs bash\n\n"
    "_vaultd() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  local command='' flags='' values='' arguments='' commands='";

static const char bash_which[] = "'\n"
                                 "  # --flag=value is three words here\n"
                                 "  if [[ $cur == '=' ]]; then\n"
                                 "    cur=''\n"
                                 "  elif [[ $prev == '=' ]]; then\n"
                                 "    prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                 "  fi\n"
                                 "  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
                                 "  case $command in\n";

static const char bash_tail[] =
    "  esac\n"
    "  case $values in\n"
    "  @text) return ;;\n"
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
    "  # behind the last comma of a list\n"
    "  local before=${cur%\"${cur##*,}\"}\n"
    "  mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$values\" -- "
    "\"${cur##*,}\")\n"
    "}\n"
    "complete -o bashdefault -o default -F _vaultd vaultd\n";

void docs_bash(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, str_c(bash_head));
    for (const struct command_info *c = commands; c->name != NULL; c++)
        sbuf_printf(out, "%s%s", c == commands ? "" : " ", c->name);
    sbuf_add(out, str_c(bash_which));
    for (const struct command_info *c = commands + 1; c->name != NULL; c++)
        bash_command(c, false, out);
    bash_command(commands, true, out); /* without a command it serves */
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
    if (v.kind != WORDS)
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
    if (words[0] != '\0')
        sbuf_printf(out, "      '1:argument:(%s)' \\\n", words);
    sbuf_add(out, STR("      '*:file:_files'\n    ;;\n"));
}

void docs_zsh(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("#compdef vaultd\n# made by vaultd docs zsh\n\n"
                      "_vaultd() {\n"
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
    if (v.kind == WORDS && v.list)
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
    for (const struct option *o = options_of(c); o->flag != NULL; o++)
        fish_option(c, o, out);
}

void docs_fish(const struct command_info *commands, struct sbuf *out)
{
    sbuf_add(out, STR("# Completions of vaultd for fish; made by vaultd docs fish\n\n"
                      "function __vaultd_first\n"
                      "    test (count (commandline -opc)) -eq 1\n"
                      "end\n\n"
                      "function __vaultd_second\n"
                      "    test (count (commandline -opc)) -eq 2\n"
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
