// sdk.mjs -- the client of the protocol's own SDK, against agent-q-fs mcp.
//
//     node sdk.mjs FILE COMMAND [ARGUMENT...]
//
// FILE is a.txt of the project, which the command serves and which holds "one\n".  Nobody is there
// to be asked.
//
// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NPM}/node_modules/`);
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");

const [file, command, ...args] = process.argv.slice(2);
writeFileSync(file, "one\n");
const client = new Client({ name: "sdk", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const call = (name, given) => client.callTool({ name, arguments: given }); // it checks the schemas
const words = (result) => result.content[0].text;

const { tools } = await client.listTools();
assert(tools.some((tool) => tool.name === "edit_file" && tool.outputSchema));
assert.equal(words(await call("read_file", { path: "a.txt" })), "one\n");
const edited = await call("edit_file", { path: "a.txt", old_str: "one", new_str: "two" });
assert.equal(edited.structuredContent.path, "a.txt");
assert.equal(readFileSync(file, "utf8"), "two\n");
const refused = await call("delete_file", { path: "a.txt" });
assert(refused.isError && existsSync(file));
assert.match(words(refused), /Approval is required/);
assert((await call("read_file", { path: "/etc/passwd" })).isError);
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: resources[0].uri });
assert.equal(contents[0].text, "two\n");
await client.close();
