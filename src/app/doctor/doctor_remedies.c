#include "app/doctor/doctor_parts.h"

const struct doctor_remedy doctor_remedies[] = {
    [CAUSE_NONE] = {"none", "", NULL, NULL},
    [CAUSE_DNS] = {"no_address",
                   "The name has no address: add an A record that points to the proxy "
                   "(claude.ai and ChatGPT come by IPv4).",
                   NULL, NULL},
    [CAUSE_CONNECT] =
        {"not_reachable",
         "Nobody listens there: is the proxy running, and does the firewall "
         "let port 443 through?",
         "systemctl status caddy", "systemctl status nginx"},
    [CAUSE_TLS] = {"certificate",
                   "The certificate is not valid for that name, has expired, or comes "
                   "without the certificates between it and its root.",
                   "name the site by its public name and let Caddy get the certificate",
                   "ssl_certificate must be fullchain.pem, not cert.pem"},
    [CAUSE_TIMEOUT] = {"no_answer",
                       "The answer did not come in time: the proxy waits for vaultd, or "
                       "keeps the answer back.",
                       "reverse_proxy 127.0.0.1:8090 (the port vaultd listens on)",
                       "proxy_pass http://127.0.0.1:8090; (the port vaultd listens on)"},
    [CAUSE_UPSTREAM] = {"proxy_without_vaultd",
                        "The proxy is there but does not reach vaultd.",
                        "reverse_proxy 127.0.0.1:8090 (the port vaultd listens on)",
                        "proxy_pass http://127.0.0.1:8090; (the port vaultd listens on)"},
    [CAUSE_BLOCKED] =
        {"blocked",
         "Something in front of vaultd refuses this client. Cloudflare does "
         "so with \"Block AI bots\" and \"Bot fight mode\": switch them off "
         "for this name.",
         "remove rules that refuse by User-Agent or address",
         "remove deny rules and \"if ($http_user_agent …)\""},
    [CAUSE_HOST] = {"host_rewritten",
                    "The proxy changes the Host header, so vaultd takes the request for "
                    "somebody else's; or --server-url is not the public name.",
                    "remove \"header_up Host …\"", "proxy_set_header Host $http_host;"},
    [CAUSE_REDIRECT] =
        {"redirected",
         "The proxy redirects, and clients do not repeat a POST elsewhere: "
         "every path must be answered where it was asked for.",
         "remove \"redir\" for these paths",
         "remove \"return 301\" and \"rewrite\" for these paths"},
    [CAUSE_PATH] = {"path_not_forwarded",
                    "The path does not arrive at vaultd as it was asked for: it is not "
                    "forwarded, or a prefix is cut off.",
                    "reverse_proxy without \"handle_path\" or \"uri strip_prefix\"",
                    "location / { proxy_pass http://127.0.0.1:8090; } without a path "
                    "behind the port"},
    [CAUSE_WELL_KNOWN] =
        {"well_known_not_forwarded",
         "/.well-known/oauth-… is not forwarded to vaultd, so clients do "
         "not find out how to sign in. Often a rule for certificates "
         "(ACME) takes all of /.well-known/.",
         "forward everything, not only /mcp: remove \"handle "
         "/.well-known/*\"",
         "limit that rule to location /.well-known/acme-challenge/ and "
         "forward the rest"},
    [CAUSE_CHALLENGE] = {"challenge_stripped",
                         "The header WWW-Authenticate is lost on the way: clients do not "
                         "learn that and where they can sign in.",
                         "remove \"header_down -WWW-Authenticate\"",
                         "remove \"proxy_hide_header WWW-Authenticate;\" and "
                         "\"proxy_intercept_errors on;\""},
    [CAUSE_PROXY_SIGN_IN] = {"proxy_asks_for_password",
                             "The proxy asks for a password of its own: clients can only "
                             "sign in to vaultd.",
                             "remove \"basic_auth\" and \"forward_auth\"",
                             "remove \"auth_basic\" and \"auth_request\""},
    [CAUSE_AUTHORIZATION] =
        {"authorization_stripped",
         "The header Authorization is lost on the way: whoever signed "
         "in stays a stranger.",
         "remove \"header_up -Authorization\"",
         "remove \"proxy_set_header Authorization …;\""},
    [CAUSE_SERVER_URL] = {"server_url",
                          "vaultd believes to have another URL: set --server-url "
                          "(SERVER_URL) to the public one, without /mcp.",
                          NULL, NULL},
    [CAUSE_CORS] =
        {"cors",
         "Browsers would not let a page such as the Inspector read the answers: "
         "the proxy answers OPTIONS itself, or changes the headers "
         "Access-Control-….",
         "remove \"header Access-Control-…\" and \"respond\" for OPTIONS",
         "remove \"add_header Access-Control-…\" and \"if ($request_method = "
         "OPTIONS)\""},
    [CAUSE_METHOD] = {"method_refused", "The proxy does not let this method through.",
                      "remove \"method\" matchers", "remove \"limit_except\""},
    [CAUSE_BUFFERING] = {"buffering",
                         "The proxy keeps event streams back until they end: what the "
                         "server has to say arrives late or never.",
                         "flush_interval -1, and no \"encode\" for this site",
                         "proxy_buffering off; and neither \"proxy_ignore_headers "
                         "X-Accel-Buffering;\" nor \"gzip on;\" for this location"},
    [CAUSE_BODY] = {"body_limit", "The proxy takes smaller messages than vaultd (4 MiB).",
                    "request_body { max_size 5MB }, or none", "client_max_body_size 5m;"},
    [CAUSE_HEADER] = {"header_limit",
                      "The proxy takes shorter headers than clients send.",
                      "remove \"max_header_size\"", "large_client_header_buffers 4 16k;"},
    [CAUSE_KEEP_ALIVE] = {"no_keep_alive",
                          "The proxy ends the connection after each answer, which makes "
                          "every call slow.",
                          "remove \"keepalive off\" and \"header Connection close\"",
                          "keepalive_timeout 75s;"},
    [CAUSE_PLAIN_HTTP] = {"plain_http",
                          "The vault can be reached without encryption: tokens could be "
                          "read on the way.",
                          "name the site without http://, Caddy then redirects",
                          "server { listen 80; return 301 https://$host$request_uri; }"},
    [CAUSE_REGISTRATION] = {"registration",
                            "A client cannot register, so it cannot ask anybody to sign "
                            "in.",
                            "forward all of /oauth/", "forward all of /oauth/"},
    [CAUSE_KEY] =
        {"key",
         "The key is not good here: make one with \"vaultd key add NAME\" on the "
         "machine and with the state folder of the server.",
         NULL, NULL},
    [CAUSE_OTHER] =
        {"not_vaultd",
         "That is no answer of vaultd's: does the URL end in /mcp, and does the "
         "proxy forward it unchanged?",
         "reverse_proxy 127.0.0.1:8090",
         "location / { proxy_pass http://127.0.0.1:8090; }"},
};
