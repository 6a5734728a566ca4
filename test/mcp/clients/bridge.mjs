// bridge.mjs -- agent-q-fs mcp behind a URL, for clients that know no standard input.
//
//     node bridge.mjs COMMAND [ARGUMENT...]
//
// It prints the URL.  Each session of the eras with a handshake has a process of its own; the
// requests of later eras share one.  A request's answer is a stream of events if the server says
// something before it.  HTTP itself is none of the program's business: this is for tests.
//
// A resource test:NAME is the file NAME of the current directory, if that is there.
//
// SPDX-License-Identifier: MIT
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";

const command = process.argv.slice(2);
const sessions = new Map();
let shared = null;

// A server, and the requests of clients that it has not answered: ours by a name of our own,
// because two clients may choose the same.
function start() {
  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const server = { child, waiting: new Map(), count: 0 };
  createInterface({ input: child.stdout }).on("line", (line) => take(server, JSON.parse(line)));
  child.on("exit", () => server.waiting.forEach((w) => w.response.destroy()));
  return server;
}

function send(server, message) {
  server.child.stdin.write(JSON.stringify(message) + "\n");
}

// The file that stands for the resource of MESSAGE, or undefined.
function fixture(message) {
  const name = /^test:\/\/(.+)/.exec(message.params?.uri ?? "")?.[1];
  return name && existsSync(name) ? `file://${process.cwd()}/${name}` : undefined;
}

function event(waiting, message) {
  if (!waiting.response.headersSent)
    waiting.response.writeHead(200, { ...waiting.headers, "content-type": "text/event-stream" });
  waiting.response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

// The server's messages: an answer goes to who asked, the rest to who asked last.
function take(server, message) {
  const waiting = server.waiting.get(message.id);
  if (!waiting || message.method) {
    const last = [...server.waiting.values()].pop();
    if (last) event(last, message);
    return;
  }
  server.waiting.delete(message.id);
  message.id = waiting.id;
  if (waiting.response.headersSent) {
    event(waiting, message);
    waiting.response.end();
    return;
  }
  const unknown = message.error?.code === -32601 && waiting.modern;
  const refused = [-32022, -32600, -32602].includes(message.error?.code) && !waiting.session;
  waiting.response.writeHead(unknown ? 404 : refused ? 400 : 200,
                             { ...waiting.headers, "content-type": "application/json" });
  waiting.response.end(JSON.stringify(message));
}

function serverFor(request, message, headers) {
  const id = request.headers["mcp-session-id"];
  if (id) return sessions.get(id);
  if (message.method !== "initialize") return (shared ??= start());
  headers["mcp-session-id"] = randomUUID();
  sessions.set(headers["mcp-session-id"], start());
  return sessions.get(headers["mcp-session-id"]);
}

function post(request, response, body) {
  const headers = {};
  let message;
  try {
    message = JSON.parse(body);
  } catch {
    response.writeHead(400).end();
    return;
  }
  const server = serverFor(request, message, headers);
  if (!server) {
    response.writeHead(404).end();
    return;
  }
  if (message.method && message.id !== undefined) {
    const name = `b-${++server.count}`;
    const modern = Boolean(message.params?._meta?.["io.modelcontextprotocol/protocolVersion"]);
    const session = request.headers["mcp-session-id"];
    server.waiting.set(name, { id: message.id, response, headers, modern, session });
    const uri = fixture(message);
    const params = uri ? { ...message.params, uri } : message.params;
    send(server, { ...message, params, id: name });
    return;
  }
  if (message.method === "notifications/cancelled")
    for (const [name, waiting] of server.waiting)
      if (waiting.id === message.params?.requestId) message.params.requestId = name;
  send(server, message);
  response.writeHead(202, headers).end();
}

function end(request, response) {
  const id = request.headers["mcp-session-id"];
  sessions.get(id)?.child.stdin.end();
  response.writeHead(sessions.delete(id) ? 200 : 404).end();
}

const http = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (request.method === "POST") post(request, response, Buffer.concat(chunks).toString());
    else if (request.method === "DELETE") end(request, response);
    else response.writeHead(405, { allow: "POST, DELETE" }).end();
  });
});
http.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${http.address().port}/mcp`));
