#include "app/catalog/prompts.h"

#include "app/catalog/complete.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/vaults.h"
#include "app/tool_support/tool_support.h"
#include "app/tool_support/tool_words.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "vault/ask/find.h"
#include "vault/ask/prompt_note.h"
#include "vault/text/media.h"
#include "vault/text/moment.h"
#include "vault/vault.h"

static bool prompts_complete(struct mcp_call *call, str argument, str typed,
                             struct err *err)
{
    const struct app_vault *v =
        vaults_find(app_of(call), call->caller, json_get_str(call->args, STR("vault")));
    if (str_eq(argument, STR("vault")))
        return complete_vault(call, typed);
    if (v != NULL ? !tool_use(call, v, err) : !tool_use_chosen(call, err))
        return false;
    return str_eq(argument, STR("tag")) ? complete_tag(call, typed, err)
                                        : complete_path(call, typed, true, err);
}

/* If there are several vaults, a sentence that names the one to use; else nothing. */
static bool in_vault(struct mcp_call *call, str *out, struct err *err)
{
    const struct app_vault *v = tool_chosen(call, err);
    *out = STR("");
    if (v != NULL && app_has_several(v->app))
        *out = arena_printf(call->arena, " Pass vault \"" STR_FMT "\" to every tool.",
                            STR_ARG(v->name));
    return v != NULL;
}

/* Today's date, so that client and server agree on it: the local one, as for vault_daily. */
static str today(struct arena *a)
{
    struct moment now = moment_local(clock_now() * 1000);
    return moment_format(a, &now, STR("YYYY-MM-DD"));
}

/* What a prompt says about the tools that the caller has. */
static const char *words_for(struct mcp_call *call, const char *text)
{
    str said = text != NULL
                   ? tool_words(app_of(call), call->arena, call->caller, str_c(text))
                   : STR("");
    return arena_str(call->arena, said).p;
}

static const struct prompt_words *words_of(struct mcp_call *call)
{
    const struct prompt_words *all = app_of(call)->prompt_words;
    struct prompt_words *w = ARENA_NEW(call->arena, struct prompt_words);
    *w = (struct prompt_words){.answer = words_for(call, all->answer),
                               .daily = words_for(call, all->daily),
                               .inbox = words_for(call, all->inbox),
                               .related = words_for(call, all->related),
                               .tidy = words_for(call, all->tidy),
                               .week = words_for(call, all->week)};
    return w;
}

const struct prompt_words prompts_default = {
    .answer = "Search in several ways (vault_search with other words for "
              "the same thing, vault_query for properties and dates, vault_links from "
              "what you find) and read the passages themselves (vault_read).",
    .daily = "Read today's daily note (vault_daily) and what changed today "
             "(vault_changes), then the open tasks that are due or overdue "
             "(vault_query).",
    .inbox =
        "Find what has no place yet: notes in a folder called Inbox or in the "
        "vault's root (vault_list), and notes without tags and links (vault_links, "
        "orphans). For each propose a folder that exists, tags that exist "
        "(vault_query from tags) and notes to link to, in one line. Call vault_context "
        "first "
        "and keep to the conventions there. Wait for my approval; then use vault_move, "
        "which keeps links right, and vault_frontmatter.",
    .related = "Look at its links, backlinks and unlinked mentions (vault_links), at "
               "notes with the same tags (vault_query), and search for its main ideas in "
               "other words (vault_search).",
    .tidy =
        "(vault_search, vault_links). Call vault_context for its path first and "
        "keep to the conventions there. Show the changes you plan, as a short list, and "
        "wait for my approval; then make them with vault_edit and vault_frontmatter, "
        "passing if_match.",
    .week = "Read the daily notes of these days (vault_daily) and the notes that were "
            "changed (vault_query, sorted by modification time).",
};

/* --- about one note --- */

struct note_args {
    str note;
};

static const struct mcp_field note_fields[] = {
    MCP_FIELD(struct note_args, note, MCP_STR, MCP_REQUIRED, "Path or name of the note"),
    {0},
};

/* The first message is the note that the prompt is about, the second says what to do with
 * it. */
