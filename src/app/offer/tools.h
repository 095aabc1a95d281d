/*
 * tools - the registry of tools, one file each below tools/, and the sets of them that an
 * operator can choose (--tools).
 *
 * A set is a row: another one is another row. Two sets may share tools; tools that differ
 * and have the same name cannot be offered together.
 */
#pragma once

#include "base/options.h"
#include "mcp/tool.h"

struct prompt_words;

/* How a model is told of the user's notes for it (auto_context.h). */
enum tools_context {
    TOOLS_TELL_NOT,
    TOOLS_TELL_APART, /* in a text block of its own */
    TOOLS_TELL_GLUED, /* behind the text of the result */
};

struct tool_set {
    const char *name;
    const char *about;                   /* one sentence for the operator */
    const struct mcp_tool *const *tools; /* ends with NULL */
    const char *lead;                    /* for the model: a sentence or two, */
    const char *guide;                   /* and which tool is for what; or NULL */
    bool foreign;                        /* another server's: docs/profiles.md */
    const struct prompt_words *prompts;  /* prompts.h; NULL: no prompts of ours */
    const char *rules;  /* the tool that has the user's rules for a place, or NULL */
    const char *naming; /* how files are named; NULL: by path */
    enum tools_context context;
};

/* Ends with a row without a name. */
extern const struct tool_set tool_sets[];

/*
 * The tools of the sets of those names, each once, as a list in the arena that ends with
 * NULL. Fails with ERR_INVALID: no such set (the message lists them), or two sets whose
 * tools clash (it names the tool and the sets).
 */
MUST_CHECK bool tools_choose(struct arena *a, const struct option_list *names,
                             const struct mcp_tool *const **out, struct err *err);

/* The same tools, in whose schemas fields with KIT_HISTORY are if there is one. */
const struct mcp_tool *const *
tools_for(struct arena *a, const struct mcp_tool *const *tools, bool history);

/* The same of sets that are given as a table, for tests. */
MUST_CHECK bool tools_choose_from(struct arena *a, const struct tool_set *sets,
                                  const struct option_list *names,
                                  const struct mcp_tool *const **out, struct err *err);

/* Of the first set that has the tool. */
enum tools_context tools_context_of(const struct mcp_tool *t);

/* How the chosen sets name files; NULL: by path. */
const char *tools_naming(const struct option_list *names);

/* What the sets say to a model, each with a blank in front; then the guides. */
void tools_add_lead(const struct option_list *names, struct sbuf *out);
void tools_add_guide(const struct option_list *names, struct sbuf *out);

/* Of the first of the sets that has some; or NULL. */
const struct prompt_words *tools_prompts(const struct option_list *names);
const char *tools_rules(const struct option_list *names);
