// Users and their browsers, for the tests of signing in: a vaultd that requires sign-in, clients
// that register, and a browser made of plain fetch with cookies and forms.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { modernHeaders, modernMessage, startHttp, within } from '../support.mjs';

/** bcrypt with cost 10, the lowest allowed. */
export const USERS = {
  anna: { password: 'open sesame', hash: '$2b$10$B5G2GiWQ3ajScDKuXAzMl.32tA0m3z4TcO1PIk2a4djy0EDmeOJWS' },
  bob: { password: 's3cret!', hash: '$2b$10$bYiDJMX47iJ5ML/uHZI2P.WfqayZsMa607ySDqnJPgzoadb2OrcYa' },
};

export async function freePort() {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 20_000), server = net.createServer(); // below those that the system gives to others
    const free = await new Promise((done) => server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true)));
    if (!free) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
}

/** A server with users. Browsers use its origin; url: another public URL. */
export async function startWithPeople(t, { url, args = [], env = {}, ...options } = {}) {
  const port = await freePort();
  const users = Object.entries(USERS).map(([name, { hash }]) => `${name}:${hash}`).join(',');
  const server = await startHttp(t, {
    ...options, port, args: ['--confirm', 'never', ...(url ? ['--server-url', url] : []), ...args], env: { AUTH_USERS: users, ...env },
  });
  server.origin = `http://127.0.0.1:${port}`;
  server.issuer = url ?? server.origin;
  return server;
}

/* --- clients --- */

export const CALLBACK = 'https://client.example/callback';

export async function register(server, { redirect_uris = [CALLBACK], client_name = 'Test client', ...more } = {}) {
  const answer = await new Browser(server).send('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name, redirect_uris, token_endpoint_auth_method: 'none', ...more }),
  });
  assert.equal(answer.status, 201, answer.text);
  return JSON.parse(answer.text).client_id;
}

export const VERIFIER = 'a-verifier-of-fifty-characters-0123456789-abcdefghi';
export const CHALLENGE = crypto.createHash('sha256').update(VERIFIER).digest('base64url');

/** Path and query of a valid request; undefined leaves a parameter out. */
export function authorizePath(client_id, changes = {}) {
  const all = {
    response_type: 'code', client_id, redirect_uri: CALLBACK, state: 'a state & more', scope: 'vault:read vault:write',
    code_challenge: CHALLENGE, code_challenge_method: 'S256', ...changes,
  };
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== undefined));
  return `/oauth/authorize?${query}`;
}

/** Exchange a code for tokens. */
export async function redeem(server, client_id, code, redirect_uri = CALLBACK) {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id, code, redirect_uri, code_verifier: VERIFIER });
  const answer = await fetch(`${server.origin}/oauth/token`, { method: 'POST', body });
  return { status: answer.status, ...(await answer.json()) };
}

/** A call of a tool with a token. */
export async function callTool(server, token, name, args = {}) {
  const message = modernMessage('tools/call', { name, arguments: args });
  const answer = await fetch(server.url, { method: 'POST', headers: { ...modernHeaders(message), authorization: `Bearer ${token}` }, body: JSON.stringify(message) });
  const text = await answer.text();
  return { status: answer.status, message: text ? JSON.parse(text) : undefined };
}

let apps = 0;

/** The whole way: a user lets a client in, with choices made on the consent page. */
export async function letIn(server, { name = 'anna', scope = 'vault:read vault:write', choices = [], client } = {}) {
  const client_name = `App ${++apps}`; // or the same client is returned
  client ??= await register(server, { client_name });
  const browser = new Browser(server);
  let answer = await browser.signIn(await browser.get(authorizePath(client, { scope })), name);
  if (answer.location?.startsWith(server.issuer)) { // otherwise it was allowed before
    const page = await browser.follow(answer);
    answer = await browser.submit(choose(writing(page), choices), { decision: 'allow' });
  }
  const tokens = await redeem(server, client, learned(answer).code);
  assert.equal(tokens.status, 200, JSON.stringify(tokens));
  return { ...tokens, client, client_name, browser, token: tokens.access_token };
}

/** The form of a consent page, with writing allowed if the client asks for it: a page suggests less. */
export const writing = (page) => (page.text.includes('value="write"') ? choose(page.forms[0], [['access', 'write']]) : page.forms[0]);

/** A level for each folder: { Inbox: 'write' }; rest: for everything else. */
export const levels = (places, rest = 'none') => [['access', 'each'], ['rest', rest], ...Object.entries(places).map(([folder, level]) => ['folder', `${level} ${folder}`])];

