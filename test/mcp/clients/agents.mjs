// agents.mjs -- other people's agents, with a scripted model, beside a person in Emacs.
//
//     node agents.mjs codex|opencode|claude PROGRAM
//
// PROGRAM is the agent's.  It gets a home of its own, with what the manual's page about it says, word
// for word, and the scripted model beside that.  Emacs runs on a terminal of tmux, and a person
// answers there by keys.  Bytes on the disk, the buffer, the log, the review, and the words that the
// model got are looked at.
//
// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync }
  from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startModel } from "./model.mjs";

const [agent, program] = process.argv.slice(2);
const source = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const built = realpathSync(process.env.BUILD ?? "build");
const base = realpathSync(mkdtempSync(join(tmpdir(), "aqfs-agent-")));
const home = join(base, "home"), project = join(base, "p"), state = join(base, "state");
const patience = 60000 * Number(process.env.AQFS_TEST_SLOWNESS ?? 1);
const file = (name) => join(project, name);
const text = (name) => readFileSync(file(name), "utf8");

// -- the manual's page --------------------------------------------------------------------------

// The examples of the page about NAME: [[file as the page names it, text]].
function page(name) {
  const manual = readFileSync(join(source, "doc/manual.org"), "utf8");
  const start = manual.indexOf(`\n*** ${name}\n`);
  assert(start > 0, `the manual has no page about ${name}`);
  const section = manual.slice(start + 5).split(/\n\*+ /)[0];
  const found = [...section.matchAll(/in =([^=]+)=(?: of the project)?:\n\n#\+begin_example\n([^]*?)#\+end_example/gi)];
  assert(found.length === 2, `the page about ${name} has ${found.length} examples`);
  return found.map(([, path, example]) => [path, example]);
}

// The lines that a user has written beside the page: where the model is.  MORE are tools for the server.
const users = {
  codex: {
    prefix: "agent-q-fs_", arguments: ["exec", "--skip-git-repo-check", "Go"],
    join: (pieces, url) =>
      // The page says which of its lines stands above all tables.
      `model = "scripted"\nmodel_provider = "local"\n${pieces[1]}\n${pieces[0]}\n` +
      `[model_providers.local]\nname = "local"\nbase_url = "${url}"\nwire_api = "responses"\n`,
    own: ["exec_command", "shell", "write_stdin"],
  },
  opencode: {
    prefix: "agent-q-fs_", arguments: ["run", "Go"],
    join: (pieces, url) => JSON.stringify(Object.assign({
      provider: { local: { npm: "@ai-sdk/openai-compatible", name: "local",
                           options: { baseURL: url, apiKey: "none" },
                           models: { scripted: { name: "scripted" } } } },
      model: "local/scripted", small_model: "local/scripted",
    }, ...pieces.map((piece) => JSON.parse(piece)))),
    own: ["read", "edit", "write", "glob", "grep", "list"],
  },
  claude: {
    page: "Claude Code", prefix: "mcp__agent-q-fs__", arguments: ["-p", "Go"],
    variables: (url) => ({ ANTHROPIC_BASE_URL: url.replace(/\/v1$/, ""), ANTHROPIC_API_KEY: "none",
                           ANTHROPIC_MODEL: "scripted", DISABLE_AUTOUPDATER: "1",
                           CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }),
    own: ["Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep"],
    // The page says to start it once, and to trust the project.
    prepare: () => writeFileSync(join(home, ".claude.json"), JSON.stringify(
      { projects: { [project]: { hasTrustDialogAccepted: true } } })),
  },
};
const user = users[agent];

function configure(url, more) {
  const pieces = page(user.page ?? agent);
  const joined = user.join
    ? [[pieces[0][0], user.join(pieces.map(([, example]) => example), url)]] : pieces;
  assert(!user.join || pieces.every(([path]) => path === pieces[0][0]));
  for (const [name, whole] of joined) {
    const path = name.startsWith("~") ? name.replace("~", home) : file(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path,
                  more ? whole.replace('"--emacs",', `"--emacs", "--tools", "${more}",`) : whole);
  }
}

// -- a person in Emacs --------------------------------------------------------------------------

const tmux = (...args) => execFileSync("tmux", ["-L", `aqfs-${process.pid}`, ...args],
                                       { encoding: "utf8", env: { ...process.env, TERM: "screen" } });
const screen = () => tmux("capture-pane", "-p");
const type = (...keys) => tmux("send-keys", ...keys);

async function until(what, test) {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(50))
    if (test()) return;
  throw new Error(`${what} did not come; the terminal shows\n${screen()}`);
}

const see = (regexp) => until(`${regexp}`, () => regexp.test(screen()));

async function startEmacs() {
  const init = join(base, "init.el");
  writeFileSync(init, `(setq agent-q-fs-state-directory "${state}"
      agent-q-fs-mcp-directories '("${project}") inhibit-startup-screen t)
(require 'agent-q-fs-mcp) (agent-q-fs-mcp-mode 1) (global-auto-revert-mode 1)
(find-file "${file("a.txt")}")
(write-region "" nil "${base}/serving")`);
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "130", "-y", "50", "-c", project,
       `env HOME=${home} XDG_RUNTIME_DIR=${base} ${process.env.EMACS ?? "emacs"} -nw -Q ` +
       `-L ${source}/elisp -l ${init}`);
  await until("Emacs", () => existsSync(join(base, "serving")));
}

