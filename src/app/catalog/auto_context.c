#include "app/catalog/auto_context.h"

#include "app/catalog/tools.h"
#include "app/tool_support/tag_policy.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_support.h"
#include "base/lock.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "vault/ask/guidance.h"
#include "vault/draft.h"
#include "vault/index/file.h"
#include "vault/index/tags.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/prop.h"
#include "vault/transact.h"
#include "vault/vault.h"

/* Replaces a missing description. */
#define ASKS_FOR_ONE                                                                     \
    "No description yet. Read this note, then set its description at the first "         \
    "opportunity: say when to read the note."

struct auto_context {
    struct lock lock;
    uint64_t told[AUTO_CONTEXT_TOLD]; /* hashes of sessions; a ring */
    size_t n;                         /* how many were added so far */
};

struct auto_context *auto_context_create(void)
{
    struct auto_context *c = mem_alloc(sizeof(*c));
    *c = (struct auto_context){0};
    lock_init(&c->lock, LOCK_LEAF);
    return c;
}

void auto_context_free(struct auto_context *c)
{
    if (c == NULL)
        return;
    lock_release(&c->lock);
    free(c);
}

/* Whether this is the first result of a session for its vault; remembers the session. */
static bool is_first(struct mcp_call *call)
{
    struct auto_context *c = app_of(call)->context;
    uint64_t session = hash_table(arena_printf(call->arena, STR_FMT "\n" STR_FMT,
                                               STR_ARG(mcp_session(call)),
                                               STR_ARG(tool_served(call)->name)));
    bool told = false;
    lock_take(&c->lock);
    for (size_t i = 0; i < c->n && i < AUTO_CONTEXT_TOLD; i++)
        told |= c->told[i] == session;
    if (!told)
        c->told[c->n++ % AUTO_CONTEXT_TOLD] = session;
    lock_drop(&c->lock);
    return !told;
}

/* --- missing descriptions --- */

static bool describe_context(struct draft *d, void *path, struct err *err)
{
    struct arena *a = draft_arena(d);
    struct draft_file f;
    struct frontmatter_edit set = {.op = FRONTMATTER_SET,
                                   .key = STR("description"),
                                   .value = prop_of_text(a, STR(ASKS_FOR_ONE))};
    struct frontmatter_edited edited;
    return draft_read(d, *(const str *)path, &f, err) &&
           frontmatter_edit(a, f.text, &set, 1, &edited, err) &&
           draft_write(d, f.path, edited.text, DRAFT_EDIT, err);
}

/* The paths of notes without a description. */
static struct str_list undescribed(struct mcp_call *call)
{
    struct str_list list = {ARENA_ARRAY(call->arena, str, AUTO_CONTEXT_FILLED), 0};
    const struct file **notes;
    const struct index *x = vault_lock(tool_vault(call));
    size_t n = guidance_notes(x, call->arena, &notes);
    for (size_t i = 0; i < n && list.n < AUTO_CONTEXT_FILLED; i++)
        if (!guidance_is_described(notes[i]))
            list.items[list.n++] = arena_str(call->arena, notes[i]->path);
    tool_unlock(call);
    return list;
}

/* If it cannot be written, the model still sees the same words, so failures do not
 * matter. */
static void describe_all(struct mcp_call *call)
{
    struct vault *v = tool_vault(call);
    struct transact t = {.by = tool_actor(call, "auto_context"),
                         .stop = tool_stopping(call),
                         .steps = describe_context};
    struct draft_result r;
    struct err ignored;
    struct str_list paths = {0};
    if (!vault_is_read_only(v) && !vault_has_review(v)) /* not asked for by anyone */
        paths = undescribed(call);
    for (size_t i = 0; i < paths.n; i++) {
        t.arg = &paths.items[i];
        (void)!transact_run(v, call->arena, &t, &r, &ignored);
    }
}

/* --- the text --- */

/* The description of one note, on one line. */
static str description_of(struct arena *a, const struct file *f)
{
    str text = utf8_cut(guidance_description(f), AUTO_CONTEXT_DESCRIPTION);
    struct sbuf line = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++)
        sbuf_char(&line, (unsigned char)text.p[i] < ' ' ? ' ' : text.p[i]);
    return line.n > 0 ? sbuf_str(&line) : STR(ASKS_FOR_ONE);
}

