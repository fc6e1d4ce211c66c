// What a page and the worker that parses for it say to each other.

import type { ModelFacts, ParseRequest } from "./answers.js";
import type { Progress } from "./model/files.js";

/** What a worker is told to load; functions and signals cannot be sent. */
export interface WorkerLoad {
  model: string;
  threads?: number;
  wasmUrl?: string;
  cache?: string | null;
  everything?: boolean;
}

export type Question =
  | { id: number; kind: "load"; load: WorkerLoad }
  | { id: number; kind: "answer"; request: ParseRequest }
  | { id: number; kind: "stop"; stopped: number }
  | { id: number; kind: "close" };

export type Reply =
  | { id: number; kind: "progress"; progress: Progress }
  | { id: number; kind: "loaded"; facts: ModelFacts }
  | { id: number; kind: "done"; value: unknown }
  | { id: number; kind: "failed"; name: string; message: string };
