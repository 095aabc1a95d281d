/*
 * Copies of the two documents that Anthropic's clients use as their ids, for machines
 * that cannot fetch them.
 */
#include "oauth/documents.h"

static const str claude_redirects[] = {
    {"https://claude.ai/api/mcp/auth_callback", 39},
    {"https://claude.com/api/mcp/auth_callback", 40},
};

static const str claude_code_redirects[] = {
    {"http://localhost/callback", 25},
    {"http://127.0.0.1/callback", 25},
};

static const struct oauth_client pinned[] = {
    {
        .id = {"https://claude.ai/oauth/mcp-oauth-client-metadata", 49},
        .name = {"Claude", 6},
        .kind = CLIENT_DOCUMENT,
        .grants = GRANT_CODE | GRANT_REFRESH,
        .redirect_uris = claude_redirects,
        .n_redirect_uris = COUNT_OF(claude_redirects),
    },
    {
        .id = {"https://claude.ai/oauth/claude-code-client-metadata", 51},
        .name = {"Claude Code", 11},
        .kind = CLIENT_DOCUMENT,
        .grants = GRANT_CODE | GRANT_REFRESH,
        .redirect_uris = claude_code_redirects,
        .n_redirect_uris = COUNT_OF(claude_code_redirects),
    },
};

bool document_find(struct oauth *o, struct arena *a, str url, struct oauth_client *out,
                   struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(pinned); i++) {
        if (str_eq(url, pinned[i].id)) {
            *out = pinned[i];
            return true;
        }
    }
    return err_set(err, ERR_NOT_FOUND, "this client is unknown");
}