static bool with_note(struct mcp_call *call, str request, struct err *err)
{
    const struct note_args *in = call->args;
    str vault;
    if (!in_vault(call, &vault, err))
        return false;
    const struct index *x = tool_use_chosen(call, err) ? tool_lock(call, err) : NULL;
    if (x == NULL)
        return false;
    const struct file *f;
    bool found = find_file(x, call->arena, in->note, &f, err);
    if (found) {
        str uri = app_uri(call->arena, tool_served(call), f->path);
        mcp_resource_text(call, uri, media_type(f->path),
                          utf8_cut(f->text, PROMPTS_NOTE_MAX));
        mcp_text(call,
                 arena_printf(call->arena, "This is '" STR_FMT "'. " STR_FMT STR_FMT,
                              STR_ARG(f->path), STR_ARG(request), STR_ARG(vault)));
    }
    tool_unlock(call);
    return found;
}

static bool find_related(struct mcp_call *call, struct err *err)
{
    return with_note(
        call,
        arena_printf(call->arena,
                     "Find the notes of the vault that belong with it. %s Give up to "
                     "ten, the most useful first, each with its path and one sentence on "
                     "how it is related, and say which are not linked yet. Change "
                     "nothing; offer to add the links.",
                     words_of(call)->related),
        err);
}

static bool tidy_note(struct mcp_call *call, struct err *err)
{
    return with_note(
        call,
        arena_printf(call->arena,
                     "Tidy it without changing what it says: headings in order, lists "
                     "and tables well-formed, typos fixed, properties and tags as in "
                     "similar notes, links to notes that exist %s",
                     words_of(call)->tidy),
        err);
}

/* --- about a time --- */

static bool daily_review(struct mcp_call *call, struct err *err)
{
    str vault;
    if (!in_vault(call, &vault, err))
        return false;
    mcp_text(call,
             arena_printf(
                 call->arena,
                 "Today is " STR_FMT
                 ". Help me review my day. %s Tell me in plain sentences what happened, "
                 "which tasks are done and which are still open with the note they are "
                 "in, and what should be carried over to tomorrow. Change nothing; offer "
                 "to add a short summary to the daily note." STR_FMT,
                 STR_ARG(today(call->arena)), words_of(call)->daily, STR_ARG(vault)));
    return true;
}

struct week_args {
    str tag;
};

static const struct mcp_field week_fields[] = {
    MCP_FIELD(struct week_args, tag, MCP_STR, 0, "Only notes with this tag"),
    {0},
};

static bool weekly_summary(struct mcp_call *call, struct err *err)
{
    const struct week_args *in = call->args;
    str tag = str_starts(in->tag, STR("#")) ? str_skip(in->tag, 1) : in->tag;
    str only = tag.n > 0 ? arena_printf(call->arena,
                                        " Look only at notes with the tag #" STR_FMT ".",
                                        STR_ARG(tag))
                         : STR("");
    str vault;
    if (!in_vault(call, &vault, err))
        return false;
    mcp_text(
        call,
        arena_printf(
            call->arena,
            "Today is " STR_FMT ". Sum up the last seven days of my vault." STR_FMT
            " %s Write: what happened, in five lines at most; what was finished, with "
            "the note of each; which tasks are still open, oldest first; which threads "
            "went quiet. Change nothing." STR_FMT,
            STR_ARG(today(call->arena)), STR_ARG(only), words_of(call)->week,
            STR_ARG(vault)));
    return true;
}

/* --- about the vault --- */

struct question_args {
    str question;
};

static const struct mcp_field question_fields[] = {
    MCP_FIELD(struct question_args, question, MCP_STR, MCP_REQUIRED,
              "What you want to know"),
    {0},
};

static bool answer_from_notes(struct mcp_call *call, struct err *err)
{
    const struct question_args *in = call->args;
    str vault;
    if (!in_vault(call, &vault, err))
        return false;
    mcp_text(call,
             arena_printf(
                 call->arena,
                 "Answer from my notes: " STR_FMT "\n"
                 "\n"
                 "%s Answer in a few sentences, each with the note it comes from as "
                 "[[Name]]. Say where the notes leave gaps or contradict each other, and "
                 "do not fill gaps with what you know from elsewhere." STR_FMT,
                 STR_ARG(in->question), words_of(call)->answer, STR_ARG(vault)));
    return true;
}

static bool file_inbox(struct mcp_call *call, struct err *err)
{
    str vault;
    if (!in_vault(call, &vault, err))
        return false;
    mcp_text(call, arena_printf(call->arena,
                                "Help me empty my inbox. %s Delete nothing." STR_FMT,
                                words_of(call)->inbox, STR_ARG(vault)));
    return true;
}

