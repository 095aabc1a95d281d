#include "app/doctor/doctor_parts.h"

const struct doctor_remedy doctor_remedies[] = {
    [CAUSE_NONE] = {"none", "", NULL, NULL},
    [CAUSE_DNS] = {"no_address",
                   "The name has no address: add an A record that points to the proxy "
                   "(claude.ai and ChatGPT connect over IPv4).",
                   NULL, NULL},
    [CAUSE_CONNECT] = {"not_reachable",
                       "No server is listening there: is the proxy running, and does the "
                       "firewall allow port 443?",
                       "systemctl status caddy", "systemctl status nginx"},
    [CAUSE_TLS] = {"certificate",
                   "The certificate is not valid for that name, has expired, or is sent "
                   "without its intermediate certificates.",
                   "name the site by its public name and let Caddy get the certificate",
                   "ssl_certificate must be fullchain.pem, not cert.pem"},
    [CAUSE_TIMEOUT] = {"no_answer",
                       "The answer did not arrive in time: the proxy waits for vaultd, "
                       "or holds the answer back.",
                       "reverse_proxy 127.0.0.1:8090 (the port vaultd listens on)",
                       "proxy_pass http://127.0.0.1:8090; (the port vaultd listens on)"},
    [CAUSE_UPSTREAM] = {"proxy_without_vaultd",
                        "The proxy answers but cannot reach vaultd.",
                        "reverse_proxy 127.0.0.1:8090 (the port vaultd listens on)",
                        "proxy_pass http://127.0.0.1:8090; (the port vaultd listens on)"},
    [CAUSE_BLOCKED] =
        {"blocked",
         "Something in front of vaultd refuses this client. Cloudflare does so with "
         "\"Block AI bots\" and \"Bot fight mode\": switch them off for this host.",
         "remove rules that refuse by User-Agent or address",
         "remove deny rules and \"if ($http_user_agent …)\""},
    [CAUSE_HOST] =
        {"host_rewritten",
         "The proxy changes the Host header, so vaultd thinks that the request is for "
         "another server; or --server-url is not the public URL.",
         "remove \"header_up Host …\"", "proxy_set_header Host $http_host;"},
    [CAUSE_REDIRECT] = {"redirected",
                        "The proxy redirects, and clients do not repeat a POST "
                        "elsewhere: every path must be answered without a redirect.",
                        "remove \"redir\" for these paths",
                        "remove \"return 301\" and \"rewrite\" for these paths"},
    [CAUSE_PATH] = {"path_not_forwarded",
                    "The path does not reach vaultd unchanged: it is not forwarded, or a "
                    "prefix is stripped.",
                    "reverse_proxy without \"handle_path\" or \"uri strip_prefix\"",
                    "location / { proxy_pass http://127.0.0.1:8090; } without a path "
                    "after the port"},
    [CAUSE_WELL_KNOWN] = {"well_known_not_forwarded",
                          "/.well-known/oauth-… is not forwarded to vaultd, so clients "
                          "cannot find out how to sign in. Often a rule for certificates "
                          "(ACME) handles all of /.well-known/.",
                          "forward everything, not only /mcp: remove \"handle "
                          "/.well-known/*\"",
                          "limit that rule to location /.well-known/acme-challenge/ and "
                          "forward the rest"},
    [CAUSE_CHALLENGE] = {"challenge_stripped",
                         "The WWW-Authenticate header is removed on the way: clients "
                         "cannot find out that they must sign in, and where.",
                         "remove \"header_down -WWW-Authenticate\"",
                         "remove \"proxy_hide_header WWW-Authenticate;\" and "
                         "\"proxy_intercept_errors on;\""},
    [CAUSE_PROXY_SIGN_IN] =
        {"proxy_asks_for_password",
         "The proxy asks for its own password, but clients can only sign in to vaultd.",
         "remove \"basic_auth\" and \"forward_auth\"",
         "remove \"auth_basic\" and \"auth_request\""},
    [CAUSE_AUTHORIZATION] =
        {"authorization_stripped",
         "The Authorization header is removed on the way: signing in has no effect.",
         "remove \"header_up -Authorization\"",
         "remove \"proxy_set_header Authorization …;\""},
    [CAUSE_SERVER_URL] = {"server_url",
                          "vaultd is configured with another URL: set --server-url "
                          "(SERVER_URL) to the public one, without /mcp.",
                          NULL, NULL},
    [CAUSE_CORS] =
        {"cors",
         "Browsers would not let a page such as the Inspector read the answers: the "
         "proxy answers OPTIONS itself, or changes the Access-Control-… headers.",
         "remove \"header Access-Control-…\" and \"respond\" for OPTIONS",
         "remove \"add_header Access-Control-…\" and \"if ($request_method = "
         "OPTIONS)\""},
    [CAUSE_METHOD] = {"method_refused", "The proxy does not allow this method.",
                      "remove \"method\" matchers", "remove \"limit_except\""},
    [CAUSE_BUFFERING] = {"buffering",
                         "The proxy holds event streams back until they end: messages "
                         "from the server arrive late or never.",
                         "flush_interval -1, and no \"encode\" for this site",
                         "proxy_buffering off; and neither \"proxy_ignore_headers "
                         "X-Accel-Buffering;\" nor \"gzip on;\" for this location"},
    [CAUSE_BODY] = {"body_limit",
                    "The proxy limits messages to less than vaultd does (4 MiB).",
                    "request_body { max_size 5MB }, or none", "client_max_body_size 5m;"},
    [CAUSE_HEADER] = {"header_limit",
                      "The proxy's limit for headers is too low for what clients send.",
                      "remove \"max_header_size\"", "large_client_header_buffers 4 16k;"},
    [CAUSE_KEEP_ALIVE] = {"no_keep_alive",
                          "The proxy closes the connection after each answer, which "
                          "makes every call slow.",
                          "remove \"keepalive off\" and \"header Connection close\"",
                          "keepalive_timeout 75s;"},
    [CAUSE_PLAIN_HTTP] = {"plain_http",
                          "The vault can be reached without encryption: tokens could be "
                          "read on the way.",
                          "name the site without http://; Caddy then redirects",
                          "server { listen 80; return 301 https://$host$request_uri; }"},
    [CAUSE_REGISTRATION] = {"registration",
                            "Clients cannot register, so sign-in is impossible.",
                            "forward all of /oauth/", "forward all of /oauth/"},
    [CAUSE_KEY] = {"key",
                   "The key is not valid here: create one with \"vaultd key add NAME\" "
                   "on the server's machine, with its state folder.",
                   NULL, NULL},
    [CAUSE_OTHER] = {"not_vaultd",
                     "This is not an answer from vaultd: does the URL end in /mcp, and "
                     "does the proxy forward it unchanged?",
                     "reverse_proxy 127.0.0.1:8090",
                     "location / { proxy_pass http://127.0.0.1:8090; }"},
};
