#include "app/catalog/tools.h"

#include "app/catalog/prompts.h"
#include "app/tool_support/tool_support.h"
#include "app/tool_support/tool_words.h"
#include "app/tools/sets.h"
#include "base/array.h"
#include "base/near.h"
#include "base/sbuf.h"
#include "base/utf8.h"

const struct tool_set tool_sets[] = {
    {
        .name = "default",
        .about = "to look around, find, read and change",
        .tools = default_tools,
        .exact = true,
        .lead = "Find with vault_search, read with vault_read, change with vault_edit. "
                "When an answer ends with [more: ...], repeat the call with that to get "
                "the rest.",
        .guide =
            "\n"
            "Which tool:\n"
            "- look around: vault_info, vault_list, vault_query from tags\n"
            "- find: vault_search (text, words, operators), vault_query (properties, "
            "dates, tasks), vault_links (backlinks, neighbours, orphans), vault_check "
            "(what is broken)\n"
            "- before you create or rewrite notes: vault_context for the place's "
            "rules; vault_guide when unsure of the syntax\n"
            "- change: vault_edit for a part, vault_insert to add, "
            "vault_frontmatter for properties, vault_task for tasks, vault_write for a "
            "new note or all of one, vault_daily for daily notes, vault_canvas for "
            "canvases\n"
            "- rename or move: vault_move, which keeps every link right; never copy "
            "and delete\n"
            "- several changes that belong together: vault_batch\n"
            "- vault_delete moves to the trash; vault_undo undoes any change\n"
            "\n"
            "Before a change that is large or deletes something, show the user the "
            "plan; dry_run shows the diff. Pass the etag of your last read as "
            "if_match, so that you overwrite nothing newer. Keep the vault's style: "
            "link notes as [[Name]], use the tags and properties that exist.",
        .prompts = &prompts_default,
        .rules = "vault_context",
        .context = TOOLS_TELL_APART,
    },
    {
        .name = "chatgpt",
        .about =
            "`search` and `fetch`, as ChatGPT's connectors and deep research expect them",
        .tools = chatgpt_tools,
        .lead = "search finds notes, fetch gives the text of one by its id.",
    },
    {
        .name = "adr",
        .about = "`adr_publish`, which publishes decision records to the code's "
                 "repository (`--adr-repo`)",
        .tools = adr_tools,
        .lead =
            "adr_publish publishes accepted decision records to the code's repository.",
    },
    {
        .name = "obsidian-vault-mcp",
        .about = "`note_read`, `note_upsert`, a regex `vault_search` and more, as "
                 "obsidian-vault-mcp has them",
        .tools = obsidian_vault_mcp_tools,
        .foreign = true,
        .lead = "Read with note_read, add with note_upsert, find with vault_search.",
        .guide =
            "\n"
            "Nothing is ever overwritten: note_upsert creates a note or appends to it. "
            "When a result says truncated, narrow the query or give path_filter.\n"
            "\n"
            "Layout: devlog/{topic-slug}.md, one file per topic with dated entries; "
            "adr/ADR-{NNN}-{slug}.md, one file per decision; _index.md, the table of "
            "decisions. The prompts devlog and adr say how to write them.",
    },
    {
        .name = "vault-sync",
        .about = "the six tools of vault-sync's server",
        .tools = vault_sync_tools,
        .foreign = true,
        .lead =
            "Begin with vault_list_all; find with vault_search, read with vault_read, "
            "change with vault_edit.",
    },
    {
        .name = "obsidian-bundle",
        .about = "the nine `obsidian_*` tools of the MCPB bundle",
        .tools = obsidian_bundle_tools,
        .foreign = true,
        .lead = "Notes are named without .md, or by their exact path.",
    },
    {
        .name = "claude-desktop",
        .about = "fifteen tools that find notes by name, for Claude Desktop",
        .tools = claude_desktop_tools,
        .foreign = true,
        .lead = "Find with search_notes, read with read_note, change with replace_note.",
        .guide =
            "\n"
            "- read a part: read_section; links: get_links; properties: "
            "get_frontmatter\n"
            "- change: replace_note for a text, insert_note and append_section for a "
            "place, append_note for the end, update_note for the whole body, "
            "set_frontmatter for properties\n"
            "- rename with rename_note, which keeps every link right; delete_note moves "
            "to the trash; dry_run shows what either touches\n"
            "- link notes as [[Name]]; use only tags that the vault has, and ask the "
            "user before you create others\n"
            "\n"
            "Before a change that is large or deletes something, show the user the plan.",
        .naming = "Notes are known by their names (\"My note\"); give the path if "
                  "several share one.",
        .context = TOOLS_TELL_GLUED,
    },
    {
        .name = "vault-git",
        .about =
            "file, folder, search and vault tools in the style of the filesystem server",
        .tools = vault_git_tools,
        .foreign = true,
        .lead =
            "Find with grep, search_files and find_files, read with read_file, change "
            "with edit_file. Before every change (write_file, edit_file, delete_file, "
            "rename_file, create_directory) show the user what you plan and let them "
            "decide.",
        .guide = "\n"
                 "Which tool:\n"
                 "- look around: get_vault_info, list_directory, get_tags\n"
                 "- find: grep (contents), search_files (paths by glob), find_files "
                 "(name, tag, time, size), get_backlinks (what links to a note)\n"
                 "- before you create or change notes: get_claude_context for the user's "
                 "rules for the place; get_obsidian_guide when unsure of the syntax\n"
                 "- change: edit_file for a part (dryRun shows the diff), write_file for "
                 "a new file or all of one\n"
                 "- rename or move: rename_file, which keeps every link right; never "
                 "copy and delete\n"
                 "- delete_file moves to the vault's trash\n"
                 "\n"
                 "A vault in git gets a commit for every change, pushed immediately. "
                 "Show the user the resulting text or diff; for a deletion or rename "
                 "name the paths. This is advice; nothing enforces it. Keep the vault's "
                 "style: link notes as [[Name]], use the tags and properties that exist.",
        .prompts = &vault_git_prompts,
        .rules = "get_claude_context",
    },
    {0},
};