const isAsked = (words) =>
  words.test(screen()) && / y do it /.test(screen()) && /^For: .*\(MCP\)/m.test(screen());

// Sees the question WORDS among the requests, and answers it with KEYS: one, and perhaps a reason.
// Keys that are typed while another question goes away are lost: then it looks once more.
async function decide(words, key, reason) {
  for (const end = Date.now() + patience; !isAsked(words); ) {
    assert(Date.now() < end, `${words} was not asked; the terminal shows\n${screen()}`);
    await sleep(500);
    if (!/asks:|to approve\]/.test(screen()) || isAsked(words)) continue;
    type("M-x", "agent-q-fs-requests", "Enter");
    for (let i = 0; i < 20 && !isAsked(words); i++) await sleep(100);
  }
  await sleep(1500); // a key that comes sooner does not count
  type(key);
  if (!reason) return;
  await see(/Why not/);
  await sleep(300);
  type(reason, "Enter");
}

// -- a run --------------------------------------------------------------------------------------

// Runs the agent with SCRIPT and the page's configuration; meanwhile PERSON acts.
async function run(script, more, person) {
  const model = await startModel(script, user.prefix);
  configure(model.url, more);
  user.prepare?.();
  const child = spawn(program, user.arguments, {
    cwd: project, stdio: ["ignore", "pipe", "pipe"],
    env: { HOME: home, XDG_RUNTIME_DIR: base, PATH: `${built}:${process.env.PATH}`,
           OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1",
           ...user.variables?.(model.url) },
  });
  let said = "";
  child.stdout.on("data", (bytes) => (said += bytes));
  child.stderr.on("data", (bytes) => (said += bytes));
  const ended = new Promise((done) => child.on("exit", done));
  const timer = setTimeout(() => child.kill(), 3 * patience);
  try {
    await person();
    await ended;
    assert.equal(model.seen.fault, undefined, said);
    assert.equal(model.seen.answers.length, script.length, said);
    assert(said.includes("I am done."), said);
    return model.seen;
  } catch (problem) {
    console.log(said, model.seen.answers);
    throw problem;
  } finally {
    clearTimeout(timer);
    child.kill();
    model.close();
  }
}

async function filesAndQuestions() {
  const seen = await run([
    ["read_file", { path: "a.txt" }],
    ["edit_file", { path: "a.txt", old_str: "one", new_str: "edited" }],
    ["read_file", { path: "../outside" }],
    ["read_file", { path: ".env" }],
    ["create_file", { path: "new.txt", content: "made\n" }],
    ["delete_file", { path: "a.txt" }],
  ], "", async () => {
    await decide(/\.env/, "n", "it is secret");
    await decide(/Create new\.txt/, "y");
    await until("the file", () => existsSync(file("new.txt")));
    await decide(/Delete a\.txt/, "n", "keep it");
  });
  for (const tool of ["read_file", "edit_file", "create_file", "delete_file", "grep_files"])
    assert(seen.tools.some((t) => t.ours && t.name === tool), tool);
  const left = seen.tools.filter((t) => !t.ours && user.own.includes(t.name)).map((t) => t.name);
  assert.deepEqual(left, [], "the page leaves the agent these tools of its own");
  assert.match(seen.answers[0], /one/);
  assert.match(seen.answers[2], /outside/);
  assert.match(seen.answers[3], /it is secret/);
  assert.doesNotMatch(seen.answers.join(), /KEY=1/);
  assert.match(seen.answers[5], /keep it/);
  assert.equal(text("a.txt"), "edited\n");
  assert.equal(text("new.txt"), "made\n");
  await see(/^edited/m); // the buffer that visits it
}

async function command() {
  const seen = await run([["shell", { command: "cat a.txt > by-command; echo said" }]], "coding,shell",
                         () => decide(/by-command/, "y"));
  assert.match(seen.answers[0], /said/);
  assert.equal(text("by-command"), "edited\n");
}

async function logAndReview() {
  const lines = readFileSync(join(state, "audit.jsonl"), "utf8").trim().split("\n");
  const ends = lines.map((line) => JSON.parse(line))
    // Claude Code lists the resources by itself.
    .filter(({ event, tool }) => event === "end" && tool !== "search_files");
  assert.deepEqual(ends.map(({ tool, decision, error }) => [tool, decision ?? error ?? "read"]), [
    ["read_file", "read"], ["edit_file", "policy"], ["read_file", "outside-root"],
    ["read_file", "denied"], ["create_file", "approved"], ["delete_file", "denied"],
    ["shell", "approved"]]);
  type("M-x", "agent-q-fs-review", "Enter");
  await see(/\bnew\.txt/);
  await see(/\ba\.txt/);
}

mkdirSync(project);
writeFileSync(file("a.txt"), "one\n");
writeFileSync(file(".env"), "KEY=1\n");
writeFileSync(join(base, "outside"), "outside\n");
mkdirSync(home);
execFileSync("git", ["init", "-q", project]);
try {
  await startEmacs();
  await filesAndQuestions();
  await command();
  await logAndReview();
} finally {
  try { tmux("kill-server"); } catch {}
  rmSync(base, { recursive: true, force: true });
}