static const struct {
    struct mcp_prompt prompt;
    size_t words; /* offset in struct prompt_words */
} rows[] = {
    {{.name = "answer_from_notes",
      .title = "Answer from my notes",
      .about = "An answer with its sources, from the notes alone",
      .fields = question_fields,
      .args_size = sizeof(struct question_args),
      .quick = true,
      .run = answer_from_notes},
     offsetof(struct prompt_words, answer)},
    {{.name = "daily_review",
      .title = "Review the day",
      .about = "What happened today, what is done, what is still open",
      .quick = true,
      .run = daily_review},
     offsetof(struct prompt_words, daily)},
    {{.name = "file_inbox",
      .title = "Empty the inbox",
      .about = "A place, tags and links for notes that have none yet",
      .quick = true,
      .run = file_inbox},
     offsetof(struct prompt_words, inbox)},
    {{.name = "find_related",
      .title = "Find related notes",
      .about = "Notes that belong with this one, and links that are missing",
      .fields = note_fields,
      .args_size = sizeof(struct note_args),
      .run = find_related,
      .complete = prompts_complete},
     offsetof(struct prompt_words, related)},
    {{.name = "tidy_note",
      .title = "Tidy a note",
      .about =
          "Fix the form, links and properties of a note without changing its meaning",
      .fields = note_fields,
      .args_size = sizeof(struct note_args),
      .run = tidy_note,
      .complete = prompts_complete},
     offsetof(struct prompt_words, tidy)},
    {{.name = "weekly_summary",
      .title = "Sum up the week",
      .about = "The last seven days in a few lines, and what is still open",
      .fields = week_fields,
      .args_size = sizeof(struct week_args),
      .quick = true,
      .run = weekly_summary,
      .complete = prompts_complete},
     offsetof(struct prompt_words, week)},
};

static bool is_worded(const struct prompt_words *words, size_t row)
{
    if (words == NULL)
        return false;
    const void *at = (const char *)words + rows[row].words;
    return *(const char *const *)at != NULL;
}

const struct mcp_prompt *const *prompts_for(struct arena *a,
                                            const struct prompt_words *words)
{
    const struct mcp_prompt **out =
        ARENA_ARRAY(a, const struct mcp_prompt *, COUNT_OF(rows) + 1);
    for (size_t i = 0, n = 0; i < COUNT_OF(rows); i++)
        if (is_worded(words, i))
            out[n++] = &rows[i].prompt;
    return out;
}

/* --- notes that are prompts --- */

/* A prompt of our own with that name takes precedence. */
static bool is_row(struct mcp_call *call, str name)
{
    for (const struct mcp_prompt *const *p = app_of(call)->prompts; *p != NULL; p++)
        if (str_eq(name, str_c((*p)->name)))
            return true;
    return false;
}

/* A hash of everything that a list shows; never 0. */
static uint64_t fingerprint(struct arena *a, const struct prompt_note *notes, size_t n)
{
    struct sbuf all = SBUF_ON(a);
    for (size_t i = 0; i < n; i++) {
        sbuf_printf(&all, STR_FMT "\n" STR_FMT "\n", STR_ARG(notes[i].name),
                    STR_ARG(notes[i].about));
        for (size_t k = 0; k < notes[i].n_arguments; k++)
            sbuf_printf(
                &all, STR_FMT "\t" STR_FMT "\t%d\n", STR_ARG(notes[i].arguments[k].name),
                STR_ARG(notes[i].arguments[k].about), notes[i].arguments[k].required);
    }
    return hash_content(sbuf_str(&all)).high | 1;
}

/* The name that clients see. */
static str prompts_name_of(struct mcp_call *call, const struct prompt_note *p)
{
    return !app_has_several(app_of(call))
               ? p->name
               : arena_printf(call->arena, STR_FMT "/" STR_FMT,
                              STR_ARG(tool_served(call)->name), STR_ARG(p->name));
}

/* For all prompt notes, independent of the caller. */
static uint64_t fingerprint_now(const struct app_vault *v)
{
    struct arena a = {0};
    struct prompt_note *notes;
    size_t n = prompt_notes(vault_lock(v->for_clients), &a, &notes);
    uint64_t now = fingerprint(&a, notes, n);
    vault_unlock(v->for_clients);
    arena_release(&a);
    return now;
}

