#include "app/catalog/skill_own.h"

#include "app/catalog/skill_adr.h"
#include "app/catalog/skill_devlog.h"
#include "app/catalog/skill_notes.h"
#include "app/setup/app.h"
#include "app/setup/profiles.h"
#include "app/tool_support/tool_words.h"
#include "app/tools/guides.h"
#include "app/tools/rows.h"

static struct own_skill one_file(struct arena *a, const char *name, const char *text)
{
    struct own_skill_file *f = ARENA_NEW(a, struct own_skill_file);
    *f = (struct own_skill_file){STR("SKILL.md"), str_c(text)};
    return (struct own_skill){str_c(name), f, 1};
}

/* What the caller's tools cannot do is not in it. */
static str own_text(struct mcp_call *call, str text)
{
    return tool_words(call->app, call->arena, call->caller, text);
}

static struct own_skill manual(struct mcp_call *call)
{
    struct arena *a = call->arena;
    struct own_skill_file *f = ARENA_ARRAY(a, struct own_skill_file, GUIDE_TOPICS + 1);
    f[0] = (struct own_skill_file){STR("SKILL.md"), own_text(call, str_c(SKILL_NOTES))};
    for (int i = 0; i < GUIDE_TOPICS; i++)
        f[i + 1] = (struct own_skill_file){
            arena_printf(a, "references/%s.md", guide_topics[i]),
            own_text(call, guide_text(a, (enum guide_topic)i, guide_default))};
    return (struct own_skill){STR("obsidian-notes"), f, GUIDE_TOPICS + 1};
}

static bool has_guide(const struct app *app)
{
    for (const struct mcp_tool *const *t = app->tools; *t != NULL; t++)
        if (strcmp((*t)->name, tool_vault_guide.name) == 0)
            return true;
    return false;
}

size_t own_skills(struct mcp_call *call, struct own_skill **out)
{
    const struct app *app = app_of(call);
    size_t n = 0;
    *out = ARENA_ARRAY(call->arena, struct own_skill, 2);
    if (profiles[app->settings.profile].skills) {
        (*out)[n++] = one_file(call->arena, "adr", SKILL_ADR);
        (*out)[n++] = one_file(call->arena, "devlog", SKILL_DEVLOG);
    } else if (has_guide(app)) {
        (*out)[n++] = manual(call);
    }
    return n;
}
