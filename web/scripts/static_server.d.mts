export interface StaticServer {
  url: string;
  /** What was asked for, with the bytes of each answer. */
  requests: { path: string; bytes: number }[];
  close(): Promise<void>;
}

export function serveFolder(folder: string, options?: { port?: number; isolated?: boolean }): Promise<StaticServer>;
