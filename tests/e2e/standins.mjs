// Stand-ins for GitHub and for an OpenID Connect provider, on loopback. Each acts according to
// `behaviour`, which a test may change at any time:
//   good      signs in `user`
//   denied    sends the browser back with error=access_denied
//   badstate  sends it back with another state
//   error200  answers the code with status 200 and an error
//   garbage   answers the code with HTML
//   status    answers the code with status 500
//   slow      never answers the code
//   huge      answers with more than any client should read
//   forged    (OpenID) gives a token for another audience
//   expired   (OpenID) gives an expired token
//   nonce     (OpenID) gives a token with another nonce
//   unverified (OpenID) says that the address was not verified
import http from "node:http";
import crypto from "node:crypto";

const listen = (handler) =>
  new Promise((resolve) => {
    const server = http.createServer((req, res) => {
      const chunks = [];
      req.on("data", (chunk) => chunks.push(chunk));
      req.on("end", () => handler(req, res, Buffer.concat(chunks).toString()));
    });
    server.listen(0, "127.0.0.1", () => resolve(server));
  });

const json = (res, value, status = 200) => {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify(value));
};

const challengeOf = (verifier) => crypto.createHash("sha256").update(verifier).digest("base64url");

class Standin {
  behaviour = "good";
  codes = new Map(); // code -> the query that asked for it
  asked = []; // every request, "METHOD /path"

  get url() {
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  // The page where a user would sign in: here they already have, or have denied.
  authorize(res, query) {
    const back = new URL(query.get("redirect_uri"));
    if (this.behaviour === "denied") back.searchParams.set("error", "access_denied");
    else {
      const code = crypto.randomBytes(16).toString("hex");
      this.codes.set(code, Object.fromEntries(query));
      back.searchParams.set("code", code);
    }
    const state = this.behaviour === "badstate" ? "somebody-else" : query.get("state");
    if (state !== null) back.searchParams.set("state", state);
    res.writeHead(302, { location: back.href });
    res.end();
  }

  // True if the behaviour has handled the request.
  misbehaves(res) {
    switch (this.behaviour) {
      case "slow":
        return true;
      case "garbage":
        res.writeHead(200, { "content-type": "text/html" });
        res.end("<h1>It works</h1>");
        return true;
      case "status":
        json(res, { error: "server_error" }, 500);
        return true;
      case "error200":
        json(res, { error: "bad_verification_code" });
        return true;
      case "huge":
        json(res, { access_token: "x".repeat(1 << 20), id_token: "x".repeat(1 << 20) });
        return true;
      default:
        return false;
    }
  }

  // The query that asked for this code, once, if everything matches; else null.
  redeem(form, client) {
    const asked = this.codes.get(form.get("code"));
    this.codes.delete(form.get("code"));
    const fits =
      asked !== undefined &&
      client.id === this.client.id &&
      client.secret === this.client.secret &&
      form.get("redirect_uri") === asked.redirect_uri &&
      challengeOf(form.get("code_verifier") ?? "") === asked.code_challenge;
    return fits ? asked : null;
  }
}

export async function startGitHub({ id = "gh-client", secret = "gh-secret", user = { login: "Ada", id: 4711 } } = {}) {
  const standin = new Standin();
  standin.client = { id, secret };
  standin.user = user;
  const tokens = new Set();
  standin.server = await listen((req, res, body) => {
    const url = new URL(req.url, "http://x");
    standin.asked.push(`${req.method} ${url.pathname}`);
    if (url.pathname === "/login/oauth/authorize") return standin.authorize(res, url.searchParams);
    if (standin.misbehaves(res)) return undefined;
    if (url.pathname === "/login/oauth/access_token") {
      const form = new URLSearchParams(body);
      const asked = standin.redeem(form, { id: form.get("client_id"), secret: form.get("client_secret") });
      if (asked === null) return json(res, { error: "bad_verification_code" });
      const token = `gho_${crypto.randomBytes(16).toString("hex")}`;
      tokens.add(token);
      return json(res, { access_token: token, token_type: "bearer", scope: "read:user" });
    }
    if (url.pathname === "/user") {
      const token = (req.headers.authorization ?? "").replace(/^Bearer /, "");
      return tokens.has(token) ? json(res, standin.user) : json(res, { message: "Bad credentials" }, 401);
    }
    return json(res, { message: "Not Found" }, 404);
  });
  return standin;
}

const idToken = (claims) =>
  [{ alg: "RS256", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".") +
  ".c2lnbmF0dXJl";

export async function startOpenId({ id = "oidc-client", secret = "oidc secret/with:odd chars", post = false } = {}) {
  const standin = new Standin();
  standin.client = { id, secret };
  standin.user = { sub: "user-1", email: "ada@example.com", email_verified: true, preferred_username: "ada" };
  standin.server = await listen((req, res, body) => {
    const url = new URL(req.url, "http://x");
    standin.asked.push(`${req.method} ${url.pathname}`);
    if (url.pathname === "/.well-known/openid-configuration")
      return json(res, {
        issuer: standin.issuer ?? standin.url,
        authorization_endpoint: `${standin.url}/authorize`,
        token_endpoint: `${standin.url}/token`,
        ...(post ? { token_endpoint_auth_methods_supported: ["client_secret_post"] } : {}),
      });
    if (url.pathname === "/authorize") return standin.authorize(res, url.searchParams);
    if (standin.misbehaves(res)) return undefined;
    if (url.pathname === "/token") {
      const form = new URLSearchParams(body);
      const basic = Buffer.from((req.headers.authorization ?? "").replace(/^Basic /, ""), "base64").toString();
      const decode = (text) => decodeURIComponent(text.replaceAll("+", " "));
      const client = post
        ? { id: form.get("client_id"), secret: form.get("client_secret") }
        : { id: decode(basic.split(":")[0]), secret: decode(basic.slice(basic.indexOf(":") + 1)) };
      const asked = standin.redeem(form, client);
      if (asked === null) return json(res, { error: "invalid_grant" }, 400);
      const now = Math.floor(Date.now() / 1000);
      return json(res, {
        access_token: "upstream",
        token_type: "Bearer",
        id_token: idToken({
          ...standin.user,
          iss: standin.url,
          aud: standin.behaviour === "forged" ? "somebody-else" : id,
          exp: standin.behaviour === "expired" ? now - 3600 : now + 300,
          nonce: standin.behaviour === "nonce" ? "another" : asked.nonce,
          email_verified: standin.behaviour !== "unverified",
        }),
      });
    }
    return json(res, {}, 404);
  });
  return standin;
}
