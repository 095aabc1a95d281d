/* The table of all probes, in the order in which clients do these things. */
#include "app/doctor/doctor_parts.h"

static void probe_stranger(struct doctor *d, struct doctor_step *s)
{
    struct fetch f;
    struct fetched got;
    doctor_post(d, d->url, HEADERS(s->probe->with), &f);
    if (doctor_ask(d, s, &f, &got))
        doctor_judge_stranger(d, s, &got);
}

#define STRANGER "401 with WWW-Authenticate: Bearer resource_metadata=…, or 200"
#define DOCUMENT "200 with a JSON document that names this server"

const struct doctor_probe doctor_probes[] = {
    {"claude", "claude.ai asks without a token", STRANGER, CAUSE_PATH, probe_stranger,
     "User-Agent: Claude-User"},
    {"chatgpt", "ChatGPT asks without a token", STRANGER, CAUSE_PATH, probe_stranger,
     "User-Agent: openai-mcp/1.0.0"},
    {"claude_code", "Claude Code asks without a token", STRANGER, CAUSE_PATH,
     probe_stranger, "User-Agent: claude-code/2.1.0 (cli)"},
    {"inspector", "The Inspector asks without a token", STRANGER, CAUSE_PATH,
     probe_stranger, "User-Agent: node"},
    {"resource_named", "The resource metadata, at the URL in the challenge", DOCUMENT,
     CAUSE_WELL_KNOWN, probe_named_resource},
    {"resource_path", "The resource metadata, at the path of the endpoint", DOCUMENT,
     CAUSE_WELL_KNOWN, probe_path_resource},
    {"resource_root", "The resource metadata, at the root", DOCUMENT, CAUSE_WELL_KNOWN,
     probe_root_resource},
    {"server", "The authorization server metadata (RFC 8414)", DOCUMENT, CAUSE_WELL_KNOWN,
     probe_server, "/.well-known/oauth-authorization-server"},
    {"openid", "The same for OpenID clients (ChatGPT)", DOCUMENT, CAUSE_WELL_KNOWN,
     probe_server, "/.well-known/openid-configuration"},
    {"register", "Clients register with their callbacks", "201 for each",
     CAUSE_REGISTRATION, probe_register},
    {"authorize", "The sign-in page", "400 and a page, because no client is named",
     CAUSE_PATH, probe_authorize},
    {"token", "The token endpoint", "400 or 401 and JSON, because the code is invalid",
     CAUSE_PATH, probe_token},
    {"authorization", "The Authorization header arrives", "401 with error=invalid_token",
     CAUSE_PATH, probe_authorization},
    {"preflight", "The Inspector in a browser sends a preflight (OPTIONS)",
     "204 with Access-Control-Allow-Origin", CAUSE_CORS, probe_preflight},
    {"cors", "The Inspector in a browser can read answers",
     "Access-Control-Allow-Origin and -Expose-Headers", CAUSE_CORS, probe_cors},
    {"get", "GET for an event stream", "401, or 400 if no sign-in is required",
     CAUSE_METHOD, probe_get},
    {"slash", "The same endpoint with a slash at the end", STRANGER, CAUSE_PATH,
     probe_slash},
    {"header", "A header of 6,000 bytes", STRANGER, CAUSE_PATH, probe_header},
    {"body", "A message of 3 MiB", "401, or 400 if no sign-in is required", CAUSE_BODY,
     probe_body},
    {"keep_alive", "HTTP/1.1 connections stay open", "no Connection: close", CAUSE_PATH,
     probe_keep_alive},
    {"plain_http", "Nothing is served without encryption", "a redirect, or no answer",
     CAUSE_PATH, probe_plain_http},
    {"call", "A call with a token", "200", CAUSE_PATH, probe_call},
    {"stream", "An event stream arrives as it is written",
     "200 and the first event within 5 seconds", CAUSE_BUFFERING, probe_stream},
    {0},
};
