// The parser in a Web Worker: `WorkerParser` talks to it.

import { load } from "./index.js";
import type { Parser } from "./parser.js";
import type { Question, Reply } from "./worker_messages.js";

let parser: Promise<Parser> | null = null;
const running = new Map<number, AbortController>();

const say = (reply: Reply): void => (self as unknown as { postMessage(reply: Reply): void }).postMessage(reply);

function hear(event: MessageEvent<Question>): void {
  answer(event.data).catch((error: unknown) => {
    const { name, message } = error as Error;
    say({ id: event.data.id, kind: "failed", name: name ?? "Error", message: message ?? String(error) });
  });
}

// onnxruntime starts its own threads from the script that it is part of; those hear from it alone.
if (!self.name?.startsWith("em-pthread")) self.addEventListener("message", hear);

async function answer(question: Question): Promise<void> {
  const { id } = question;
  if (question.kind === "stop") {
    running.get(question.stopped)?.abort();
  } else if (question.kind === "load") {
    const { model, ...options } = question.load;
    parser = load(model, { ...options, progress: (progress) => say({ id, kind: "progress", progress }) });
    say({ id, kind: "loaded", facts: (await parser).facts });
  } else if (question.kind === "close") {
    await (await parser)?.close();
    say({ id, kind: "done", value: null });
  } else {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const loaded = await parser!;
      // Told to stop meanwhile, it need not begin.
      await new Promise((resume) => setTimeout(resume));
      say({ id, kind: "done", value: await loaded.answer(question.request, controller.signal) });
    } finally {
      running.delete(id);
    }
  }
}