/** The same form with other choices: the fields of these names are replaced. */
export const choose = (form, choices) => {
  const names = new Set(choices.map(([name]) => name));
  return { action: form.action, fields: [...form.fields.filter(([name]) => !names.has(name)), ...choices] };
};

/* --- a browser --- */

const unescape = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]);
const attribute = (tag, name) => {
  const found = tag.match(new RegExp(`\\s${name}="([^"]*)"`));
  return found ? unescape(found[1]) : undefined;
};

/** The forms of a page that are posted: where they go, and the fields that a browser would send unchanged. */
export function formsOf(html) {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].filter(([, head]) => !/method="get"/.test(head)).map(([, head, inside]) => ({
    action: attribute(head, 'action'),
    fields: [...inside.matchAll(/<input([^>]*)>|<select([^>]*)>(.*?)<\/select>/gs)].flatMap(([, tag, select, options]) => {
      if (select !== undefined) {
        const [chosen] = [...options.matchAll(/<option([^>]*)>/g)].map(([, option]) => option).sort((a, b) => /\sselected/.test(b) - /\sselected/.test(a));
        return [[attribute(select, 'name'), attribute(chosen, 'value')]];
      }
      const type = attribute(tag, 'type');
      const sent = type === 'hidden' || (['checkbox', 'radio'].includes(type) && /\schecked/.test(tag));
      return sent ? [[attribute(tag, 'name'), attribute(tag, 'value')]] : [];
    }),
  }));
}

export class Browser {
  cookies = new Map();

  constructor(server) {
    this.server = server;
  }

  /** One request; redirects are not followed. */
  async send(path, { method = 'GET', headers = {}, body } = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answered = new Promise((done, no) => {
      const { front } = this.server; // a proxy, if there is one
      const request = (front ? https : http).request({
        host: '127.0.0.1', port: this.server.port, method, path, agent: false, ...front,
        headers: { host: new URL(this.server.issuer).host, ...(cookie ? { cookie } : {}), ...headers },
      }, async (response) => {
        const parts = [];
        for await (const part of response) parts.push(part);
        done({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() });
      });
      request.on('error', no);
      request.end(body);
    });
    const answer = await within(answered, `${method} ${path}`);
    for (const line of answer.headers['set-cookie'] ?? []) this.#keep(line);
    answer.forms = formsOf(answer.text);
    answer.location = answer.headers.location;
    return answer;
  }

  #keep(line) {
    const [, name, value, rest] = line.match(/^([^=]+)=([^;]*);(.*)$/);
    if (/max-age=0/i.test(rest)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  get(path, headers) {
    return this.send(path, { headers });
  }

  post(path, fields, headers = {}) {
    const body = new URLSearchParams(fields).toString();
    return this.send(path, {
      method: 'POST', body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(this.server.issuer).origin, 'sec-fetch-site': 'same-origin', ...headers },
    });
  }

  /** Submit a form of a page, with fields added. */
  submit(form, added = {}, headers) {
    return this.post(form.action, [...form.fields, ...Object.entries(added)], headers);
  }

  /** The redirect target within the server. */
  follow(answer) {
    const to = new URL(answer.location);
    assert.equal(to.origin, new URL(this.server.issuer).origin);
    return this.get(to.pathname + to.search);
  }

  /** Sign in on a login page; the answer to the form. */
  async signIn(page, name = 'anna', password = USERS[name].password) {
    return this.submit(page.forms[0], { username: name, password });
  }

  /** From /authorize to the consent page. */
  async toConsent(path, name = 'anna') {
    const login = await this.get(path);
    assert.equal(login.status, 200, login.text);
    const answer = await this.signIn(login, name);
    assert.equal(answer.status, 303, answer.text);
    return this.follow(answer);
  }

  /** The whole way to the client; returns what it learns. */
  async allow(path, name = 'anna', added = {}) {
    const page = await this.toConsent(path, name);
    const answer = await this.submit(writing(page), { decision: 'allow', ...added });
    return learned(answer);
  }
}

/** The parameters that a redirect passes to the client, each once. */
export function learned(answer) {
  assert.ok([302, 303].includes(answer.status), `${answer.status} ${answer.text}`);
  const url = new URL(answer.location);
  const all = Object.fromEntries(url.searchParams);
  assert.equal([...url.searchParams].length, Object.keys(all).length, answer.location);
  url.search = '';
  return { at: url.href, status: answer.status, ...all };
}