/* --- choosing --- */

static const struct tool_set *find_set(const struct tool_set *sets, str name)
{
    for (; sets->name != NULL; sets++)
        if (str_eq_nocase(name, str_c(sets->name)))
            return sets;
    return NULL;
}

static const struct mcp_tool *tool_in(const struct tool_set *set, str name)
{
    for (const struct mcp_tool *const *t = set->tools; *t != NULL; t++)
        if (str_eq(name, str_c((*t)->name)))
            return *t;
    return NULL;
}

static bool is_named(const struct tool_set *set, const struct option_list *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (str_eq_nocase(names->items[i], str_c(set->name)))
            return true;
    return false;
}

/* The set whose tool of that name is meant: one that is named, too, else the first that has
 * one; NULL: none has. */
static const struct tool_set *set_with(const struct tool_set *sets,
                                       const struct option_list *names, str name)
{
    const struct tool_set *first = NULL;
    for (; sets->name != NULL; sets++) {
        if (tool_in(sets, name) == NULL)
            continue;
        if (is_named(sets, names))
            return sets;
        first = first == NULL ? sets : first;
    }
    return first;
}

static bool no_such_tool(struct arena *a, const struct tool_set *sets, str name,
                         struct err *err)
{
    enum { SLIPS_MAX = 3 };
    struct near_search near;
    struct sbuf names = SBUF_ON(a);
    near_search(&near, name, SLIPS_MAX);
    for (const struct tool_set *s = sets; s->name != NULL; s++) {
        sbuf_printf(&names, "%s%s", s == sets ? "" : ", ", s->name);
        (void)near_offer(&near, str_c(s->name));
        for (const struct mcp_tool *const *t = s->tools; *t != NULL; t++)
            (void)near_offer(&near, str_c((*t)->name));
    }
    if (near.best.n > 0)
        return err_set(err, ERR_INVALID,
                       "no such tool or tool set '" STR_FMT "'; did you mean '" STR_FMT
                       "'?",
                       STR_ARG(utf8_cut(name, 60)), STR_ARG(near.best));
    return err_set(err, ERR_INVALID,
                   "no such tool or tool set '" STR_FMT "'; sets: " STR_FMT
                   "; vaultd docs tools lists the tools",
                   STR_ARG(utf8_cut(name, 60)), STR_ARG(sbuf_str(&names)));
}

/* The set that a tool in the list comes from. */
static const struct tool_set *bringer(const struct tool_set *sets,
                                      const struct mcp_tool *tool)
{
    for (; sets->name != NULL; sets++)
        for (const struct mcp_tool *const *t = sets->tools; *t != NULL; t++)
            if (*t == tool)
                return sets;
    return sets; /* the last row, without a name */
}