static void list_note(struct mcp_call *call, const struct prompt_note *p)
{
    struct mcp_listed_argument *arguments =
        ARENA_ARRAY(call->arena, struct mcp_listed_argument, p->n_arguments);
    for (size_t i = 0; i < p->n_arguments; i++)
        arguments[i] = (struct mcp_listed_argument){
            p->arguments[i].name, p->arguments[i].about, p->arguments[i].required};
    mcp_list_prompt(call, &(struct mcp_listed_prompt){.name = prompts_name_of(call, p),
                                                      .about = p->about,
                                                      .arguments = arguments,
                                                      .n_arguments = p->n_arguments});
}

static bool list_vault(struct mcp_call *call, struct err *err)
{
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    struct prompt_note *notes;
    size_t n = prompt_notes(x, call->arena, &notes);
    for (size_t i = 0; i < n; i++)
        if (!is_row(call, prompts_name_of(call, &notes[i])))
            list_note(call, &notes[i]);
    tool_unlock(call);
    atomic_store(&tool_served(call)->prompts_listed, fingerprint_now(tool_served(call)));
    return true;
}

/* Of so many hosted vaults that not all can be opened for a list, those that come first; one
 * that cannot be opened at all is left out. */
static bool list_notes(struct mcp_call *call, struct err *err)
{
    const struct app *app = app_of(call);
    struct app_vault **vaults;
    size_t n = vaults_seen(app, call->arena, call->caller, &vaults);
    n = app->hosted != NULL && n > PROMPTS_VAULTS_MAX ? PROMPTS_VAULTS_MAX : n;
    tool_use_several(call);
    if (tool_awaits_clones(call, vaults, n, VAULTS_WAIT_MS))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct err why_not = {0};
        if (!tool_use_within(call, vaults[i], VAULTS_WAIT_MS, &why_not))
            continue;
        if (!list_vault(call, err))
            return false;
        tool_leave(call);
    }
    return !tool_awaits_clones(call, vaults, n, VAULTS_WAIT_MS);
}

static bool read_values(struct mcp_call *call, const struct prompt_note *p, str *values,
                        struct err *err)
{
    for (size_t i = 0; i < p->n_arguments; i++) {
        const struct prompt_argument *argument = &p->arguments[i];
        const struct json *j = json_get(call->args, argument->name);
        if (j != NULL && !json_str(j, &values[i]))
            return err_set(err, ERR_INVALID, STR_FMT " must be a string",
                           STR_ARG(utf8_cut(argument->name, 100)));
        if (values[i].n == 0 && argument->required)
            return err_set(err, ERR_INVALID, STR_FMT " is missing",
                           STR_ARG(utf8_cut(argument->name, 100)));
    }
    return true;
}

static bool run_note(struct mcp_call *call, const struct prompt_note *p, struct err *err)
{
    str values[PROMPT_ARGUMENTS_MAX] = {0};
    if (!read_values(call, p, values, err))
        return false;
    str text = prompt_note_fill(call->arena, p, values);
    mcp_text(call, utf8_cut(str_trim_line(text), PROMPTS_NOTE_MAX));
    return true;
}

/* If there are several vaults, the name begins with the vault's; *name becomes the
 * rest. */
static bool use_named(struct mcp_call *call, str *name, struct err *err)
{
    str vault;
    const struct app_vault *v = NULL;
    if (!app_has_several(app_of(call)))
        return tool_use_chosen(call, err);
    if (str_find_char(*name, '/') != STR_NONE && str_next(name, '/', &vault))
        v = vaults_find(app_of(call), call->caller, vault);
    return v != NULL ? tool_use(call, v, err)
                     : err_set(err, ERR_NOT_FOUND, "no such prompt");
}

static bool run_by_name(struct mcp_call *call, str name, str *about, struct err *err)
{
    if (!use_named(call, &name, err))
        return false;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    struct prompt_note *notes;
    size_t n = prompt_notes(x, call->arena, &notes), i = 0;
    while (i < n && !str_eq(notes[i].name, name))
        i++;
    bool ok = i < n ? run_note(call, &notes[i], err)
                    : err_set(err, ERR_NOT_FOUND, "no such prompt");
    if (ok)
        *about = arena_str(call->arena, notes[i].about);
    tool_unlock(call);
    return ok;
}

const struct mcp_prompt_family app_more_prompts = {.list = list_notes,
                                                   .run = run_by_name};

bool prompts_changed(struct app_vault *v)
{
    uint64_t listed = atomic_load(&v->prompts_listed);
    if (listed == 0)
        return false;
    uint64_t now = fingerprint_now(v);
    return now != listed && atomic_exchange(&v->prompts_listed, now) != now;
}
