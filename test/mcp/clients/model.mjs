// model.mjs -- a model that says what it was told to say, in the forms in which agents speak with
// OpenAI's and Anthropic's servers, as streams of events: POST /v1/responses,
// /v1/chat/completions and /v1/messages.
//
// It makes the calls of a script one after the other, as it sees their answers come back, and then
// says that it is done.  It holds no state of a conversation: a request has all of it.
//
// SPDX-License-Identifier: MIT
import { createServer } from "node:http";

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

// The tools of a request as {name, namespace, as}: NAME is the server's own.
function offered(tools, prefix) {
  return (tools ?? []).flatMap((tool) => {
    if (tool.type === "namespace")
      return tool.tools.map((t) => ({ name: t.name, as: t.name, namespace: tool.name }));
    const as = tool.name ?? tool.function?.name ?? tool.type;
    return [{ name: as.startsWith(prefix) ? as.slice(prefix.length) : as, as,
              ours: as.startsWith(prefix) }];
  }).map((tool) => ({ ...tool, ours: tool.ours ?? tool.namespace.includes("agent_q_fs") }));
}

function textOf(output) {
  if (typeof output === "string") return output;
  return (output ?? []).map((part) => part.text ?? "").join("");
}

const forms = {
  "/v1/responses": {
    answers: (body) => body.input.filter((item) => item.type === "function_call_output")
      .map((item) => textOf(item.output)),
    event: (response, value) =>
      response.write(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`),
    say(response, text, n) {
      this.item(response, { type: "message", role: "assistant", id: `m${n}`,
                            content: [{ type: "output_text", text }] });
    },
    call(response, tool, args, n) {
      this.item(response, { type: "function_call", id: `f${n}`, call_id: `call-${n}`,
                            name: tool.as, namespace: tool.namespace,
                            arguments: JSON.stringify(args) });
    },
    item(response, item) {
      this.event(response, { type: "response.created", response: { id: "r" } });
      this.event(response, { type: "response.output_item.done", output_index: 0, item });
      this.event(response, { type: "response.completed", response: { id: "r", usage } });
    },
  },
  "/v1/chat/completions": {
    answers: (body) => body.messages.filter((message) => message.role === "tool")
      .map((message) => textOf(message.content)),
    say(response, content) {
      this.delta(response, { role: "assistant", content }, "stop");
    },
    call(response, tool, args, n) {
      this.delta(response, { role: "assistant", tool_calls: [
        { index: 0, id: `call-${n}`, type: "function",
          function: { name: tool.as, arguments: JSON.stringify(args) } }] }, "tool_calls");
    },
    delta(response, delta, reason) {
      const chunk = (choice) => response.write("data: " + JSON.stringify(
        { id: "c", object: "chat.completion.chunk", created: 1, model: "scripted",
          choices: [{ index: 0, ...choice }] }) + "\n\n");
      chunk({ delta, finish_reason: null });
      chunk({ delta: {}, finish_reason: reason });
      response.write("data: [DONE]\n\n");
    },
  },
  "/v1/messages": {
    answers: (body) => body.messages.flatMap((message) =>
      Array.isArray(message.content) ? message.content : [])
      .filter((part) => part.type === "tool_result").map((part) => textOf(part.content)),
    say(response, text) {
      this.message(response, { type: "text", text: "" }, { type: "text_delta", text }, "end_turn");
    },
    call(response, tool, args, n) {
      this.message(response, { type: "tool_use", id: `toolu_${n}`, name: tool.as, input: {} },
                   { type: "input_json_delta", partial_json: JSON.stringify(args) }, "tool_use");
    },
    message(response, content_block, delta, stop_reason) {
      for (const value of [
        { type: "message_start", message: { id: "m", type: "message", role: "assistant",
                                            model: "scripted", content: [], usage } },
        { type: "content_block_start", index: 0, content_block },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
        { type: "message_stop" }])
        response.write(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`);
    },
  },
};

// Answers BODY, a request in FORM, as SCRIPT says; what was seen is kept in SEEN.
function answer(form, body, script, prefix, seen, response) {
  const tools = offered(body.tools, prefix);
  if (tools.length === 0) { // a title for the conversation is wanted, or the like
    form.say(response, "A title", 0);
    return;
  }
  seen.tools = tools;
  seen.answers = form.answers(body);
  const n = seen.answers.length;
  if (n >= script.length) {
    form.say(response, "I am done.", n);
    return;
  }
  const [name, args] = script[n];
  const tool = tools.find((t) => t.ours && t.name === name);
  if (tool) form.call(response, tool, args, n);
  else form.say(response, (seen.fault = `there is no tool ${name}`), n);
}

// A server on 127.0.0.1 that makes the calls of SCRIPT, a list of [TOOL, ARGUMENTS], of tools whose
// names begin with PREFIX or which are in a namespace.  Returns {url, seen, close}.
export async function startModel(script, prefix) {
  const seen = { answers: [], tools: [] };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const form = forms[request.url.split("?")[0]];
      if (!form || request.method !== "POST") {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      answer(form, JSON.parse(Buffer.concat(chunks)), script, prefix, seen, response);
      response.end();
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, seen, close: () => server.close() };
}