struct chosen {
    const struct mcp_tool **tools;
    size_t n;
};

static bool add_tool(struct chosen *c, const struct tool_set *sets,
                     const struct tool_set *set, const struct mcp_tool *t,
                     struct err *err)
{
    size_t i = 0;
    while (i < c->n && strcmp(c->tools[i]->name, t->name) != 0)
        i++;
    if (i == c->n)
        c->tools[c->n++] = t;
    else if (c->tools[i] != t)
        return err_set(err, ERR_INVALID,
                       "tool sets '%s' and '%s' clash: both have a tool named '%s'",
                       bringer(sets, c->tools[i])->name, set->name, t->name);
    return true;
}

static bool add_set(struct chosen *c, const struct tool_set *sets,
                    const struct tool_set *set, struct err *err)
{
    for (const struct mcp_tool *const *t = set->tools; *t != NULL; t++)
        if (!add_tool(c, sets, set, *t, err))
            return false;
    return true;
}

/* Without a tool, or all of a set. What is not among the chosen ones was a mistake. */
static bool leave_out(struct chosen *c, const struct tool_set *set, str name,
                      struct err *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++) {
        str own = str_c(c->tools[i]->name);
        if (set != NULL ? tool_in(set, own) != c->tools[i] : !str_eq(own, name))
            c->tools[kept++] = c->tools[i];
    }
    bool found = kept < c->n;
    c->n = kept;
    c->tools[kept] = NULL;
    return found || err_set(err, ERR_INVALID,
                            "'-" STR_FMT "' leaves out what was not chosen before it",
                            STR_ARG(utf8_cut(name, 60)));
}

/* A set, a tool, or one of them after '-'. */
static bool choose_one(struct arena *a, struct chosen *c, const struct tool_set *sets,
                       const struct option_list *names, str item, struct err *err)
{
    bool out = str_starts(item, STR("-"));
    str name = str_skip(item, out);
    const struct tool_set *set = find_set(sets, name),
                          *with = set != NULL ? set : set_with(sets, names, name);
    if (with == NULL)
        return no_such_tool(a, sets, name, err);
    if (out)
        return leave_out(c, set, name, err);
    return set != NULL ? add_set(c, sets, set, err)
                       : add_tool(c, sets, with, tool_in(with, name), err);
}

bool tools_choose_from(struct arena *a, const struct tool_set *sets,
                       const struct option_list *names,
                       const struct mcp_tool *const **out, struct err *err)
{
    size_t max = 0;
    for (const struct tool_set *s = sets; s->name != NULL; s++)
        for (const struct mcp_tool *const *t = s->tools; *t != NULL; t++)
            max++;
    struct chosen c = {ARENA_ARRAY(a, const struct mcp_tool *, max + 1), 0};
    for (size_t i = 0; i < names->n; i++)
        if (!choose_one(a, &c, sets, names, names->items[i], err))
            return false;
    if (c.n == 0)
        return names->n == 0 ? no_such_tool(a, sets, STR(""), err)
                             : err_set(err, ERR_INVALID, "no tools are left");
    *out = c.tools;
    return true;
}

void tools_complete(struct arena *a, const char *set, struct option_list *names)
{
    if (names->n == 0 || !str_starts(names->items[0], STR("-")))
        return;
    str *all = ARENA_ARRAY(a, str, names->n + 1);
    all[0] = str_c(set);
    memcpy(all + 1, names->items, names->n * sizeof(*all));
    *names = (struct option_list){all, names->n + 1};
}

bool tools_choose(struct arena *a, const struct option_list *names,
                  const struct mcp_tool *const **out, struct err *err)
{
    return tools_choose_from(a, tool_sets, names, out, err);
}

/* --- tools as they are offered --- */

/* An enum without its last choice. */
static const char *const *all_but_last(struct arena *a, const char *const *choices)
{
    size_t n = 0;
    while (choices[n] != NULL)
        n++;
    const char **out = ARENA_ARRAY(a, const char *, n);
    for (size_t i = 0; i + 1 < n; i++)
        out[i] = choices[i];
    return out;
}

