/*
 * tools - the registry of tools, one file each in tools/, and the sets of tools that an
 * operator can choose (--tools), also by the name of a single tool.
 *
 * Each set is a row of the table. Two sets may share tools; different tools with the same
 * name cannot be offered together.
 */
#pragma once

#include "base/options.h"
#include "mcp/tool.h"

struct app;
struct prompt_words;

/* How a model learns about the notes that the user wrote for it (auto_context.h). */
enum tools_context {
    TOOLS_TELL_NOT,
    TOOLS_TELL_APART, /* in a separate text block */
    TOOLS_TELL_GLUED, /* after the text of the result */
};

struct tool_set {
    const char *name;
    const char *about;                   /* one sentence for the operator */
    const struct mcp_tool *const *tools; /* ends with NULL */
    const char *lead;                    /* for the model: a sentence or two, */
    const char *guide;                   /* and which tool is for what; or NULL */
    bool exact;   /* tools that only read refuse unknown arguments, too */
    bool foreign; /* from another server: docs/profiles.md */
    const struct prompt_words *prompts; /* prompts.h; NULL: none of our prompts */
    const char *rules;                  /* the tool for the rules of a place, or NULL */
    const char *naming;                 /* how files are named; NULL: by path */
    enum tools_context context;
};

/* Ends with a row without a name. */
extern const struct tool_set tool_sets[];

/*
 * The tools that are named, each once, as a list in the arena that ends with NULL. A name is
 * that of a set or of a tool; after '-' it leaves out what names before it have chosen. If
 * several sets have a tool of that name, that of a set in the list is meant, else the first.
 * Fails with ERR_INVALID: no such tool or set (with the nearest name), two sets whose tools
 * clash (it names the tool and the sets), or nothing left.
 */
MUST_CHECK bool tools_choose(struct arena *a, const struct option_list *names,
                             const struct mcp_tool *const **out, struct err *err);

/* The tools of all sets whose names are not in the list; it ends with NULL, too. */
const struct mcp_tool *const *tools_left_out(struct arena *a,
                                             const struct mcp_tool *const *tools);

/* A list that begins with what it leaves out begins with this set. */
void tools_complete(struct arena *a, const char *set, struct option_list *names);

/* What a vault of the server has that not every vault has. */
struct tools_offer {
    bool history; /* for fields with TOOL_HISTORY, which are not listed otherwise */
    bool meaning; /* vectors, for TOOL_MEANING: otherwise the last choice is missing */
    const struct app *app; /* whose tools are left out, and not named; or NULL */
};

/* Flags of a tool beside those of app_tool_flag: the context of its set. */
enum tools_flag {
    TOOLS_APART = 256 * MCP_TOOL_APP_FLAG,
    TOOLS_GLUED = 512 * MCP_TOOL_APP_FLAG,
};

/* The same tools, with the flags of their set: MCP_EXACT and tools_flag. */
const struct mcp_tool *const *
tools_for(struct arena *a, const struct mcp_tool *const *tools, struct tools_offer offer);

/* tools_choose() with a given table of sets, for tests. */
MUST_CHECK bool tools_choose_from(struct arena *a, const struct tool_set *sets,
                                  const struct option_list *names,
                                  const struct mcp_tool *const **out, struct err *err);

/* Of a tool from tools_for(). */
enum tools_context tools_context_of(const struct mcp_tool *t);

/* How the chosen sets name files; NULL: by path. */
const char *tools_naming(const struct option_list *names);

/* The sentences of the sets for the model, each after a space; then the guides. */
void tools_add_lead(const struct option_list *names, struct sbuf *out);
void tools_add_guide(const struct option_list *names, struct sbuf *out);

/* From the first of the sets that has any; or NULL. */
const struct prompt_words *tools_prompts(const struct option_list *names);
const char *tools_rules(const struct option_list *names);