static void add_notes(struct sbuf *out, const struct file **notes, size_t n,
                      bool with_path)
{
    for (size_t i = 0; i < n && i < AUTO_CONTEXT_NOTES; i++) {
        sbuf_printf(out, "- \"" STR_FMT "\"", STR_ARG(file_title(notes[i]->path)));
        if (with_path)
            sbuf_printf(out, " (" STR_FMT ")", STR_ARG(notes[i]->path));
        sbuf_printf(out, " — " STR_FMT "\n",
                    STR_ARG(description_of(out->arena, notes[i])));
    }
    if (n > AUTO_CONTEXT_NOTES)
        sbuf_printf(out, "- and %zu more with the tag claude\n", n - AUTO_CONTEXT_NOTES);
}

/* Exactly the words of the specification of claude-desktop. */
static str glued(struct mcp_call *call, const struct index *x, bool policy)
{
    struct arena *a = call->arena;
    struct sbuf out = SBUF_ON(a);
    const struct file **notes;
    size_t n = guidance_notes(x, a, &notes);
    str tags = policy ? tag_policy_allowed(x, a) : STR("");
    sbuf_add(&out, STR("\n\n---\n## Your personal notes\n\n"));
    add_notes(&out, notes, n, false);
    sbuf_add(&out, n > 0 ? tool_has(call, "read_note")
                               ? STR("\nUse read_note() to access full content when "
                                     "needed.\n")
                               : STR("\n")
                         : STR("No personal notes found. Create notes with tag 'claude' "
                               "to use auto-context.\n"));
    sbuf_add(&out, STR("---"));
    if (tags.n > 0)
        sbuf_printf(&out,
                    "\n## Tag policy\n\nAllowed: " STR_FMT
                    ".\nAsk user before creating new tags.\n---",
                    STR_ARG(tags));
    return sbuf_str(&out);
}

/* A separate text block; empty if there is nothing to say. */
static str apart(struct mcp_call *call, const struct index *x, bool policy)
{
    struct sbuf out = SBUF_ON(call->arena);
    struct guidance g;
    guidance_for(x, call->arena, STR(""), &g);
    if (g.n_notes > 0) {
        sbuf_add(&out, STR("Notes for assistants (tag claude), and when to read them, in "
                           "the words of their authors:\n\n"));
        add_notes(&out, g.notes, g.n_notes, true);
        sbuf_add(&out, tool_has(call, "vault_read") ? STR("\nRead one with vault_read.\n")
                                                    : STR(""));
    }
    if (policy && tags_count(x->tags) > 0)
        sbuf_printf(
            &out,
            "%sUse only tags that the vault has%s; ask the user before you create "
            "others.\n",
            out.n > 0 ? "\n" : "",
            tool_has(call, "vault_query") ? " (vault_query from tags)" : "");
    return sbuf_str(&out);
}

static void glue(struct mcp_call *call, str text)
{
    struct sbuf all = SBUF_ON(call->arena);
    sbuf_add(&all, call->text.p != NULL ? call->text : sbuf_str(call->out->out));
    sbuf_add(&all, text);
    call->text = sbuf_str(&all);
}

void auto_context_tell(struct mcp_call *call, const struct mcp_tool *t)
{
    enum tools_context manner = tools_context_of(t);
    bool policy = app_of(call)->settings.tag_policy != TAGS_FREE;
    if (manner == TOOLS_TELL_NOT || mcp_session(call).n == 0 ||
        (t->flags & MCP_QUICK) != 0 || !tool_is_using(call))
        return;
    struct vault *v = tool_vault(call);
    if (!vault_progress(v).ready || !is_first(call))
        return;
    if (manner == TOOLS_TELL_GLUED)
        describe_all(call);
    const struct index *x = vault_lock(v);
    if (manner == TOOLS_TELL_GLUED)
        glue(call, glued(call, x, policy));
    else
        tool_note_block(call, apart(call, x, policy));
    tool_unlock(call);
}