/* A description without tools that are left out. */
static const char *described(struct arena *a, struct tools_offer offer, const char *about)
{
    const struct mcp_caller any = {0};
    return offer.app == NULL || about == NULL
               ? about
               : arena_str(a, tool_words(offer.app, a, &any, str_c(about))).p;
}

/* The fields of a tool as far as there is what they need. */
static const struct mcp_field *fields_for(struct arena *a, const struct mcp_field *fields,
                                          struct tools_offer offer)
{
    size_t n = 0;
    while (fields != NULL && fields[n].name != NULL)
        n++;
    struct mcp_field *out = ARENA_ARRAY(a, struct mcp_field, n + 1);
    for (size_t i = 0; i < n; i++) {
        out[i] = fields[i];
        out[i].about = described(a, offer, fields[i].about);
        if ((fields[i].flags & TOOL_HISTORY) != 0 && !offer.history)
            out[i].flags |= MCP_UNLISTED;
        if ((fields[i].flags & TOOL_MEANING) != 0 && !offer.meaning)
            out[i].choices = all_but_last(a, fields[i].choices);
    }
    return out;
}

static unsigned flags_of(const struct tool_set *s)
{
    static const unsigned contexts[] = {[TOOLS_TELL_NOT] = 0,
                                        [TOOLS_TELL_APART] = TOOLS_APART,
                                        [TOOLS_TELL_GLUED] = TOOLS_GLUED};
    return contexts[s->context] | (s->exact ? (unsigned)MCP_EXACT : 0);
}

const struct mcp_tool *const *
tools_for(struct arena *a, const struct mcp_tool *const *tools, struct tools_offer offer)
{
    size_t n = 0;
    while (tools[n] != NULL)
        n++;
    const struct mcp_tool **out = ARENA_ARRAY(a, const struct mcp_tool *, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct mcp_tool *copy = ARENA_NEW(a, struct mcp_tool);
        *copy = *tools[i];
        copy->flags |= flags_of(bringer(tool_sets, tools[i]));
        copy->about = described(a, offer, tools[i]->about);
        copy->fields = fields_for(a, tools[i]->fields, offer);
        out[i] = copy;
    }
    return out;
}

/* Whether it is named, or one of its tools is. */
static bool is_chosen(const struct tool_set *set, const struct option_list *names)
{
    bool chosen = is_named(set, names);
    for (size_t i = 0; !chosen && i < names->n; i++)
        chosen = find_set(tool_sets, names->items[i]) == NULL &&
                 set_with(tool_sets, names, names->items[i]) == set;
    return chosen;
}

const struct mcp_tool *const *tools_left_out(struct arena *a,
                                             const struct mcp_tool *const *tools)
{
    const struct mcp_tool **out = NULL;
    size_t n = 0;
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++) {
        for (const struct mcp_tool *const *t = s->tools; *t != NULL; t++) {
            size_t i = 0;
            while (tools[i] != NULL && strcmp(tools[i]->name, (*t)->name) != 0)
                i++;
            if (tools[i] == NULL)
                *ARRAY_ADD(a, out, n) = *t;
        }
    }
    *ARRAY_ADD(a, out, n) = NULL;
    return out;
}

enum tools_context tools_context_of(const struct mcp_tool *t)
{
    return (t->flags & TOOLS_APART) != 0   ? TOOLS_TELL_APART
           : (t->flags & TOOLS_GLUED) != 0 ? TOOLS_TELL_GLUED
                                           : TOOLS_TELL_NOT;
}

const char *tools_naming(const struct option_list *names)
{
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        if (is_chosen(s, names))
            return s->naming;
    return NULL;
}

void tools_add_lead(const struct option_list *names, struct sbuf *out)
{
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        if (is_chosen(s, names))
            sbuf_printf(out, " %s", s->lead);
}

void tools_add_guide(const struct option_list *names, struct sbuf *out)
{
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        if (is_chosen(s, names) && s->guide != NULL)
            sbuf_add(out, str_c(s->guide));
}

const struct prompt_words *tools_prompts(const struct option_list *names)
{
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        if (is_chosen(s, names) && s->prompts != NULL)
            return s->prompts;
    return NULL;
}

const char *tools_rules(const struct option_list *names)
{
    for (const struct tool_set *s = tool_sets; s->name != NULL; s++)
        if (is_chosen(s, names) && s->rules != NULL)
            return s->rules;
    return NULL;
}
